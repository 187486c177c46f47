import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { SQL } from 'drizzle-orm';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { type PgDatabase, PgDialect, type PgQueryResultHKT, type PreparedQueryConfig } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import type { Config } from '../config/config.schema.js';
import type { Turns } from '../config/turns.js';
import { countStatement } from '../metrics/metrics.js';
import * as schema from './all-tables.js';
import { DatabaseClock } from './database-clock.js';
import { WriteWatch } from './database-fault.js';
import { lockFolder } from './folder-lock.js';
import { StatementNames } from './kept-plans.js';
import { MIGRATIONS_FOLDER, migratePostgres } from './migrate.js';
import { patiently } from './patiently.js';
import { PostgresPool } from './postgres-pool.js';
import { ReportPool, ReportTurns } from './report-pool.js';
import { TableChanges } from './table-changes.js';

/** The tables of all-tables.ts over PostgreSQL or PGlite; queries reject with the driver's error. */
export type Tables = PgDatabase<PgQueryResultHKT, typeof schema>;

/** Reads the same tables as Database. Pages and calls of accounts read in `turns`, so that none takes all connections. */
export type Reports = Pick<Database, 'tables' | 'rows'> & { readonly turns: Turns };

/**
 * `keepsPlan`: PostgreSQL plans the statement once per connection instead of each time, if no pooler is in between. For
 * statements that are sent again and again with few different texts.
 */
export interface Planning {
  readonly keepsPlan: boolean;
}

export interface Database {
  readonly tables: Tables;
  /**
   * Runs one statement in its own transaction. `T` is the row as the driver returns it (JSON parsed, bigint as text).
   */
  rows<T>(statement: SQL, planning?: Planning): Promise<readonly T[]>;
  /**
   * For reads whose work grows with what an account keeps, so that they leave connections to everything else. With
   * PostgreSQL, it has two connections, which readers share fairly, and a statement is canceled after three seconds.
   */
  readonly reports: Reports;
  readonly clock: DatabaseClock;
  /** How the last write through `rows` ended. */
  readonly writes: WriteWatch;
  /** What this process, and others that share the store, change in the tables. */
  readonly changes: TableChanges;
  /** Reads the clock. Rejects with the driver's error if the database is unavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Counts statements, each of which is one round trip, and announces what they change. */
function loggerOf(changes: TableChanges): { logQuery: (statement: string) => void } {
  return {
    logQuery: (statement) => {
      countStatement();
      changes.note(statement);
    },
  };
}

/** A migrated PGlite database without rows, which the build adds to dist/ (scripts/empty-database.mjs). */
const emptyDatabase = fileURLToPath(new URL('./empty', import.meta.url));

/** PGlite has one connection and reserves its memory at the start: 128 MB of buffers by default. */
const MEMORY = ['shared_buffers=4MB', 'max_connections=5'];

/** How PostgreSQL is migrated when it is opened. PGlite is always migrated by its only process. */
export interface Opening {
  /** Where migrations are applied if a pooler is in front of the database; default: the database's own URL. */
  readonly directUrl?: string | undefined;
  /** `apply` (default) applies pending migrations; `wait` waits until they have been applied. */
  readonly migrations?: 'apply' | 'wait';
  /** Receives a sentence per applied migration, and every ten seconds what it waits for. */
  readonly tell?: (message: string) => void;
}

/**
 * Opens the database and applies pending migrations, or waits for them. If `url` is undefined, opens PGlite in
 * `<dataFolder>/database` for this process only. A second process on the same folder would lose data, so it is rejected
 * with a clear message.
 */
export async function openDatabase(
  url: string | undefined,
  dataFolder: string,
  { directUrl = url, migrations = 'apply', tell = () => undefined }: Opening = {},
): Promise<Database> {
  if (directUrl !== undefined && url !== undefined)
    await patiently(() => migratePostgres(directUrl, { apply: migrations === 'apply', tell }), tell);
  const database = await (url === undefined ? openPglite(join(dataFolder, 'database')) : openPostgres(url));
  await patiently(() => database.ping(), tell);
  return database;
}

/** Opens the database of a configuration, as openDatabase. `tell` receives what it does or waits for. */
export function openConfigured(
  { databaseUrl, databaseDirectUrl, databaseMigrations, dataFolder }: Config,
  tell: (message: string) => void,
): Promise<Database> {
  return openDatabase(databaseUrl, dataFolder, { directUrl: databaseDirectUrl, migrations: databaseMigrations, tell });
}

async function openPglite(folder: string): Promise<Database> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(folder);
  const isNew = !existsSync(join(folder, 'PG_VERSION'));
  if (isNew && existsSync(emptyDatabase)) copyEmptyDatabase(folder);
  // Loaded on demand: with PostgreSQL, loading it would add a third to the start time of every command.
  const [{ PGlite }, { drizzle }, { migrate }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('drizzle-orm/pglite'),
    import('drizzle-orm/pglite/migrator'),
  ]);
  const startParams = [...PGlite.defaultStartParams, ...MEMORY.flatMap((setting) => ['-c', setting])];
  const client = await withoutTiers(() => PGlite.create(folder, { startParams })).catch((error: unknown) => {
    unlock();
    throw error;
  });
  if (isNew) makePrivate(folder);
  // No other process changes this database.
  const changes = new TableChanges(true);
  const tables = drizzle(client, { schema, logger: loggerOf(changes) });
  await migrate(tables, { migrationsFolder: MIGRATIONS_FOLDER }).catch(async (error: unknown) => {
    await client.close().finally(unlock);
    throw error;
  });
  const { rows, writes } = watched(
    (statement) => tables.execute(statement),
    ({ affectedRows = 0 }) => affectedRows > 0,
  );
  return {
    tables,
    rows,
    writes,
    changes,
    reports: { tables, rows, turns: new ReportTurns() },
    ...pinging(async (text) => (await client.query<Reading>(text)).rows[0]),
    close: async () => {
      await client.close();
      unlock();
    },
  };
}

