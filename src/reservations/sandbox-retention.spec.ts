import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { NO_SIMULATORS } from '../suppliers/fixtures/no-simulators.js';
import { PersonalDataRetention } from './personal-data.js';
import { deleteUnchanged, keptSince } from './sandbox-retention.js';

const DAY_MS = 86_400_000;

const database = migratedDatabase('idempotency_keys', 'reservation_events', 'reservations', 'applications', 'accounts');

/** Reservations of an environment with a history and a key that changed so many days ago, ids `res_<name>_<number>`. */
async function reserved(
  name: string,
  count: number,
  days: number,
  state = 'confirmed',
  environment = 'sandbox',
): Promise<void> {
  await withoutTriggers(
    database(),
    `insert into accounts (id, environment, name, tier) values ('acc_${environment}', '${environment}', 'a', 'demo') on conflict do nothing`,
    `insert into applications (id, account_id, name, client_id, environment, tier)
      values ('app_${environment}', 'acc_${environment}', 'a', '${environment}', '${environment}', 'demo') on conflict do nothing`,
    `insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor, version,
        rental, view, payment, personal, sent_until, created_at, updated_at)
      select 'res_${name}_' || n, 'app_${environment}', 'acc_${environment}', '${environment}', 'uno', '${state}', 'asked', 'caller', 2,
        '{"dropoffDate":"2999-01-01T00:00:00"}', '{}', '{}', 'sealed', now(), now() - interval '400 days', now() - interval '${days} days'
      from generate_series(1, ${count}) n`,
    `insert into reservation_events (reservation_id, version, to_state, at, actor, reason)
      select 'res_${name}_' || n, v, '${state}', now(), 'caller', 'asked' from generate_series(1, ${count}) n, generate_series(1, 2) v`,
    `insert into idempotency_keys (application_id, key, body_hash, reservation_id, created_at)
      select 'app_${environment}', '${name}' || n, 'hash', 'res_${name}_' || n, now() from generate_series(1, ${count}) n`,
  );
}

const left = async () => {
  const rows = await database().rows<{ name: string; reservations: number; events: number; keys: number }>(sql`
    select split_part(r.id, '_', 2) as name, count(*)::int as reservations,
      sum((select count(*) from reservation_events e where e.reservation_id = r.id))::int as events,
      sum((select count(*) from idempotency_keys k where k.reservation_id = r.id))::int as keys
    from reservations r group by 1 order by 1`);
  const [others] = await database().rows<{ n: number }>(sql`select
    (select count(*)::int from reservation_events where reservation_id not in (select id from reservations))
    + (select count(*)::int from idempotency_keys where reservation_id not in (select id from reservations)) as n`);
  expect(others?.n).toBe(0);
  return rows.map(({ name, reservations, events, keys }) => `${name} ${reservations} ${events} ${keys}`);
};

const round = (environment: 'sandbox' | 'production') => {
  const settings = { environment, reservations: { sandboxDays: 60 } };
  const config = {
    ...configSchema.parse({}),
    ...configSchema.parse({ reservations: settings.reservations }),
    environment,
  };
  return new PersonalDataRetention(database(), config, pino({ level: 'silent' }), NO_SIMULATORS).round();
};

claim(
  'API4',
  'Reservations of the sandbox that did not change for 90 days (a setting) are deleted with all that belongs to them, wherever their rental is; those of production stay.',
  async () => {
    await reserved('old', 1_200, 61);
    await reserved('review', 3, 61, 'manual_review');
    await reserved('new', 2, 59);
    await reserved('awaited', 1, 61, 'unknown');
    await reserved('real', 2, 600, 'confirmed', 'production');
    await round('production');
    expect(await left()).toEqual(['awaited 1 2 1', 'new 2 4 2', 'old 1200 2400 1200', 'real 2 4 2', 'review 3 6 3']);
    await round('sandbox');
    expect(await left()).toEqual(['awaited 1 2 1', 'new 2 4 2', 'real 2 4 2']);
  },
);

it('tries fewer together after a failure', async () => {
  await reserved('many', 100, 400);
  let isFailing = true;
  const tables = new Proxy(database().tables, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name === 'transaction' && isFailing)
        return () => Promise.reject(new Error('canceling statement due to statement timeout'));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const counts: number[] = [];
  const write = (line: string) => {
    const { msg, count } = JSON.parse(line) as { msg: string; count?: number };
    if (msg.startsWith('deleted')) counts.push(count ?? 0);
  };
  const config = configSchema.parse({ reservations: { sandboxDays: 200 } });
  const retention = new PersonalDataRetention({ ...database(), tables }, config, pino({}, { write }), NO_SIMULATORS);
  for (let failed = 0; failed < 3; failed += 1) await retention.round();
  isFailing = false;
  await retention.round();
  expect(counts).toEqual([7, 14, 28, 51]);
});

it('reads few rows, whether something is to be deleted or not', async () => {
  const reads = async () => {
    await database().rows(sql`select pg_stat_force_next_flush()`);
    const [row] = await database().rows<{
      n: number;
    }>(sql`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n
      from pg_stat_user_tables where relname in ('reservations', 'idempotency_keys', 'reservation_events')`);
    return row?.n ?? 0;
  };
  await reserved('new', 2_000, 10);
  await reserved('real', 2_000, 100, 'confirmed', 'production');
  await reserved('old', 5, 100);
  await database().rows(sql`analyze`);
  const before = await reads();
  expect(await deleteUnchanged(database(), Date.now() - 200 * DAY_MS, 500)).toBe(0);
  expect(await deleteUnchanged(database(), Date.now() - 90 * DAY_MS, 3)).toBe(3);
  expect(await deleteUnchanged(database(), Date.now() - 90 * DAY_MS, 3)).toBe(2);
  expect((await reads()) - before).toBeLessThan(100);
});

it('one that has just changed stays, and production has no limit', async () => {
  await reserved('old', 2, 100);
  await database().rows(sql`update reservations set version = 3, updated_at = now() where id = 'res_old_1'`);
  expect(await deleteUnchanged(database(), Date.now() - 90 * DAY_MS, 500)).toBe(1);
  expect(await left()).toEqual(['old 1 3 1']);
  const config = configSchema.parse({});
  expect(keptSince({ ...config, environment: 'production' }, Date.now())).toBe(Number.NEGATIVE_INFINITY);
  expect(keptSince({ ...config, environment: 'sandbox' }, 90 * DAY_MS)).toBe(0);
});
