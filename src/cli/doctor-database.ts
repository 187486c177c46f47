import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import type pg from 'pg';
import { z } from 'zod';
import { ClientSecrets } from '../auth/client-secrets.js';
import type { Config } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { knownSecret } from '../config/master-secret.js';
import { SealedTexts } from '../config/sealed-text.js';
import { withoutPassword } from '../config/setting-sources.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { lockFolder } from '../database/folder-lock.js';
import { connectPostgres } from '../database/postgres-servers.js';
import { LEAST_AHEAD_MS, partitionsQuery } from '../database/time-partitions.js';
import type { Tiers } from '../products/policy.js';
import { lackedTiers, tiersInUse } from '../products/tiers-in-use.js';
import { RECORD_TABLES } from '../records/record-partitions.js';
import { checkPersonalData, personalSample } from '../reservations/reservation-keys.js';
import { checkPooler, checkServers } from './doctor-servers.js';
import { clockFinding, type Finding, fine, reasonOf, wrong } from './finding.js';
import { checkHealthIn, type Query } from './health-database.js';

const MOST_MS = 3_000;
const MIGRATIONS = fileURLToPath(new URL('../database/migrations', import.meta.url));
/** Drizzle's table of applied migrations; `created_at` is the journal's `when`. */
const APPLIED = 'select created_at from drizzle.__drizzle_migrations';
const UNDEFINED_TABLE = '42P01';
const newestSecret = (
  environment: Config['environment'],
) => `select s.sealed, a.id as "applicationId", a.environment from client_secrets s join applications a on a.id = s.application_id
  where s.sealed is not null and a.environment = '${environment}' order by s.created_at desc limit 1`;

const secretRow = z.object({
  sealed: z.string(),
  applicationId: z.string(),
  environment: z.enum(['sandbox', 'production']),
});

const personalRow = z.object({ id: z.string(), personal: z.string() });

const journalSchema = z.object({ entries: z.array(z.object({ when: z.number(), tag: z.string() })) });

/**
 * Checks that the database answers, is migrated, matches the keys and the tiers, and has an accurate clock; and by what it says, the health of
 * the service, unless `suppliers` is undefined. Changes nothing.
 */
export function checkDatabase(
  config: Config,
  tiers: Tiers,
  suppliers: readonly SupplierConfig[] | undefined,
): Promise<Finding[]> {
  const { databaseUrl } = config;
  const checkRows = async (query: Query): Promise<Finding[]> => [
    ...(await checkKeys(config, query)),
    ...(await checkRenters(config, query)),
    ...(await checkTiers(config, tiers, query)),
    ...(suppliers ? await checkHealthIn(query, config, suppliers) : []),
  ];
  return databaseUrl === undefined ? checkEmbedded(config, checkRows) : checkPostgres(databaseUrl, checkRows);
}

type CheckRows = (query: Query) => Promise<Finding[]>;

async function checkPostgres(url: string, checkRows: CheckRows): Promise<Finding[]> {
  let client: pg.Client | undefined;
  try {
    client = await connectPostgres(url, { connectionTimeoutMillis: MOST_MS, query_timeout: MOST_MS });
    const askedAt = Date.now();
    const { rows } = await client.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
    const clock = clockFinding('database', Number(rows[0]?.ms), askedAt, Date.now());
    const connected = client;
    const query: Query = (sql) => connected.query(sql);
    return [
      fine('database', `${withoutPassword(url)} answers`),
      ...(await checkServers(url)),
      ...(await checkPooler(client)),
      await checkMigrations(query),
      ...(await checkPartitions(query)),
      ...(await checkRows(query)),
      clock,
    ];
  } catch (error) {
    return [
      wrong(
        'database',
        `${withoutPassword(url)} is not usable: ${reasonOf(error)}`,
        'start PostgreSQL or correct DATABASE_URL',
      ),
      ...(await checkServers(url)),
    ];
  } finally {
    await client?.end();
  }
}