/** `rows` over a driver, watched for writes that fail. A write that changed no row proves nothing. */
function watched<R extends { readonly rows: readonly unknown[] }>(
  execute: (statement: SQL, planning?: Planning) => PromiseLike<R>,
  wrote: (result: R) => boolean,
): Pick<Database, 'rows' | 'writes'> {
  const writes = new WriteWatch();
  return {
    rows: async <T>(statement: SQL, planning?: Planning) =>
      (await writes.run(() => execute(statement, planning), wrote)).rows as T[],
    writes,
  };
}

interface Reading {
  readonly ms: number;
}

function pinging(query: (text: string) => Promise<Reading | undefined>): Pick<Database, 'clock' | 'ping'> {
  const clock = new DatabaseClock();
  return {
    clock,
    ping: async () => {
      const askedAtMs = performance.now();
      const reading = await query('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
      if (reading) clock.read(reading.ms, askedAtMs);
    },
  };
}

/**
 * PG_VERSION, by which a database is recognized, comes last: after a crash in between, the next start copies everything
 * again.
 */
function copyEmptyDatabase(folder: string): void {
  const version = join(emptyDatabase, 'PG_VERSION');
  cpSync(emptyDatabase, folder, { recursive: true, filter: (source) => source !== version });
  cpSync(version, join(folder, 'PG_VERSION'));
}

/** PGlite creates the files of a new database for everyone, whatever the umask is. It creates later ones correctly. */
function makePrivate(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isFile() ? 0o600 : 0o700);
}

/**
 * Runs `compile` with V8's optimizing WebAssembly compiler turned off. For PGlite, that compiler costs 1.3 s of CPU
 * time and 450 MB at each start, and doesn't make the first ten thousand statements faster. Modules compiled before and
 * after are not affected.
 */
async function withoutTiers<T>(compile: () => Promise<T>): Promise<T> {
  const flags = ['wasm-tier-up', 'wasm-dynamic-tiering'];
  for (const flag of flags) setFlagsFromString(`--no-${flag}`);
  try {
    return await compile();
  } finally {
    for (const flag of flags) setFlagsFromString(`--${flag}`);
  }
}

/** How long PostgreSQL works on a statement, and how long its answer is awaited. */
const STATEMENT_MS = 4_500;
const ANSWER_MS = 5_000;
const REPORT_MS = 3_000;

const dialect = new PgDialect();

/** Like `tables.execute`, under the name of the statement's text. */
function executeNamed(tables: Tables, statement: SQL, names: StatementNames): Promise<pg.QueryResult> {
  const query = dialect.sqlToQuery(statement);
  type Named = PreparedQueryConfig & { execute: pg.QueryResult };
  return tables._.session.prepareQuery<Named>(query, undefined, names.of(query.sql), false).execute();
}

function openPostgres(url: string): Database {
  const limits = { sharedStatementMs: STATEMENT_MS, answerMs: ANSWER_MS };
  const pool = new PostgresPool(url, { ...limits, max: 10, statementMs: STATEMENT_MS });
  const reportPool = new ReportPool(url, { ...limits, max: 2, statementMs: REPORT_MS });
  const changes = new TableChanges(false);
  const logger = loggerOf(changes);
  const tables = drizzlePg(pool, { schema, logger });
  const reports = drizzlePg(reportPool, { schema, logger });
  const names = new StatementNames();
  return {
    tables,
    changes,
    reports: {
      tables: reports,
      rows: async <T>(statement: SQL) => (await reports.execute(statement)).rows as T[],
      turns: new ReportTurns(),
    },
    ...watched(
      (statement, planning) =>
        planning?.keepsPlan ? executeNamed(tables, statement, names) : tables.execute(statement),
      ({ command, rowCount }) => command !== 'SELECT' && (rowCount ?? 0) > 0,
    ),
    ...pinging(async (text) => (await pool.query<Reading>(text)).rows[0]),
    close: async () => {
      await Promise.all([pool.end(), reportPool.end()]);
    },
  };
}
