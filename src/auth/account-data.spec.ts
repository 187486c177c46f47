import { beforeAll, describe, expect, it } from '@jest/globals';
import { getTableColumns, getTableName, is, sql, Table } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, openEmbedded, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import * as schema from '../database/all-tables.js';
import type { Tables } from '../database/database.js';
import { createPartitions } from '../database/time-partitions.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { AccountData } from './account-data.js';
import { accountExportContract } from './account-export.contract.js';
import { ACCOUNT_ROWS, OTHER_TABLES } from './account-tables.js';
import { ApplicationAdmin } from './application-admin.js';
import { ClientSecrets } from './client-secrets.js';

const config = configSchema.parse({ secret: 'a-secret-of-the-account-data-tests-0123456789' });
const secrets = new ClientSecrets(config, loadKeys(config));

/** Texts that identify the person or that only they may know. */
const TRACES = [
  'Philippinella',
  'hidden.example',
  'secret cars',
  'callback.example',
  'Please approve',
  'trace-of',
  '203.0.113.77',
];

const database = migratedDatabase();
beforeAll(async () => {
  const usage = { name: 'supplier_usage', period: 'month' } as const;
  await createPartitions(database().tables, usage, Date.UTC(2025, 0, 1), Date.UTC(2025, 0, 1));
});

const store = new MemoryStore(0);
const admin = () => new ApplicationAdmin(database(), 'sandbox', secrets, store);
const data = (environment: 'sandbox' | 'production' = 'sandbox') =>
  new AccountData(database(), admin(), store, environment);
const rows = <T = Record<string, unknown>>(text: string) => database().rows<T>(sql.raw(text));

let count = 0;
/** An account with a row in each table about accounts. */
async function fullAccount(): Promise<{ readonly id: string; readonly email: string; readonly app: string }> {
  count += 1;
  const id = `acc_full${count}`;
  const email = `philippinella${count}@hidden.example`;
  await rows(`insert into accounts (id, environment, name, tier, email, password_hash, verified_at)
    values ('${id}', 'sandbox', 'Philippinella', 'standard', '${email}', 'argon-hash', now())`);
  await rows(`insert into products (id, name, path, state) values ('p', 'P', '/p', 'live') on conflict do nothing`);
  const made = await admin().create(
    {
      name: 'Philippinella app',
      description: 'Sells secret cars.',
      accountId: id,
      tier: 'standard',
      products: ['p'],
    },
    id,
  );
  const app = made.applicationId;
  for (const statement of [
    `update applications set redirect_url = 'https://callback.example/philippinella',
      default_scenario = 'trace-of-scenario', allowed_origins = '{https://callback.example}' where id = '${app}'`,
    `insert into account_links (digest, account_id, purpose, expires_at) values ('digest${count}', '${id}', 'reset', now())`,
    `insert into second_factors (account_id, sealed, last_step, recovery_codes) values ('${id}', 'sealed-key', 1, '{hashed-code}')`,
    `insert into outbox (environment, recipient, subject, text, html) values ('sandbox', '${email}', 'Hello', 'sealed-text', 'sealed-html'),
      ('production', '${email}', 'trace-of-decision', 'sealed-text', 'sealed-html')`,
    `insert into notices_sent (key) values ('deprecation:p:v1:${id}')`,
    `insert into beta_applications (application_id, product_id, major, minor) values ('${app}', 'p', 1, 1)`,
    `insert into test_clocks (application_id, ahead_ms, outcome) values ('${app}', 86400000, 'no_show')`,
    `insert into launch_requests (id, application_id, message) values ('lau_${count}', '${app}', 'Please approve')`,
    `insert into audit_events (actor, action, subject, before, after, address)
      values ('${id}', 'name_changed', '${id}', '{"name":"Before"}', '{"name":"Philippinella"}', '203.0.113.77')`,
    `insert into audit_events (actor, action, subject, after, address)
      values ('${id}', 'launch_approved', 'app_of_another', '{"name":"Other"}', '203.0.113.77')`,
    `insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version, client_reference, rental, view,
      personal, payment, sent_until, created_at, updated_at) values ('res_${count}', 'sandbox', '${app}', 'alpine', 'pending', 'new', 'application', 1,
      'order-4711', '{}', '{}', 'sealed-renter', '{}', now(), now(), now())`,
    `insert into webhook_endpoints (id, environment, account_id, application_id, url, secret)
      values ('whe_${count}', 'sandbox', '${id}', '${app}', 'https://callback.example/philippinella', 'sealed-key')`,
    `insert into webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data)
      values ('sandbox', '${app}', 'whe_${count}', 'evt_${count}', 'webhook.test', 'whe_${count}', now(), '{}')`,
    `insert into idempotency_keys (application_id, key, body_hash, reservation_id, created_at) values ('${app}', 'hashed-key', 'hashed-body', 'res_${count}', now())`,
    `insert into usage_counters values ('${app}', '2025-01-01T10:00:00Z', 'searchVehicles', 200, 3, 30)`,
    `insert into usage_counters values ('${app}', '2025-01-01T11:00:00Z', 'searchVehicles', 200, 4, 40)`,
    `insert into supplier_usage values ('${app}', '2025-01-01T10:00:00Z', 'alpine', 'searchVehicles', 'answered', 3, 0, '{}', 9, 1, 0, 0, 0)`,
    `insert into request_log values ('${app}', now(), 'trace-of-caller', 'searchVehicles', 200, 10, '{}')`,
  ])
    await rows(statement);
  return { id, email, app };
}

