import { beforeEach, describe, expect, it } from '@jest/globals';
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import type { Database } from '../database/database.js';
import { metrics } from '../metrics/metrics.js';
import { NO_SIMULATORS } from '../suppliers/fixtures/no-simulators.js';
import { PersonalData, PersonalDataRetention } from './personal-data.js';

const DAY_MS = 86_400_000;

const database = migratedDatabase('request_log', 'reservation_events', 'reservations', 'applications', 'accounts');
const data = () => new PersonalData(database(), 'sandbox');

/** Cancelled reservations with personal data that were created and last changed so many minutes ago, ids `res_<application>_<number>`. */
async function cancelled(application: string, count: number, minutesAgo: number): Promise<void> {
  await withoutTriggers(
    database(),
    `insert into accounts (id, environment, name, tier) values ('acc_${application}', 'sandbox', 'a', 'demo') on conflict do nothing`,
    `insert into applications (id, account_id, name, client_id, environment, tier)
      values ('${application}', 'acc_${application}', 'a', '${application}', 'sandbox', 'demo') on conflict do nothing`,
    `insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor, version,
        rental, view, payment, personal, sent_until, created_at, updated_at)
      select 'res_${application}_${minutesAgo}_' || n, '${application}', 'acc_${application}', 'sandbox', 'uno', 'cancelled', 'asked', 'caller', 2,
        '{}', '{}', '{"type":"PrePay"}', 'sealed', now(), now() - interval '${minutesAgo} min', now() - interval '${minutesAgo} min'
      from generate_series(1, ${count}) n`,
  );
}

/** Bookings in the request log, one a second, the newest so many minutes ago, with ids of the caller's own: `<application>-<number>`. */
async function logged(application: string, count: number, minutesAgo: number): Promise<void> {
  await database().rows(sql`insert into request_log (application_id, at, request_id, operation, status, duration_ms, trace)
    select ${application}, now() - n * interval '1 s' - ${minutesAgo} * interval '1 min', ${application} || '-' || n, 'createReservation', 201, 1, '{}'
    from generate_series(0, ${count - 1}::int) n`);
}

const leftOf = async (application: string): Promise<number> => {
  const which = sql`select count(*)::int as n from request_log where application_id = ${application}`;
  const [row] = await database().rows<{ n: number }>(which);
  return row?.n ?? 0;
};

describe('erasing ended reservations', () => {
  beforeEach(async () => {
    await cancelled('app_old', 1, 50);
    await cancelled('app_old', 1, 20);
    await cancelled('app_new', 1, 20);
  });

  it("deletes an application's records since its oldest reservation that is erased, and no other application's", async () => {
    for (const application of ['app_old', 'app_new', 'app_none']) {
      await logged(application, 1, 40);
      await logged(application, 1, 60);
    }
    expect(await data().eraseEnded(0, 10)).toEqual({ found: 3, erased: 3 });
    expect([await leftOf('app_old'), await leftOf('app_new'), await leftOf('app_none')]).toEqual([1, 2, 2]);
  });

  it('leaves what ended more recently', async () => {
    expect(await data().eraseEnded(DAY_MS, 10)).toEqual({ found: 0, erased: 0 });
    expect(await data().eraseEnded(30 * 60_000, 10)).toEqual({ found: 1, erased: 1 });
  });
});

claim(
  'API4',
  'Erasing 500 reservations of an application that logged 20,000 bookings delays erasure for the others by seconds at most.',
  async () => {
    await cancelled('app_busy', 500, 600);
    await logged('app_busy', 20_000, 1);
    const began = performance.now();
    expect(await data().eraseEnded(0, 500)).toEqual({ found: 500, erased: 500 });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await leftOf('app_busy')).toBe(0);
  },
);

