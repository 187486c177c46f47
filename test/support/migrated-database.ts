import { rmSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../../src/database/database.js';
import { freshDatabase, hasSharedPostgres } from './database.js';
import { migratedFolder } from './migrated-folder.js';

/** Runs statements as a superuser who turns the triggers off: those of the audit log refuse changes. */
export async function withoutTriggers(database: Database, ...statements: readonly string[]): Promise<void> {
  await database.tables.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    for (const statement of statements) await tx.execute(sql.raw(statement));
  });
}

interface OwnDatabase {
  readonly database: Database;
  /** Closes and removes it. */
  dispose(): Promise<void>;
}

/**
 * Opens a database of its own around all tests of a spec: on the shared PostgreSQL server, which takes a fifth of the
 * processor time, or embedded if PostgreSQL isn't installed. The returned function gives it inside tests. The tables in
 * `emptied` are emptied before each test.
 */
export function migratedDatabase(...emptied: readonly string[]): () => Database {
  return around(hasSharedPostgres ? onServer : embedded, emptied);
}

/** The same, always embedded: with its only connection, a test can count the rows that a statement reads. */
export function embeddedDatabase(...emptied: readonly string[]): () => Database {
  return around(embedded, emptied);
}

function around(open: () => Promise<OwnDatabase>, emptied: readonly string[]): () => Database {
  let own: OwnDatabase | undefined;
  const opened = (): Database => {
    if (!own) throw new Error('the database is open only inside tests');
    return own.database;
  };
  beforeAll(async () => {
    own = await open();
  }, 30_000);
  beforeEach(async () => {
    await withoutTriggers(opened(), ...emptied.map((table) => `delete from ${table}`));
  });
  afterAll(() => own?.dispose());
  return opened;
}

async function onServer(): Promise<OwnDatabase> {
  const { url, dispose } = await freshDatabase();
  const database = await openDatabase(url, '');
  return { database, dispose: () => database.close().then(dispose) };
}

async function embedded(): Promise<OwnDatabase> {
  const folder = await migratedFolder();
  const database = await openDatabase(undefined, folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { database, dispose: () => database.close().then(remove) };
}