async function exported(idOrEmail: string) {
  const parts: string[] = [];
  const from = data();
  for await (const part of from.export(await from.find(idOrEmail), 'ops')) parts.push(part);
  return { parts, text: parts.join(''), body: JSON.parse(parts.join('')) as Record<string, Record<string, unknown>[]> };
}

describe('what is kept about an account', () => {
  it('is known for every table: whose rows they are, what is exported, what deletion does', () => {
    const tables = Object.values(schema)
      .filter((value) => is(value, Table))
      .map((table) => getTableName(table as Table));
    expect([...new Set([...ACCOUNT_ROWS.map(({ table }) => table), ...OTHER_TABLES])].sort()).toEqual(tables.sort());
  });

  it.each([
    ['accounts', 'id environment name tier email verified_at role created_at'],
    ['account_links', 'account_id purpose created_at expires_at used_at'],
    ['second_factors', 'account_id created_at'],
    ['outbox', 'id environment at recipient subject'],
    ['client_secrets', 'id application_id created_at expires_at revoked_at last_used_at'],
    [
      'reservations',
      'id environment account_id application_id supplier state state_reason state_actor version confirmation_number client_reference price_drift cancellation created_at updated_at',
    ],
    ['idempotency_keys', 'application_id reservation_id created_at'],
    [
      'webhook_endpoints',
      'id environment account_id application_id url description events state previous_until failures failing_since resume_at tested_at created_at',
    ],
  ])('no new column of %s is exported unless this test is changed', (name, columns) => {
    const [table] = Object.values(schema).filter(
      (value) => is(value, Table) && getTableName(value) === name,
    ) as Table[];
    const { hidden = [] } = ACCOUNT_ROWS.find((entry) => entry.table === name) ?? {};
    const shown = Object.values(getTableColumns(table as Table))
      .map((column) => column.name)
      .filter((column) => !hidden.includes(column));
    expect(shown).toEqual(columns.split(' '));
  });
});

