import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { openDatabase } from '../database/database.js';
import { reservationRepositoryContract } from './reservation.repository.contract.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-pglite-'));
afterAll(() => rmSync(folder, { recursive: true }));

reservationRepositoryContract('PGlite', () => openDatabase(undefined, folder));