async function checkEmbedded(config: Config, checkRows: CheckRows): Promise<Finding[]> {
  const folder = join(config.dataFolder, 'database');
  if (!existsSync(folder)) return [fine('database', 'embedded; created when the gateway first starts')];
  let unlock: () => void;
  try {
    unlock = lockFolder(folder);
  } catch (error) {
    // A running gateway has migrated the database and holds the only connection.
    return [fine('database', `embedded, not checked: ${reasonOf(error)}`)];
  }
  try {
    const client = await PGlite.create(folder);
    const query: Query = (sql) => client.query(sql);
    const findings = [await checkMigrations(query), ...(await checkRows(query))];
    await client.close();
    return [fine('database', 'embedded; opens'), ...findings];
  } catch (error) {
    return [
      wrong(
        'database',
        `embedded; ${folder} does not open: ${reasonOf(error)}`,
        'restore the data folder from a backup',
      ),
    ];
  } finally {
    unlock();
  }
}

/** Checks that the newest sealed client secret of this environment can be decrypted. Returns no finding if there is nothing to check. */
async function checkKeys(config: Config, query: Query): Promise<Finding[]> {
  if (knownSecret(config) === undefined) return [];
  const rows = await rowsIfMigrated(query, newestSecret(config.environment));
  const [row] = z.array(secretRow).parse(rows);
  if (!row) return [];
  try {
    new ClientSecrets(config, loadKeys(config)).open(row.sealed, row);
    return [fine('keys', 'can decrypt the secrets in the database')];
  } catch (error) {
    return [
      wrong(
        'keys',
        reasonOf(error),
        'set FORECOURT_SECRET and CLIENT_SECRET_KEYS to the values used when the data was written',
      ),
    ];
  }
}

/** Checks that renters' data of this environment can be decrypted, as the start does. Returns no finding if there is nothing to check. */
async function checkRenters(config: Config, query: Query): Promise<Finding[]> {
  if (knownSecret(config) === undefined) return [];
  const rows = z.array(personalRow).parse(await rowsIfMigrated(query, personalSample(config.environment)));
  if (rows.length === 0) return [];
  try {
    checkPersonalData(rows, new SealedTexts(config, loadKeys(config), 'PERSONAL_DATA_KEYS'));
    return [fine('keys', "can decrypt renters' data in the database")];
  } catch (error) {
    const todo = 'set FORECOURT_SECRET and PERSONAL_DATA_KEYS to the values used when the data was written';
    return [wrong('keys', reasonOf(error), todo)];
  }
}

/** Checks that the tiers of applications and accounts are in the file, without which their calls fail. */
async function checkTiers({ environment }: Config, tiers: Tiers, query: Query): Promise<Finding[]> {
  const rows = await rowsIfMigrated(query, tiersInUse(environment));
  const lacked = lackedTiers(rows, tiers);
  if (lacked.length === 0) return [fine('tiers', 'those of applications and accounts are in tiers.yaml')];
  return lacked.map((found) => wrong('tiers', found, 'add it, or use gw apps tier and gw accounts tier'));
}

/** The rows; none if the tables don't exist yet. */
async function rowsIfMigrated(query: Query, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  try {
    return (await query(text)).rows;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
    throw error;
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
  if (applied.length === 0) return fine('migrations', 'the database is empty; the first gateway creates its tables');
  const newest = Math.max(...applied);
  const pending = entries.filter(({ when }) => when > newest).map(({ tag }) => tag);
  if (pending.length > 0) {
    return wrong(
      'migrations',
      `pending: ${pending.join(', ')}`,
      'start a gateway of this version, or run gw migrate apply',
    );
  }
  return entries.some(({ when }) => when === newest)
    ? fine('migrations', `all ${entries.length} applied`)
    : wrong('migrations', 'a newer version of Forecourt migrated this database', 'use that version');
}

/** Checks that rows of the next days have a partition. Returns no finding if the tables don't exist yet. */
async function checkPartitions(query: Query): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name } of RECORD_TABLES) {
    const rows = await rowsIfMigrated(query, partitionsQuery(name));
    const until = z.number().optional().parse(rows.at(-1)?.to);
    if (until !== undefined) findings.push(partitionFinding(name, until, Date.now()));
  }
  return findings;
}

/** `until` and `now` in epoch milliseconds. */
function partitionFinding(table: string, until: number, now: number): Finding {
  const day = new Date(until).toISOString().slice(0, 10);
  return until < now + LEAST_AHEAD_MS
    ? wrong(
        'partitions',
        `${table} has none from ${day} on, so later requests can't be recorded`,
        'run gw migrate apply with a database user that may create tables, and repeat it every few days',
      )
    : fine('partitions', `${table} until ${day}`);
}
