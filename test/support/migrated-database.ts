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

/**
 * Opens a database of its own around all tests of a spec: on the shared PostgreSQL server, which takes a fifth of the
 * processor time, or embedded if PostgreSQL isn't installed. The returned function gives it inside tests. The tables in
 * `emptied` are emptied before each test.
 */
export function migratedDatabase(...emptied: readonly string[]): () => Database {
  return around(hasSharedPostgres ? openOnServer : openEmbedded, emptied);
}

/** The same, always embedded: with its only connection, a test can count the rows that a statement reads. */
export function embeddedDatabase(...emptied: readonly string[]): () => Database {
  return around(openEmbedded, emptied);
}

function around(open: () => Promise<Database>, emptied: readonly string[]): () => Database {
  let database: Database | undefined;
  const opened = (): Database => {
    if (!database) throw new Error('the database is open only inside tests');
    return database;
  };
  beforeAll(async () => {
    database = await open();
  }, 30_000);
  beforeEach(async () => {
    await withoutTriggers(opened(), ...emptied.map((table) => `delete from ${table}`));
  });
  afterAll(() => database?.close());
  return opened;
}

async function openOnServer(): Promise<Database> {
  const { url, dispose } = await freshDatabase();
  const database = await openDatabase(url, '');
  return { ...database, close: () => database.close().then(dispose) };
}

/** Opens a migrated embedded database of its own, which `close` also removes. Only in hooks and tests: jest doesn't let a file import while it loads. */
export async function openEmbedded(): Promise<Database> {
  const folder = await migratedFolder();
  const database = await openDatabase(undefined, folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { ...database, close: () => database.close().then(remove) };
}
