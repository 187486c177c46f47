import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import type { TestClock } from '../auth/test-clocks.js';
import { configSchema } from '../config/config.schema.js';
import { reservationIn } from './fixtures/sample-reservation.js';
import { RentalEnds } from './rental-ends.js';
import type { Move, Reservation } from './reservation.js';

const DAY_MS = 86_400_000;
/** More than a round ends. */
const MANY = 120;
const BATCH_SIZE = 50;

const database = migratedDatabase('reservation_events', 'reservations', 'applications', 'accounts');

/** The whole second in so many days, as in the view of a reservation. */
function utcIn(days: number): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 19)}Z`;
}

/** Confirmed reservations of an application, whose account has the same name: ids `res_<application>_<number>`, from 1 on. */
async function confirmed(application: string, count: number, pickupDays: number, dropoffDays: number): Promise<void> {
  const view = JSON.stringify({ pickup: { date_utc: utcIn(pickupDays) }, dropoff: { date_utc: utcIn(dropoffDays) } });
  await withoutTriggers(
    database(),
    `insert into accounts (id, environment, name, tier) values ('acc_${application}', 'sandbox', 'a', 'demo') on conflict do nothing`,
    `insert into applications (id, account_id, name, client_id, environment, tier)
      values ('${application}', 'acc_${application}', 'a', '${application}', 'sandbox', 'demo') on conflict do nothing`,
    `insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor, version,
        rental, view, payment, sent_until, created_at, updated_at)
      select 'res_${application}_' || n, '${application}', 'acc_${application}', 'sandbox', 'uno', 'confirmed', 'booked', 'gateway', 2,
        '{}', '${view}', '{}', now(), now(), now() from generate_series(1, ${count}) n`,
  );
}

/** Ends of rentals that only note what ends; `broken` are ids of reservations that can't be read. */
function endsBy(clocks: Readonly<Record<string, TestClock>>, broken: ReadonlySet<string> = new Set()) {
  const ended: string[] = [];
  const errors: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => errors.push(line) });
  const repository = {
    now: () => Date.now(),
    get: async (id: string): Promise<Reservation> => {
      if (broken.has(id)) throw new Error('cannot be decrypted');
      return { ...reservationIn('confirmed'), id };
    },
  };
  const writer = {
    move: async ({ id }: Reservation, { to }: Move): Promise<undefined> => {
      await withoutTriggers(database(), `update reservations set state = '${to}' where id = '${id}'`);
      ended.push(`${id} ${to}`);
    },
  };
  const all = new Map(Object.entries(clocks));
  const ends = new RentalEnds({ all }, repository, writer, database(), configSchema.parse({}), logger);
  return { ends, ended, errors };
}

const ahead = (days: number, outcome: TestClock['outcome'] = 'completed'): TestClock => ({
  aheadMs: days * DAY_MS,
  outcome,
});

/** How many reservations the database has read since its start. */
async function read(): Promise<number> {
  await database().rows(sql`select pg_stat_force_next_flush()`);
  const [row] = await database().rows<{ count: number }>(
    sql`select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_user_tables where relname = 'reservations'`,
  );
  return row?.count ?? Number.NaN;
}

describe('ends of rentals by test clocks', () => {
  it('ends what is due by the clock of its application and nothing else', async () => {
    await confirmed('app_due', 2, 1, 3);
    await confirmed('app_early', 1, 1, 5);
    await confirmed('app_shown', 1, 1, 5);
    await confirmed('app_real', 1, -5, -1);
    const clocks = { app_due: ahead(4), app_early: ahead(4), app_shown: ahead(4, 'no_show') };
    const { ends, ended } = endsBy(clocks);
    await ends.endDue();
    expect(ended.sort()).toEqual(['res_app_due_1 completed', 'res_app_due_2 completed', 'res_app_shown_1 no_show']);
  });

  claim(
    'API4',
    'Ending rentals by a test clock reads only those that are due, however many reservations an application has.',
    async () => {
      await confirmed('app_many', 5_000, 10, 12);
      await confirmed('app_shown', 5_000, 10, 12);
      const { ends, ended } = endsBy({ app_many: ahead(1), app_shown: ahead(1, 'no_show') });
      const before = await read();
      await ends.endDue();
      expect([ended, (await read()) - before]).toEqual([[], 0]);
    },
  );

  claim(
    'API4',
    'Rentals end by test clocks in turns between accounts, so that no account waits for the reservations of another one.',
    async () => {
      await confirmed('app_a_flood', MANY, -3, -1);
      await confirmed('app_b', 1, -3, -1);
      const { ends, ended } = endsBy({ app_a_flood: ahead(1), app_b: ahead(1) });
      await ends.endDue();
      expect(ended.length).toBe(MANY + 1);
      expect(ended.indexOf('res_app_b_1 completed')).toBeLessThan(BATCH_SIZE);
    },
  );

  it('reports a rental that cannot end, and ends the others', async () => {
    await confirmed('app_a', MANY, -3, -1);
    const broken = new Set(Array.from({ length: 3 }, (_, n) => `res_app_a_${n + 1}`));
    const { ends, ended, errors } = endsBy({ app_a: ahead(1) }, broken);
    await ends.endDue();
    expect(ended.length).toBe(MANY - broken.size);
    expect(errors.length).toBeGreaterThanOrEqual(broken.size);
  });

  it('stops a round in which no rental can end', async () => {
    await confirmed('app_a', MANY, -3, -1);
    const broken = new Set(Array.from({ length: MANY }, (_, n) => `res_app_a_${n + 1}`));
    const { ends, ended, errors } = endsBy({ app_a: ahead(1) }, broken);
    await ends.endDue();
    expect(ended).toEqual([]);
    expect(errors.length).toBe(BATCH_SIZE);
  });
});
