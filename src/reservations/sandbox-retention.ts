import { sql } from 'drizzle-orm';
import type { Config } from '../config/config.module.js';
import { byIndex, FOUND_BY_INDEX } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { AWAITED_STATES } from './states.js';

const DAY_MS = 86_400_000;

/**
 * The instant, in epoch milliseconds, since which a reservation must have changed so that it wasn't deleted. Production deletes none:
 * -Infinity.
 */
export function keptSince({ environment, reservations }: Config, now: number): number {
  return environment === 'sandbox' ? now - reservations.sandboxDays * DAY_MS : Number.NEGATIVE_INFINITY;
}

/**
 * Deletes up to `most` reservations of the sandbox that didn't change since an instant, the oldest first, with their history and
 * Idempotency-Keys. One whose outcome is still being found out stays. Their request records are gone by then (`records.days`). Returns
 * how many it deleted: fewer than `most` = none is left, or another gateway deletes them. Rejects with the driver's error if the database is unavailable.
 */
export async function deleteUnchanged(
  { tables }: Pick<Database, 'tables'>,
  since: number,
  most: number,
): Promise<number> {
  const which = sql`environment = 'sandbox' and updated_at < ${new Date(since).toISOString()}::timestamptz
    and state not in ${[...AWAITED_STATES]}`;
  const found = await byIndex(tables)<{ readonly id: string }>(
    sql`select id from reservations where ${which} order by updated_at limit ${most}`,
  );
  if (found.length === 0) return 0;
  const deleted = await byIndex(
    tables,
    FOUND_BY_INDEX,
  )(sql`
    with unchanged as materialized (
      select id from reservations where id in ${found.map(({ id }) => id)} and ${which} for update skip locked),
    history as (delete from reservation_events e using unchanged u where e.reservation_id = u.id),
    keys as (delete from idempotency_keys k using unchanged u where k.reservation_id = u.id)
    delete from reservations r using unchanged u where r.id = u.id returning r.id`);
  return deleted.length;
}