it('reads no complete table, whether something is due or not', async () => {
  const reads = async () => {
    const [row] = await database().rows<{ n: number }>(sql`select sum(seq_tup_read)::int as n from pg_stat_user_tables
      where relname = 'reservations' or relname = 'idempotency_keys' or relname like 'request_log%'`);
    return row?.n ?? 0;
  };
  await cancelled('app_many', 2_000, 5);
  await cancelled('app_due', 1, 600);
  await logged('app_many', 2_000, 1);
  await database().rows(sql`analyze`);
  await database().rows(sql`select pg_stat_force_next_flush()`);
  const before = await reads();
  expect(await data().eraseEnded(DAY_MS, 500)).toEqual({ found: 0, erased: 0 });
  expect(await data().eraseEnded(300 * 60_000, 500)).toEqual({ found: 1, erased: 1 });
  await database().rows(sql`select pg_stat_force_next_flush()`);
  expect((await reads()) - before).toBe(0);
});

it('two gateways erase a reservation once, and one that is confirmed meanwhile not at all', async () => {
  await cancelled('app_twice', 5, 600);
  const versions = async () =>
    (await database().rows<{ version: number }>(sql`select version from reservations order by id`)).map(
      (row) => row.version,
    );
  const one = data().eraseEnded(0, 10);
  const other = data().eraseEnded(0, 10);
  const [{ erased: first }, { erased: second }] = [await one, await other];
  expect([first + second, await versions()]).toEqual([5, [3, 3, 3, 3, 3]]);
  await cancelled('app_late', 2, 300);
  // Between the search for due ones and their erasure, the supplier turned out to have the booking.
  const late = new PersonalData(
    changedBefore(sql`update reservations set state = 'confirmed' where id = 'res_app_late_300_1'`),
    'sandbox',
  );
  expect(await late.eraseEnded(0, 10)).toEqual({ found: 2, erased: 1 });
});

it('a record that is written while its reservation is being erased is deleted as well', async () => {
  await cancelled('app_race', 1, 600);
  // The first transaction deletes records, the second one erases.
  const meanwhile = sql`insert into request_log (application_id, at, request_id, operation, status, duration_ms, trace)
    values ('app_race', now(), 'cancel-ada-sample', 'cancelReservation', 204, 1, '{}')`;
  expect(await new PersonalData(changedBefore(meanwhile, 2), 'sandbox').erase('res_app_race_600_1')).toBe(true);
  expect(await leftOf('app_race')).toBe(0);
});

/** The database, which is changed before its first transaction, or that with this number. */
function changedBefore(change: SQL, number = 1): Database {
  let count = 0;
  const tables = new Proxy(database().tables, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
      return async (work: never) => {
        count += 1;
        if (count === number) await withoutTriggers(database(), new PgDialect().sqlToQuery(change).sql);
        return target.transaction(work);
      };
    },
  });
  return { ...database(), tables };
}

it('a round is complete once nothing due is left, and tries fewer together after a failure', async () => {
  await cancelled('app_round', 40, 60 * 24 * 100);
  let fails = 0;
  const limits: number[] = [];
  const failing: Database = {
    ...database(),
    rows: (async (statement: SQL) => {
      limits.push(Number(new PgDialect().sqlToQuery(statement).params.at(-1)));
      if (fails-- > 0) throw new Error('canceling statement due to statement timeout');
      return database().rows(statement);
    }) as Database['rows'],
  };
  const lines: string[] = [];
  const logger = { info: () => undefined, warn: (_: object, text: string) => lines.push(text) } as unknown as Logger;
  const retention = new PersonalDataRetention(
    failing,
    configSchema.parse({ reservations: { sandboxDays: 200 } }),
    logger,
    NO_SIMULATORS,
  );
  const completed = async () =>
    Number(/^forecourt_erasure_last_round_timestamp_seconds (\S+)$/m.exec(await metrics.metrics())?.[1]);
  // Other specs of this process complete rounds as well.
  const before = await completed();
  fails = 4;
  for (let count = 0; count < 4; count += 1) await retention.round();
  expect([lines.length, await completed()]).toEqual([4, before]);
  await retention.round();
  expect(limits).toEqual([500, 125, 31, 7, 1, 2, 4, 8, 16, 32]);
  expect(await completed()).toBeGreaterThan(before);
});
