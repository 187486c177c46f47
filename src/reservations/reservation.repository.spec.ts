import { rmSync } from 'node:fs';
import { afterAll } from '@jest/globals';
import { migratedFolder } from '../../test/support/migrated-folder.js';
import { openDatabase } from '../database/database.js';
import { reservationRepositoryContract } from './reservation.repository.contract.js';

const folder = await migratedFolder();
afterAll(() => rmSync(folder, { recursive: true }));

reservationRepositoryContract('PGlite', () => openDatabase(undefined, folder));
