import { rmSync } from 'node:fs';
import { afterAll } from '@jest/globals';
import { migratedFolder } from '../../test/support/migrated-folder.js';
import { auditChainContract } from './audit-chain.contract.js';
import { openDatabase } from './database.js';

const folder = await migratedFolder();
afterAll(() => rmSync(folder, { recursive: true }));

auditChainContract('PGlite', () => openDatabase(undefined, folder));
