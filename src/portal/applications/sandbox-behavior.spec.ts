import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedFolder } from '../../../test/support/migrated-folder.js';
import { type Database, openDatabase } from '../../database/database.js';
import { UsageReader } from '../../records/usage-reader.js';
import { type BehaviorRequest, sandboxBehavior } from './sandbox-behavior.js';
import { SandboxBehaviorReader } from './sandbox-behavior.service.js';

const NONE = { made: 0, cancelled: 0, active: 0, recent: 0, recentWithKey: 0 };
const NOW = Date.UTC(2027, 0, 5);
/** A request that many seconds ago. */
const ago = (seconds: number, operation: string, status: number, why: string | null = null): BehaviorRequest => ({
  ...{ at: NOW - seconds * 1_000, operation, status, why, isReplay: false },
});
const point = (operation: string, status: number, calls: number) => ({
  ...{ at: 0, operation, status, calls, durationMs: 1 },
});

describe('the behavior of an application in the sandbox', () => {
  test('counts what it did within a minute of partial responses, unless that minute is not over', () => {
    const requests = [
      ago(900, 'searchVehicles', 206),
      ago(890, 'searchVehicles', 206),
      ago(880, 'priceOffer', 200),
      ago(600, 'searchVehicles', 206),
      ago(300, 'searchVehicles', 206),
      ago(299, 'getAccessToken', 200),
      ago(30, 'searchVehicles', 206),
    ];
    const { afterPartial } = sandboxBehavior([], requests.toReversed(), NONE, NOW);
    expect(afterPartial).toEqual({
      ...{ answers: 5, known: 4, repeated: 1, wentOn: 1, other: 1, nothing: 1, withinSecond: 0 },
    });
  });

  test('notices calls within a second of a 429', () => {
    const requests = [ago(100, 'searchVehicles', 429), ago(99.5, 'searchVehicles', 429), ago(90, 'readSearch', 200)];
    const { afterLimited } = sandboxBehavior([], requests, NONE, NOW);
    expect(afterLimited).toMatchObject({ answers: 2, withinSecond: 1, repeated: 1, wentOn: 1 });
  });

  test('counts calls without tokens, and shares of searches that were answered', () => {
    const points = [
      point('getAccessToken', 200, 3),
      point('issueToken', 200, 1),
      point('issueToken', 401, 7),
      point('searchVehicles', 200, 30),
      point('searchVehicles', 206, 10),
      point('searchVehicles', 429, 2),
    ];
    expect(sandboxBehavior(points, [], NONE, NOW)).toMatchObject({
      ...{ calls: 42, tokens: 4, searches: 40, partial: 10, limited: 2, sampled: 0, sampledSince: undefined },
    });
  });

  test('lists errors by status and cause, the most frequent first, at most ten kinds', () => {
    const many = Array.from({ length: 20 }, (_, index) => ago(index + 1, 'priceOffer', 400, `invalid ${index}`));
    const requests = [...many, ago(50, 'priceOffer', 503), ago(51, 'priceOffer', 503)];
    const { errors } = sandboxBehavior([], requests, NONE, NOW);
    expect(errors).toHaveLength(10);
    expect(errors[0]).toEqual({ status: 503, why: 'Service Unavailable', times: 2 });
  });
});

describe('its reader', () => {
  let folder: string;
  let database: Database;
  beforeAll(async () => {
    folder = await migratedFolder();
    database = await openDatabase(undefined, folder);
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  test('reads the newest 500 requests and the bookings of this application only', async () => {
    const rows = (text: string) => database.rows(sql.raw(text));
    await rows(`insert into accounts (id, environment, name, tier) values ('acc_a', 'sandbox', 'A', 'demo')`);
    await rows(`insert into applications (id, account_id, name, environment, tier, client_id)
      select id, 'acc_a', id, 'sandbox', 'demo', id from unnest(array['app_a', 'app_b']) id`);
    await rows(`insert into request_log (application_id, at, request_id, operation, status, duration_ms, trace)
      select app, now() - n * interval '1 second', 'r' || n, 'createReservation', case when app = 'app_b' then 500 when n % 2 = 0 then 400 else 201 end, 5,
        case when n % 2 = 0 then '{"entries":[{"reason":"invalid_request","cause":"idempotency_mismatch"}]}'::json else '{"replayed":true,"entries":[]}'::json end
      from unnest(array['app_a', 'app_b']) app, generate_series(1, 600) n`);
    await rows(`insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version, rental, view,
        payment, sent_until, created_at, updated_at)
      select 'res_' || n || app, 'sandbox', app, 'alpine', 'pending', 'made', 'application', 1,
        json_build_object('dropoffDate', to_char(now() + (n - 3) * interval '2 days', 'YYYY-MM-DD')), '{}', '{}', now(),
        now() - case when n = 1 then interval '2 days' else interval '1 hour' end, now()
      from unnest(array['app_a', 'app_b']) app, generate_series(1, 5) n`);
    await rows(`update reservations set state = 'confirmed', version = 2`);
    await rows(`insert into idempotency_keys (application_id, key, body_hash, reservation_id, created_at)
      values ('app_a', 'k', 'h', 'res_2app_a', now())`);
    const reader = new SandboxBehaviorReader(database, new UsageReader(database));
    expect(await reader.of('app_a')).toMatchObject({
      sampled: 500,
      replays: 250,
      mismatches: 250,
      errors: [{ status: 400, why: 'invalid_request idempotency_mismatch', times: 250 }],
      bookings: { made: 5, cancelled: 0, active: 3, recent: 4, recentWithKey: 1 },
    });
    expect(await reader.of('app_none')).toMatchObject({ sampled: 0, bookings: NONE, errors: [] });
  });
});
