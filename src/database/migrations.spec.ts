import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { openDatabase } from './database.js';

const root = mkdtempSync(join(tmpdir(), 'forecourt-migrations-'));
afterAll(() => rmSync(root, { recursive: true }));

/** The first `count` migrations. */
function first(count: number): string {
  const folder = join(root, 'migrations');
  cpSync(fileURLToPath(new URL('./migrations', import.meta.url)), folder, { recursive: true });
  const file = join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: unknown[] };
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
  return folder;
}

it('an application created before multiple secrets keeps its secret and expiry and gets its own account', async () => {
  const folder = join(root, 'database');
  mkdirSync(folder);
  const before = await PGlite.create(folder);
  await migrate(drizzle(before), { migrationsFolder: first(3) });
  await before.exec(`insert into applications (id, name, client_id, secret_hmac, environment, tier, credentials_expire_at)
    values ('app_old', 'Old', 'client_old', 'the-hmac', 'sandbox', 'demo', '2030-01-01T00:00:00Z')`);
  await before.close();

  const database = await openDatabase(undefined, root);
  expect(
    await database.rows(sql`select a.account_id, c.name, c.tier, s.hmac, s.sealed, s.revoked_at, to_char(s.expires_at at time zone 'UTC', 'YYYY') as year
      from applications a join accounts c on c.id = a.account_id join client_secrets s on s.application_id = a.id`),
  ).toEqual([
    {
      account_id: 'acc_old',
      name: 'Old',
      tier: 'demo',
      hmac: 'the-hmac',
      sealed: null,
      revoked_at: null,
      year: '2030',
    },
  ]);
  await database.close();
}, 30_000);
