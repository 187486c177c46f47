import { describe, expect, it, test } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { EVENT_TYPE_NAMES } from './event-types.js';

const database = migratedDatabase('webhook_deliveries', 'webhook_endpoints');

interface Change {
  readonly before: string | null;
  readonly after: string;
  readonly reason?: string;
  readonly drifted?: boolean;
  readonly strays?: boolean;
}

async function typesOf({ before, after, reason = 'x', drifted = false, strays = false }: Change): Promise<string[]> {
  const [row] = await database().rows<{ types: string[] }>(
    sql`select reservation_event_types(${before}, ${after}, ${reason}, ${drifted}, ${strays}) as types`,
  );
  return row?.types ?? [];
}

describe('the events of a change of a reservation', () => {
  test.each<[Change, string[]]>([
    [{ before: null, after: 'pending' }, ['created']],
    [{ before: 'pending', after: 'confirmed' }, ['confirmed']],
    [{ before: 'pending', after: 'confirmed', drifted: true }, ['confirmed', 'price_drift']],
    [{ before: 'pending', after: 'unknown' }, []],
    [{ before: 'pending', after: 'failed' }, ['failed']],
    [{ before: 'unknown', after: 'confirmed' }, ['confirmed']],
    [{ before: 'unknown', after: 'confirmed', reason: 'changed: dates' }, ['changed']],
    [{ before: 'unknown', after: 'manual_review' }, ['review_opened']],
    [{ before: 'manual_review', after: 'manual_review' }, []],
    [{ before: 'manual_review', after: 'cancelled' }, ['review_resolved', 'cancelled']],
    [{ before: 'manual_review', after: 'cancel_unknown' }, ['review_resolved']],
    [{ before: 'on_request', after: 'rejected' }, ['rejected']],
    [{ before: 'on_request', after: 'expired' }, ['expired']],
    [{ before: 'pending', after: 'on_request' }, ['on_request']],
    [{ before: 'confirmed', after: 'completed' }, ['completed']],
    [{ before: 'confirmed', after: 'no_show' }, ['no_show']],
    [{ before: 'confirmed', after: 'modify_pending' }, []],
    [{ before: 'modify_pending', after: 'confirmed', reason: 'changed: remark' }, ['changed']],
    [{ before: 'modify_pending', after: 'confirmed', reason: 'change refused: sold_out' }, ['change_refused']],
    [{ before: 'cancel_pending', after: 'cancelled' }, ['cancelled']],
    [{ before: 'cancel_pending', after: 'confirmed' }, ['cancellation_refused']],
    [{ before: 'cancel_unknown', after: 'on_request' }, ['cancellation_refused']],
    [{ before: 'failed', after: 'manual_review' }, ['late_booking_found', 'review_opened']],
    [{ before: 'failed', after: 'confirmed' }, ['late_booking_found', 'confirmed']],
    [{ before: 'failed', after: 'cancel_unknown' }, ['late_booking_found']],
    [{ before: 'confirmed', after: 'confirmed', strays: true }, ['late_booking_found']],
    [{ before: 'confirmed', after: 'confirmed' }, []],
  ])('%j: %j', async (change, types) => {
    expect(await typesOf(change)).toEqual(types.map((type) => `reservation.${type}`));
  });

  it('are types that an endpoint can choose', async () => {
    const [row] = await database().rows<{ types: string[] }>(sql`
      select array_agg(distinct type) as types from reservation_transitions t,
        unnest(reservation_event_types(t.from_state, t.to_state, 'x', true, true)) as type`);
    expect(row?.types.filter((type) => !(EVENT_TYPE_NAMES as string[]).includes(type))).toEqual([]);
    expect(row?.types.length).toBeGreaterThan(8);
  });
});
