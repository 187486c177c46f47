import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { loadConfig } from '../config/load-config.js';
import {
  type Applied,
  appliedTo,
  type Migration,
  migratePostgres,
  migrationsOf,
  pendingOf,
} from '../database/migrate.js';

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
      const pending = pendingOf(migrationsOf(), await appliedTo(directUrl()));
      for (const { name, statements } of pending) console.log(`-- ${name}\n${statements.join('\n')}\n`);
      console.log(`-- ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'} to apply`);
    });

  migrate
    .command('apply')
    .description('apply them, one transaction each; waits while another session holds a lock on a table')
    .action(async () => {
      const url = directUrl();
      await migratePostgres(url, { apply: true, tell: console.log });
      console.log('The database is at the state of this build.');
    });

  migrate
    .command('verify')
    .description('check that the database has exactly the migrations of this build; exit code 1 otherwise')
    .action(async () => {
      const findings = differences(migrationsOf(), await appliedTo(directUrl()));
      for (const finding of findings) console.log(finding);
      if (findings.length === 0) console.log('The database has exactly the migrations of this build.');
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

function directUrl(): string {
  const { config } = loadConfig(configFolder(process.env), process.env, []);
  const url = config.databaseDirectUrl ?? config.databaseUrl;
  if (url === undefined) throw new Error('set DATABASE_URL: the embedded database is migrated when its gateway starts');
  return url;
}
