import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { withoutTriggers } from '../../test/support/migrated-database.js';
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

it('a database of each earlier shape keeps its secrets, and its production applications get accounts in production', async () => {
  const folder = join(root, 'database');
  mkdirSync(folder);
  const before = await PGlite.create(folder);
  await migrate(drizzle(before), { migrationsFolder: first(3) });
  await before.exec(`insert into applications (id, name, client_id, secret_hmac, environment, tier, credentials_expire_at)
    values ('app_old', 'Old', 'client_old', 'the-hmac', 'sandbox', 'demo', '2030-01-01T00:00:00Z')`);
  await migrate(drizzle(before), { migrationsFolder: first(9) });
  await before.exec(`
    insert into accounts (id, name, tier, email, password_hash, verified_at, role) values
      ('acc_both', 'Ada', 'standard', 'ada@example.com', 'a-hash', now(), 'ops'), ('acc_live', 'Live', 'demo', null, null, null, 'developer'),
      ('acc_wait', 'Mallory', 'standard', 'bea@example.com', 'another-hash', null, 'developer');
    insert into applications (id, account_id, name, client_id, environment, tier) values
      ('app_s', 'acc_both', 'Shop', 'client_s', 'sandbox', 'standard'), ('app_p', 'acc_both', 'Shop', 'client_p', 'production', 'standard'),
      ('app_l', 'acc_live', 'Live', 'client_l', 'production', 'demo');
    insert into audit_events (actor, action, subject) values
      ('acc_both', 'application_suspended', 'app_p'), ('acc_both', 'application_suspended', 'app_s'), ('ops', 'application_suspended', 'app_l');
    update applications set state = 'suspended' where id in ('app_s', 'app_l');
    insert into outbox (recipient, subject, text, html) values ('ada@example.com', 'Reset', 'x', 'x');
    insert into account_links (digest, account_id, purpose, expires_at) values ('d', 'acc_both', 'reset', now() + interval '1 hour')`);
  // Its developer subscribed it to b. To a, which was approved, it was subscribed again; c was never changed.
  await before.exec(`
    insert into products (id, name, path, state) select p, p, '/' || p, 'live' from unnest(array['a', 'b', 'c']) p;
    insert into subscriptions (application_id, product_id) select app, p from unnest(array['app_p', 'app_s']) app, unnest(array['a', 'b', 'c']) p;
    insert into audit_events (actor, action, subject, before, after)
    select 'acc_both', action, app, case when action like '%un%' then product end, case when action not like '%un%' then product end
    from unnest(array['app_p', 'app_s']) app, (values ('product_unsubscribed', '{"product":"a"}'::json),
      ('product_subscribed', '{"product":"a"}'), ('product_subscribed', '{"product":"b"}')) changes (action, product)`);
  // Recorded before arrivals were.
  await migrate(drizzle(before), { migrationsFolder: first(57) });
  await before.exec(`insert into webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data, state)
    select 'sandbox', 'app_s', 'whe_' || state, 'e' || n, 'x', 's', now(), '{}', state
    from unnest(array['pending', 'delivered']) state, generate_series(1, 2) n`);
  await before.close();

  const database = await openDatabase(undefined, root);
  expect(await database.rows(sql`select environment, endpoint_id from webhook_arrivals`)).toEqual([
    { environment: 'sandbox', endpoint_id: 'whe_pending' },
  ]);
  expect(
    await database.rows(sql`select application_id as app, string_agg(product_id, ' ' order by product_id) as products
      from subscriptions group by 1 order by 1`),
  ).toEqual([
    { app: 'app_p', products: 'a c' },
    { app: 'app_s', products: 'a b c' },
  ]);
  expect(
    await database.rows(
      sql`select action, subject, before ->> 'product' as product from audit_events where actor = 'system'`,
    ),
  ).toEqual([{ action: 'product_unsubscribed', subject: 'app_p', product: 'b' }]);
  await withoutTriggers(database, "delete from audit_events where action like 'product_%'");
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
  const people = await database.rows<{ id: string }>(
    sql`select id, environment, email, password_hash, verified_at is not null as verified, role from accounts where id <> 'acc_old' order by environment, email`,
  );
  const [ada] = people;
  const none = { password_hash: null, verified: false, role: 'developer' };
  expect(people).toEqual([
    { id: expect.stringMatching(/^acc_[0-9a-f]{20}$/), environment: 'production', email: 'ada@example.com', ...none },
    { id: 'acc_live', environment: 'production', email: null, ...none },
    {
      id: 'acc_both',
      environment: 'sandbox',
      email: 'ada@example.com',
      password_hash: 'a-hash',
      verified: true,
      role: 'ops',
    },
    // Its password may be that of someone else.
    { id: 'acc_wait', environment: 'sandbox', email: 'bea@example.com', ...none },
  ]);
  expect(
    await database.rows(sql`select a.id, a.account_id, e.actor, a.is_held from applications a left join audit_events e on e.subject = a.id
      where a.id <> 'app_old' order by a.id`),
  ).toEqual([
    { id: 'app_l', account_id: 'acc_live', actor: 'ops', is_held: true },
    { id: 'app_p', account_id: ada?.id, actor: ada?.id, is_held: false },
    { id: 'app_s', account_id: 'acc_both', actor: 'acc_both', is_held: false },
  ]);
  // Nothing that could still be read in a sandbox's outbox works anymore.
  expect(await database.rows(sql`select id::text from outbox union all select digest from account_links`)).toEqual([]);
  await expect(
    database.rows(sql`update applications set environment = 'production' where id = 'app_s'`),
  ).rejects.toThrow();
  await database.close();
}, 60_000);