describe('an export', () => {
  it('has all rows of the account, without secrets, digests and renters, and is audited', async () => {
    const { id, email, app } = await fullAccount();
    await fullAccount();
    const { text, body } = await exported(email.toUpperCase());
    expect(Object.keys(body)).toEqual(['exported_at', 'environment', ...ACCOUNT_ROWS.map(({ name }) => name)]);
    expect(Object.entries(body).filter(([, value]) => Array.isArray(value) && value.length === 0)).toEqual([]);
    expect(body.account).toMatchObject([{ id, email, name: 'Philippinella' }]);
    expect(body.applications).toMatchObject([{ id: app, description: 'Sells secret cars.' }]);
    expect(body.usage_by_day).toEqual([
      { application_id: app, day: '2025-01-01', operation: 'searchVehicles', status: 200, calls: 7, duration_ms: 70 },
    ]);
    expect(body.requests).toMatchObject([{ request_id: 'trace-of-caller' }]);
    expect(body.queued_emails?.map(({ environment }) => environment)).toEqual(['sandbox', 'production']);
    expect(body.reservations).toMatchObject([{ client_reference: 'order-4711' }]);
    expect(body.actions?.map(({ subject }) => subject)).toEqual([app, id, 'app_of_another']);
    for (const secret of ['argon-hash', 'digest', 'sealed', 'hashed', 'hmac', 'Other'])
      expect(text.replaceAll('order-4711', '')).not.toContain(secret);
    expect(text).not.toMatch(/acc_full(?!\d*1")/);
    expect(
      await rows(`select actor from audit_events where action = 'account_exported' and subject = '${id}'`),
    ).toEqual([{ actor: 'ops' }]);
  });

  it('is complete, however many rows there are, in parts of at most 100', async () => {
    const { id, app } = await fullAccount();
    await rows(
      `insert into request_log select '${app}', now() - (n / 3) * interval '1 ms', 'more-' || n, 'searchVehicles', 200, 1, '{}' from generate_series(1, 2345) n`,
    );
    await rows(
      `insert into usage_counters select '${app}', '2025-02-01T10:00:00Z'::timestamptz + n * interval '1 day', 'searchVehicles', 200, 1, 1 from generate_series(1, 234) n`,
    );
    const { body, parts } = await exported(id);
    expect(Math.max(...parts.map((part) => part.split('\n{').length - 1))).toBe(100);
    expect(body.usage_by_day).toHaveLength(235);
    expect(new Set(body.requests?.map(({ request_id }) => request_id)).size).toBe(2_346);
  }, 30_000);

  it('has the history of its reservations without reading that of other accounts', async () => {
    const [{ id, app }, other] = [await fullAccount(), await fullAccount()];
    const [{ columns } = { columns: '' }] = await rows<{ columns: string }>(
      "select string_agg(attname, ', ') as columns from pg_attribute where attrelid = 'reservations'::regclass and attnum > 0 and attname not in ('id', 'confirmation_number', 'quote_digest')",
    );
    const copies = (application: string, most: number) =>
      `insert into reservations (id, ${columns}) select 'res_' || md5('${application}' || n), ${columns}
        from (select * from reservations where application_id = '${application}' limit 1) one, generate_series(1, ${most}) n`;
    const history = `insert into reservation_events (reservation_id, version, from_state, to_state, at, actor, reason)
      select id, v, null, 'pending', now(), 'gateway', 'copied' from reservations, generate_series(101, 102) v where id ~ '^res_[0-9a-f]{32}$'`;
    await withoutTriggers(
      database(),
      copies(app, 250),
      copies(other.app, 4_000),
      history,
      'analyze reservations, reservation_events',
    );
    const read = async () => {
      await rows('select pg_stat_force_next_flush()');
      const [row] = await rows<{ n: number }>(
        "select (select sum(seq_tup_read) from pg_stat_user_tables where relname = 'reservation_events')::int + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'reservation_events')::int as n",
      );
      return row?.n ?? 0;
    };
    const before = await read();
    const { body } = await exported(id);
    expect(body.reservation_history?.filter(({ reason }) => reason === 'copied')).toHaveLength(500);
    expect((await read()) - before).toBeLessThan(2_000);
  }, 60_000);

  it.each(['export', 'deletion'] as const)(
    'costs as much for the last part of 20,000 requests as for the first: %s',
    async (kind) => {
      const { id, app } = await fullAccount();
      await rows(
        `insert into request_log select '${app}', now() - n * interval '1 s', 'many-' || n, 'searchVehicles', 200, 1, '{}' from generate_series(1, 20000) n`,
      );
      const took: number[] = [];
      const transaction = async (work: Parameters<Tables['transaction']>[0]) => {
        const startedAt = performance.now();
        const found = await database().tables.transaction(work);
        if (Array.isArray(found) && found.length === (kind === 'export' ? 100 : 1_000))
          took.push(performance.now() - startedAt);
        return found;
      };
      const tables = new Proxy(database().tables, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (name === 'transaction') return transaction;
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const watched = { ...database(), tables, reports: { ...database().reports, tables, rows: database().rows } };
      const subject = new AccountData(watched, admin(), store, 'sandbox');
      if (kind === 'deletion') await subject.delete(await subject.find(id), id);
      else for await (const _ of subject.export(await subject.find(id), id));
      const median = (some: number[]) => some.toSorted((one, two) => one - two)[Math.floor(some.length / 2)] ?? 0;
      expect(took.length).toBe(kind === 'export' ? 200 : 20);
      // Ordering all rows for each part would make the first ones the slowest.
      const [first, last] = [median(took.slice(0, took.length / 4)), median(took.slice(-took.length / 4))];
      expect(first).toBeLessThan(4 * last);
      expect(last).toBeLessThan(4 * first);
    },
    60_000,
  );

  it('of an unknown account is an error', async () => {
    await expect(exported('nobody@example.com')).rejects.toThrow('no account found for nobody@example.com');
  });
});

accountExportContract('PGlite', openEmbedded);

describe('a deletion', () => {
  /** Every row of every table that names the account, its application or its address. */
  const rowsAbout = async (...names: readonly string[]): Promise<readonly { table: string; row: string }[]> => {
    const tables = Object.values(schema)
      .filter((value) => is(value, Table))
      .map((table) => getTableName(table as Table));
    const found = await Promise.all(
      tables.map((table) =>
        rows<{ table: string; row: string }>(`select '${table}' as table, row_to_json(t)::text as row from ${table} t`),
      ),
    );
    return found.flat().filter(({ row }) => names.some((name) => row.includes(name)));
  };
  const tablesOf = (found: readonly { readonly table: string }[]) => [...new Set(found.map(({ table }) => table))];

  /** What a new column of the table must be filled with above, so that the test notices if a deletion leaves it. */
  const emptyColumns = async (table: string, id: string): Promise<readonly string[]> => {
    const [found] = await rows<{ row: object }>(`select row_to_json(t) as row from ${table} t where id = '${id}'`);
    return Object.entries(found?.row ?? {}).flatMap(([name, value]) =>
      value?.length === 0 || value === null ? [name] : [],
    );
  };

  claim(
    ['personal-data'],
    'When an account is deleted, no table keeps its name, address, texts, secrets or requests; its sessions and tokens end.',
    async () => {
      const { id, email, app } = await fullAccount();
      const owner = { accountId: id, applicationId: app };
      const application = { perMinute: 60, burst: 10 };
      const policy = {
        ...owner,
        clientId: 'c',
        environment: 'sandbox',
        products: [],
        limits: { application },
      } as const;
      await store.saveToken({ ...owner, digest: 'token', secretId: 'sec', lifetimeMs: 60_000 }, policy, 10);
      const at = Date.now();
      await store.saveSession('session', { accountId: id, generation: 0, createdAtMs: at, confirmedAtMs: at }, 60_000);
      expect([await store.inspect(owner, 'token'), await store.readSession(id, 'session')]).not.toContain(undefined);

      const before = await rowsAbout(id, app, email);
      expect(TRACES.filter((trace) => !before.some(({ row }) => row.includes(trace)))).toEqual([]);
      // Each row of the history names its reservation only.
      expect(ACCOUNT_ROWS.map(({ table }) => table).filter((table) => !tablesOf(before).includes(table))).toEqual([
        'reservation_events',
      ]);
      expect(await emptyColumns('accounts', id)).toEqual(['erasing_since']);
      expect(await emptyColumns('applications', app)).toEqual(['launched_from', 'judged_from']);
      await data().delete(await data().find(email), id);
      expect([await store.inspect(owner, 'token'), await store.readSession(id, 'session')]).toEqual([
        undefined,
        undefined,
      ]);

      const left = await rowsAbout(id, app, email);
      const kept = ['accounts', 'applications', 'audit_events', 'idempotency_keys', 'reservations'];
      expect(tablesOf(left).toSorted()).toEqual(kept);
      expect(left.filter(({ row }) => TRACES.some((trace) => row.includes(trace)))).toEqual([]);
      expect(left.filter(({ row }) => /argon|hashed-code|sealed-(?!renter)|(?<!quote_)digest/.test(row))).toEqual([]);
      expect(await rows(`select name, email, password_hash, verified_at from accounts where id = '${id}'`)).toEqual([
        { name: 'deleted', email: null, password_hash: null, verified_at: null },
      ]);
      expect(await rows(`select state, name, description from applications where id = '${app}'`)).toEqual([
        { state: 'deleted', name: 'deleted', description: '' },
      ]);
      await expect(data().find(email)).rejects.toThrow('no account found');
    },
  );

  it('leaves other accounts, the history of what an operator did, and reservations', async () => {
    const [one, other] = [await fullAccount(), await fullAccount()];
    const { text } = await exported(other.id);
    await data().delete(await data().find(one.id), 'ops');
    const after = await exported(other.id);
    expect(after.body.applications).toEqual((JSON.parse(text) as typeof after.body).applications);
    expect(after.body.requests).toHaveLength(1);
    expect(
      await rows(`select after from audit_events where actor = '${one.id}' and action = 'launch_approved'`),
    ).toEqual([{ after: { name: 'Other' } }]);
    expect(await rows(`select id from reservations where application_id = '${one.app}'`)).toHaveLength(1);
    expect(
      await rows(`select actor from audit_events where action = 'account_deleted' and subject = '${one.id}'`),
    ).toEqual([{ actor: 'ops' }]);
  });

  it("leaves the requests of others in the same places of another day's partition", async () => {
    const [one, other] = [await fullAccount(), await fullAccount()];
    await rows('truncate request_log');
    const later = Date.now() + 30 * 86_400_000;
    await createPartitions(database().tables, { name: 'request_log', period: 'day' }, Date.now(), later);
    const insert = (app: string, at: number) =>
      rows(`insert into request_log select '${app}', '${new Date(at).toISOString()}', 'req-' || n, 'searchVehicles', 200, 1, '{}'
        from generate_series(1, 30) n`);
    await insert(one.app, Date.now());
    await insert(other.app, later);
    await data().delete(await data().find(one.id), one.id);
    expect(await rows('select application_id as app, count(*)::int as requests from request_log group by 1')).toEqual([
      { app: other.app, requests: 30 },
    ]);
  });

  it('leaves the account with the same address in the other environment, whose data is not exported either', async () => {
    const { id, email } = await fullAccount();
    const other = `acc_live${count}`;
    await rows(
      `insert into accounts (id, environment, name, tier, email) values ('${other}', 'production', 'Live', 'standard', '${email}')`,
    );
    await rows(
      `insert into outbox (environment, recipient, subject, text, html) values ('production', '${email}', 'Live', 'x', 'y')`,
    );
    expect((await exported(email)).text).not.toMatch(/acc_live|Live/);
    await expect(data().find(other)).rejects.toThrow('no account found');
    await data().delete(await data().find(email), id);
    expect((await data('production').find(email)).accountId).toBe(other);
    expect(await rows(`select subject from outbox where recipient = '${email}'`)).toEqual([
      { subject: 'trace-of-decision' },
      { subject: 'Live' },
    ]);
  });

  it('frees the address for a new account, and can be repeated if it was interrupted', async () => {
    const { id, email, app } = await fullAccount();
    await admin().remove(app, id);
    await data().delete(await data().find(email), id);
    await rows(
      `insert into accounts (id, environment, name, tier, email) values ('acc_again${count}', 'sandbox', 'Again', 'standard', '${email}')`,
    );
    expect((await data().find(email)).accountId).toBe(`acc_again${count}`);
  });
});
