import { expect, test } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../../../test/support/migrated-database.js';
import { subjectMark } from '../../../records/request-marks.js';
import { CertificationReader } from './certification-reader.service.js';

const database = migratedDatabase();
const ROUNDS = 12;
const REQUESTS = 150;
/** How much longer than parsing each trace once; for each part once, it is ten times. */
const MARGIN = 4;

/** The quickest of some runs, in milliseconds: what other processes take meanwhile doesn't count. */
async function quickest(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await run();
    times.push(performance.now() - startedAt);
  }
  return Math.min(...times);
}

test('each trace is parsed a few times at most, not once for each part', async () => {
  const suppliers = Array.from({ length: 100 }, (_, number) => `supplier${number}`);
  const timed = {
    operation: 'search',
    outcome: 'failed',
    cause: 'timeout',
    timeoutMs: 4_000,
    startMs: 1.5,
    endMs: 400.1,
  };
  const trace = {
    budgetMs: 8_000,
    calls: suppliers.map((supplier) => ({ supplier, ...timed, exchanges: [[1, 2, 3, 4]] })),
    skipped: [],
    entries: suppliers.map((supplier) => ({ reason: 'resource_failure', cause: 'timeout', supplier })),
    marks: { token: 't', same: 's', paged: true, wait: 1.5, retry: 'new-key' },
  };
  const plain = { budgetMs: 8_000, calls: [], skipped: [], entries: [] };
  await database().rows(sql`insert into request_log (application_id, at, request_id, operation, status, duration_ms, trace)
    select 'app_1', now() - i * interval '1 second', 'req_' || i, 'searchVehicles', 429, 900,
      case when i = 1 then ${JSON.stringify(plain)}::json else ${JSON.stringify(trace)}::json end from generate_series(1, ${REQUESTS}) i`);
  const reader = new CertificationReader(database());
  const { requests, judged } = await reader.of('app_1');
  expect([requests, judged.find(({ behavior }) => behavior.id === 'waits_after_429')?.verdict]).toEqual([
    REQUESTS,
    'failed',
  ]);
  const once = await quickest(() =>
    database().rows(sql`select trace -> 'marks' as marks from request_log where application_id = 'app_1' order by at`),
  );
  expect(await quickest(() => reader.of('app_1'))).toBeLessThan(MARGIN * once);
});

claim(
  'API4',
  'The certification of an application with 500 bookings and 20,000 events takes no more than seconds.',
  async () => {
    await withoutTriggers(
      database(),
      `insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor, version,
        rental, view, payment, sent_until, created_at, updated_at)
      select 'res_' || n, 'app_2', 'acc_2', 'sandbox', 'uno', 'cancelled', 'asked', 'caller', 2, '{}', '{}', '{}', now(), now(), now()
      from generate_series(1, 500) n`,
      `insert into reservation_events (reservation_id, version, from_state, to_state, reason, actor, at)
      select 'res_' || n, 2, 'confirmed', 'cancelled', 'asked', 'caller', now() from generate_series(1, 500) n`,
      `insert into webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data, state, last_at)
      select 'sandbox', 'app_2', 'whe_' || n % 5, 'evt_' || n, 'reservation.cancelled', 'res_' || n % 500, now(), '{}', 'delivered', now()
      from generate_series(1, 20000) n`,
    );
    const began = performance.now();
    await new CertificationReader(database()).of('app_2');
    expect(performance.now() - began).toBeLessThan(3_000);
  },
);

test('an outcome was followed if an event since then was delivered, and not if only one before was', async () => {
  const request = (id: string) => {
    const trace = { entries: [], marks: { subject: subjectMark('app_3', id) } };
    return `insert into request_log (application_id, at, request_id, operation, status, duration_ms, trace)
      values ('app_3', now() - interval '30 min', 'req_${id}', 'createReservation', 202, 1, '${JSON.stringify(trace)}')`;
  };
  const booking = (id: string, sinceOutcome: string) => [
    `insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor, version,
        rental, view, payment, sent_until, created_at, updated_at)
      values ('${id}', 'app_3', 'acc_3', 'sandbox', 'uno', 'confirmed', 'x', 'gateway', 2, '{}', '{}', '{}', now(), now() - interval '31 min', now())`,
    `insert into reservation_events (reservation_id, version, from_state, to_state, reason, actor, at)
      values ('${id}', 2, 'unknown', 'confirmed', 'x', 'gateway', now() - interval '20 min')`,
    `insert into webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data, state, last_at)
      values ('sandbox', 'app_3', 'whe_1', 'evt_${id}', 'reservation.confirmed', '${id}', now() - interval '20 min' + interval '${sinceOutcome}',
        '{}', 'delivered', now() - interval '10 min')`,
    request(id),
  ];
  await withoutTriggers(database(), ...booking('res_told', '0 s'), ...booking('res_untold', '-1 s'));
  const { judged } = await new CertificationReader(database()).of('app_3');
  const followed = judged.find(({ behavior }) => behavior.id === 'outcome_followed');
  expect(followed).toMatchObject({ verdict: 'failed', shown: ['req_res_untold'] });
});
