import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { PersonalData } from './personal-data.js';

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
    expect(await data().eraseEnded(0, 10)).toBe(3);
    expect([await leftOf('app_old'), await leftOf('app_new'), await leftOf('app_none')]).toEqual([1, 2, 2]);
  });

  it('leaves what ended more recently', async () => {
    expect(await data().eraseEnded(DAY_MS, 10)).toBe(0);
    expect(await data().eraseEnded(30 * 60_000, 10)).toBe(1);
  });
});

claim(
  'API4',
  'Erasing 500 reservations of an application that logged 20,000 bookings delays erasure for the others by seconds at most.',
  async () => {
    await cancelled('app_busy', 500, 600);
    await logged('app_busy', 20_000, 1);
    const began = performance.now();
    expect(await data().eraseEnded(0, 500)).toBe(500);
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
  const before = await reads();
  expect(await data().eraseEnded(DAY_MS, 500)).toBe(0);
  expect(await data().eraseEnded(300 * 60_000, 500)).toBe(1);
  await database().rows(sql`select pg_stat_force_next_flush()`);
  expect((await reads()) - before).toBe(0);
});
