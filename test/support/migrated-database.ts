import { rmSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../../src/database/database.js';
import { migratedFolder } from './migrated-folder.js';

/**
 * Opens a migrated database of its own around all tests of a spec; the returned function gives it inside tests. The
 * tables in `emptied` are emptied before each test.
 */
export function migratedDatabase(...emptied: readonly string[]): () => Database {
  let folder: string | undefined;
  let database: Database | undefined;
  const opened = (): Database => {
    if (!database) throw new Error('the database is open only inside tests');
    return database;
  };
  beforeAll(async () => {
    folder = await migratedFolder();
    database = await openDatabase(undefined, folder);
  }, 30_000);
  beforeEach(async () => {
    for (const table of emptied) await opened().rows(sql`delete from ${sql.identifier(table)}`);
  });
  afterAll(async () => {
    await database?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  return opened;
}
