import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { z } from 'zod';
import type { Config } from '../config/config.schema.js';
import { withoutPassword } from '../config/setting-sources.js';
import { lockFolder } from '../database/folder-lock.js';
import { clockFinding, type Finding, fine, reasonOf, wrong } from './finding.js';

const MOST_MS = 3_000;
const MIGRATIONS = fileURLToPath(new URL('../database/migrations', import.meta.url));
/** Drizzle's list of what it has applied; `created_at` is the journal's `when`. */
const APPLIED = 'select created_at from drizzle.__drizzle_migrations';
const UNDEFINED_TABLE = '42P01';

const journalSchema = z.object({ entries: z.array(z.object({ when: z.number(), tag: z.string() })) });

type Query = (sql: string) => Promise<{ rows: Record<string, unknown>[] }>;

/** The database: does it answer, is it migrated, does its clock agree. Changes nothing. */
export function checkDatabase({ databaseUrl, dataFolder }: Config): Promise<Finding[]> {
  return databaseUrl === undefined ? checkEmbedded(join(dataFolder, 'database')) : checkPostgres(databaseUrl);
}

async function checkPostgres(url: string): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: MOST_MS, query_timeout: MOST_MS });
  // Told by the query that fails.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const askedAt = Date.now();
    const { rows } = await client.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
    const clock = clockFinding('database', Number(rows[0]?.ms), askedAt, Date.now());
    return [fine('database', `${withoutPassword(url)} answers`), await checkMigrations((sql) => client.query(sql)), clock];
  } catch (error) {
    return [wrong('database', `${withoutPassword(url)} does not serve: ${reasonOf(error)}`, 'start PostgreSQL, or correct DATABASE_URL')];
  } finally {
    await client.end();
  }
}

async function checkEmbedded(folder: string): Promise<Finding[]> {
  if (!existsSync(folder)) return [fine('database', 'embedded; the first start makes it')];
  let unlock: () => void;
  try {
    unlock = lockFolder(folder);
  } catch (error) {
    // A running gateway migrates at its start and holds the only connection.
    return [fine('database', `embedded, not looked into: ${reasonOf(error)}`)];
  }
  try {
    const client = await PGlite.create(folder);
    const migrations = await checkMigrations((sql) => client.query(sql));
    await client.close();
    return [fine('database', 'embedded; it opens'), migrations];
  } catch (error) {
    return [wrong('database', `embedded; ${folder} does not open: ${reasonOf(error)}`, 'put a copy of the data folder back')];
  } finally {
    unlock();
  }
}

async function checkMigrations(query: Query): Promise<Finding> {
  const { entries } = journalSchema.parse(JSON.parse(readFileSync(join(MIGRATIONS, 'meta', '_journal.json'), 'utf8')));
  const applied = await query(APPLIED).then(
    ({ rows }) => rows.map((row) => Number(row.created_at)),
    (error: { code?: string }) => {
      if (error.code === UNDEFINED_TABLE) return [];
      throw error;
    },
  );
  if (applied.length === 0) return fine('migrations', 'the database is empty; the first gateway makes its tables');
  const newest = Math.max(...applied);
  const pending = entries.filter(({ when }) => when > newest).map(({ tag }) => tag);
  if (pending.length > 0) {
    return wrong('migrations', `pending: ${pending.join(', ')}`, 'start a gateway of this version: it applies them');
  }
  return entries.some(({ when }) => when === newest)
    ? fine('migrations', `all ${entries.length} applied`)
    : wrong('migrations', 'a newer version has migrated this database', 'use that version');
}
