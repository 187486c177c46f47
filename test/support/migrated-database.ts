import { rmSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../../src/database/database.js';
import { migratedFolder } from './migrated-folder.js';

/** Runs statements as a superuser who turns the triggers off: those of the audit log refuse changes. */
export async function withoutTriggers(database: Database, ...statements: readonly string[]): Promise<void> {
  await database.tables.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    for (const statement of statements) await tx.execute(sql.raw(statement));
  });
}

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
    await withoutTriggers(opened(), ...emptied.map((table) => `delete from ${table}`));
  });
  afterAll(async () => {
    await database?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  return opened;
}
