import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type pg from 'pg';
import { connectPostgres } from './postgres-servers.js';

/** The folder with the migrations of this build. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('./migrations', import.meta.url));

/** One migration of this build. */
export interface Migration {
  /** The name of its file, such as `0018_account_erasure`. */
  readonly name: string;
  /** When it was generated, in milliseconds since 1970. Migrations are applied in this order. */
  readonly when: number;
  /** SHA-256 of its file, in hexadecimal. */
  readonly hash: string;
  readonly statements: readonly string[];
}

/** How a gateway migrates PostgreSQL. */
export interface MigrationOptions {
  /** Whether to apply pending migrations. Otherwise, waits until someone else has. */
  readonly apply: boolean;
  /** Receives a sentence when it waits, at most every `tellEveryMs`, and one per applied migration. */
  readonly tell: (message: string) => void;
  readonly tellEveryMs?: number;
}

/**
 * Transaction-scoped, so that it works through a pooler and ends with its transaction, however that ends. A lock of the
 * session would stay on the pooler's connection after its gateway is gone.
 */
const LOCK = [20_260, 1];

/**
 * How long a statement waits for a lock on a table. While it waits, new statements of running gateways wait behind it,
 * so it gives up soon and tries again later.
 */
const LOCK_WAIT_MS = 1_000;
const PAUSE_MS = { least: 300, most: 3_000 };
const TELL_EVERY_MS = 10_000;

const CONNECT_MS = 5_000;

const FORBIDDEN = '42501';

/** A statement that accepts an index that exists. Its name is the first group. */
const FOUND_INDEX = /^create (?:unique )?index if not exists "([^"]+)"/i;

/** What can be different at the next try, by SQLSTATE. */
const RETRIED: Readonly<Record<string, string>> = {
  '55P03': 'another session holds a lock on a table that the migration changes',
  '40P01': 'the migration and another session waited for each other',
  [FORBIDDEN]: 'the database user may not change tables; run `gw migrate apply` with a user that may',
  '53300': 'the database has no connection left',
};

/** An index that satisfies IF NOT EXISTS, but isn't read and, if it is unique, doesn't hold for all rows. */
class InvalidIndexError extends Error {
  constructor(name: string) {
    super(`the index ${name} is INVALID, because CREATE INDEX CONCURRENTLY failed; drop it`);
  }
}

/** Drizzle's table of applied migrations; `created_at` is `when`. */
const TABLE = 'drizzle.__drizzle_migrations';
const UNDEFINED_TABLE = '42P01';

/** The migrations of this build, oldest first. */
export function migrationsOf(folder: string = MIGRATIONS_FOLDER): readonly Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')) as {
    readonly entries: readonly { readonly tag: string }[];
  };
  return readMigrationFiles({ migrationsFolder: folder }).map(({ folderMillis, hash, sql }, index) => ({
    name: journal.entries[index]?.tag ?? '',
    when: folderMillis,
    hash,
    statements: sql.map((statement) => statement.trim()).filter((statement) => statement !== ''),
  }));
}

/** An applied migration as the database knows it. */
export interface Applied {
  readonly when: number;
  readonly hash: string;
}

/** The migrations that a database has, oldest first; empty if it is new. Rejects with the driver's error. */
export async function appliedTo(url: string): Promise<readonly Applied[]> {
  return connected(url, readApplied);
}

/**
 * Brings a PostgreSQL database to the state of this build, or waits until it is there. Each migration runs in a
 * transaction of its own, without a time limit but with one for waiting for locks; what another session delays or the
 * user may not do is tried again, without end. Any number of gateways may call it concurrently, even through a pooler
 * in transaction mode. A database that is newer than this build is left as it is (decision 0037). Rejects with the
 * driver's error if the database is unavailable at first, or if a migration fails for another reason.
 */
