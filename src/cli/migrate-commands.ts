import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import type { Config } from '../config/config.schema.js';
import { loadConfig } from '../config/load-config.js';
import { withoutPassword } from '../config/setting-sources.js';
import { openDatabase } from '../database/database.js';
import {
  type Applied,
  appliedTo,
  type Migration,
  migratePostgres,
  migrationsOf,
  pendingOf,
} from '../database/migrate.js';
import { RecordPartitions } from '../records/record-partitions.js';
import { reasonOf } from './finding.js';
import { print } from './terminal.js';

/** Adds `gw migrate …`, with which operators migrate PostgreSQL before a release (decision 0037). */
export function addMigrateCommands(gw: Command): void {
  const migrate = gw
    .command('migrate')
    .description(
      'migrate PostgreSQL, while gateways run (DATABASE_DIRECT_URL, else DATABASE_URL); PGlite is migrated when its gateway starts',
    );

  migrate
    .command('plan')
    .description('print the SQL of the migrations that the database does not have yet; changes nothing')
    .action(async () => {
      const pending = pendingOf(migrationsOf(), await withDatabase(appliedTo));
      for (const { name, statements } of pending) print(`-- ${name}\n${statements.join('\n')}\n`);
      print(`-- ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'} to apply`);
    });

  migrate
    .command('apply')
    .description(
      'apply them, one transaction each, then create partitions for the next weeks and drop old ones; waits while another session holds a lock on a table',
    )
    .action(() =>
      withDatabase(async (url) => {
        await migratePostgres(url, { apply: true, tell: print });
        print('The database is at the state of this build.');
        await maintainPartitions(url);
      }),
    );

  migrate
    .command('verify')
    .description('check that the database has exactly the migrations of this build; exit code 1 otherwise')
    .action(async () => {
      const findings = differences(migrationsOf(), await withDatabase(appliedTo));
      for (const finding of findings) print(finding);
      if (findings.length === 0) print('The database has exactly the migrations of this build.');
      else process.exitCode = 1;
    });
}

/** How a database differs from a build, a sentence each; empty = not at all. */
export function differences(migrations: readonly Migration[], applied: readonly Applied[]): readonly string[] {
  const hashes = new Map(applied.map(({ when, hash }) => [when, hash]));
  const known = new Set(migrations.map(({ when }) => when));
  return [
    ...migrations
      .filter(({ when }) => !hashes.has(when))
      .map(({ name }) => `${name} is not applied: run \`gw migrate apply\`.`),
    ...migrations
      .filter(({ when, hash }) => hashes.has(when) && hashes.get(when) !== hash)
      .map(({ name }) => `${name} was applied with another content: compare the database with that of this build.`),
    ...applied
      .filter(({ when }) => !known.has(when))
      .map(({ when }) => `A migration of ${new Date(when).toISOString()} is of another build, probably a newer one.`),
  ];
}

/** What gateways whose database user may not change tables can't do (decision 0042). */
async function maintainPartitions(url: string): Promise<void> {
  const config = currentConfig();
  const database = await openDatabase(url, config.dataFolder, { migrations: 'wait' });
  try {
    const maintained = await new RecordPartitions(database, config).maintainAnnounced();
    for (const { table, coveredUntil, dropped, busy, failure } of maintained) {
      if (failure !== undefined) throw failure;
      print(`${table} has partitions until ${new Date(coveredUntil).toISOString().slice(0, 10)}.`);
      for (const name of dropped) print(`Dropped ${name}: its rows were older than what is kept.`);
      for (const name of busy) print(`${name} is older than what is kept, but in use: run the command again.`);
    }
  } finally {
    await database.close();
  }
}

function currentConfig(): Config {
  return loadConfig(configFolder(process.env), process.env, []).config;
}

/** Codes of errors that a wrong address, user or database name has: of the system, and SQLSTATE 08, 25006 (only a standby), 28 and 3D. */
const UNREACHABLE = /^(E[A-Z]+$|08|25006$|28|3D)/;

/** Runs `work` on the database that is migrated. Throws an Error that names the address and the setting if it isn't there. */
async function withDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseDirectUrl } = currentConfig();
  const url = databaseDirectUrl ?? databaseUrl;
  if (url === undefined) throw new Error('set DATABASE_URL: the embedded database is migrated when its gateway starts');
  try {
    return await work(url);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && UNREACHABLE.test(String(error.code)))) throw error;
    const setting = databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
    const what = `${withoutPassword(url)} is not usable: ${reasonOf(error)}`;
    throw new Error(`${what}. Start PostgreSQL, or correct ${setting}`, { cause: error });
  }
}