export async function migratePostgres(
  url: string,
  { apply, tell, tellEveryMs = TELL_EVERY_MS }: MigrationOptions,
  migrations: readonly Migration[] = migrationsOf(),
): Promise<void> {
  const since = Date.now();
  let toldAt = since;
  let pauseMs = PAUSE_MS.least;
  for (;;) {
    const step = await nextStep(url, migrations, apply, tell);
    if (step === 'complete') return;
    if (step === 'applied') {
      pauseMs = PAUSE_MS.least;
      continue;
    }
    if (Date.now() - toldAt >= tellEveryMs) {
      toldAt = Date.now();
      tell(
        `The database is not migrated yet: ${step.waitsFor}. Waiting since ${Math.round((toldAt - since) / 1_000)} s.`,
      );
    }
    await wait(pauseMs * (0.5 + Math.random() / 2));
    pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
  }
}

type Step = 'complete' | 'applied' | { readonly waitsFor: string };

/** Applies the oldest pending migration, if there is one and it is possible now. */
async function nextStep(
  url: string,
  migrations: readonly Migration[],
  apply: boolean,
  tell: (message: string) => void,
): Promise<Step> {
  return connected(url, async (client) => {
    const known = await readApplied(client).catch((error: unknown) => {
      if ((error as { code?: unknown }).code === FORBIDDEN) return undefined;
      throw error;
    });
    if (!known) return { waitsFor: `the database user needs USAGE on the schema drizzle and SELECT on ${TABLE}` };
    const [next] = pendingOf(migrations, known);
    if (!next) return 'complete';
    if (!apply)
      return { waitsFor: `${next.name} must be applied with \`gw migrate apply\` (databaseMigrations: wait)` };
    const startedAt = performance.now();
    try {
      const isDone = await inTransaction(client, () => applyMigration(client, next));
      if (isDone === undefined) return { waitsFor: 'another gateway migrates it' };
      if (isDone) tell(`Applied migration ${next.name} in ${Math.round(performance.now() - startedAt)} ms.`);
      return 'applied';
    } catch (error) {
      const why =
        error instanceof InvalidIndexError ? error.message : RETRIED[String((error as { code?: unknown }).code)];
      if (why === undefined) throw error;
      return { waitsFor: `${next.name}: ${why}` };
    }
  });
}

/** The migrations of a build that a database doesn't have, oldest first. */
export function pendingOf(migrations: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  const newest = Math.max(0, ...applied.map(({ when }) => when));
  return migrations.filter(({ when }) => when > newest);
}

/** Undefined: another session has the lock. False: another session has applied it. */
async function applyMigration(client: pg.Client, migration: Migration): Promise<boolean | undefined> {
  await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}; set local statement_timeout = 0`);
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1, $2) as locked', LOCK);
  if (!rows[0]?.locked) return undefined;
  await client.query(`create schema if not exists drizzle;
    create table if not exists ${TABLE} (id serial primary key, hash text not null, created_at bigint)`);
  if (pendingOf([migration], await readApplied(client)).length === 0) return false;
  for (const statement of migration.statements) {
    await client.query(statement);
    await requireValid(client, FOUND_INDEX.exec(statement)?.[1]);
  }
  await client.query(`insert into ${TABLE} (hash, created_at) values ($1, $2)`, [migration.hash, migration.when]);
  return true;
}

async function requireValid(client: pg.Client, index: string | undefined): Promise<void> {
  if (index === undefined) return;
  const { rows } = await client.query('select from pg_index where indexrelid = to_regclass($1) and not indisvalid', [
    `"${index}"`,
  ]);
  if (rows.length > 0) throw new InvalidIndexError(index);
}

async function readApplied(client: pg.Client): Promise<readonly Applied[]> {
  try {
    const { rows } = await client.query<{ hash: string; created_at: string }>(
      `select hash, created_at from ${TABLE} order by created_at`,
    );
    return rows.map(({ hash, created_at }) => ({ hash, when: Number(created_at) }));
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  // After the wait for the lock, it must see what others have applied.
  await client.query('begin isolation level read committed');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectPostgres(url, { connectionTimeoutMillis: CONNECT_MS, keepAlive: true });
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
