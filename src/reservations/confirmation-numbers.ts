import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { ApiError } from '../status/api-error.js';
import type { Reservation } from './reservation.js';
import { hasEnded, STATES } from './states.js';

const ENDED = sql.raw(`('${STATES.filter(hasEnded).join("', '")}')`);

/**
 * How long after its dropoff, which is in local time, a rental counts as over: longer than any time zone, and than most
 * returns are late.
 */
const OVER_DAYS = 7;
const OVER_AFTER = sql.raw(`interval '${OVER_DAYS} days'`);

/**
 * Throws ApiError 400 (cause not_changeable) if the rental ended a week ago: the supplier may have given its number again, and would change or
 * cancel the other renter's booking. `now` is in epoch milliseconds.
 */
export function refuseOver({ supplier, rental: { dropoffDate } }: Reservation, now: number): void {
  if (Date.parse(`${dropoffDate}Z`) >= now - OVER_DAYS * 86_400_000) return;
  const details = `The rental ended on ${dropoffDate.slice(0, 10)}. It can be changed and cancelled for ${OVER_DAYS} days after that.`;
  throw ApiError.of('invalid_request', details, { cause: 'not_changeable', supplier });
}

/** Whether a query failed because a confirmation number, or another unique value, is taken (PostgreSQL 23505). */
export function isTaken(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; current = current.cause, depth += 1) {
    if ('code' in current && current.code === '23505') return true;
  }
  return false;
}

/**
 * Stores a reservation, and once more if another one of its supplier and brand has its number but is in a final state, or its rental is
 * over: suppliers give short numbers again. Rejects with the driver's error, which isTaken recognizes, if that one needs it.
 */
export async function storeNumbered<T>(
  store: () => Promise<readonly T[]>,
  { id, supplier, rental, confirmationNumber }: Reservation,
  database: Pick<Database, 'rows'>,
  environment: string,
): Promise<readonly T[]> {
  try {
    return await store();
  } catch (error) {
    if (!isTaken(error) || confirmationNumber === undefined) throw error;
    const same = sql`confirmation_number = ${confirmationNumber} and supplier = ${supplier}
      and (rental ->> 'brand') = ${rental.brand} and environment = ${environment}`;
    const passed = await database.rows(sql`
      update reservations set number_turn = (select max(number_turn) + 1 from reservations where ${same})
      where ${same} and number_turn = 0 and id <> ${id} and (state in ${ENDED}
        or state = 'confirmed' and (rental ->> 'dropoffDate') < to_char((now() - ${OVER_AFTER}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'))
      returning id`);
    if (passed.length === 0) throw error;
    return store();
  }
}

/**
 * Another reservation of the supplier and brand that has this number and has not ended: a supplier that mixes up its bookings may list it as
 * a second one of `own`, and to cancel that would cancel another renter's booking.
 */
export function ofAnother({ id, supplier, rental }: Reservation, number: string, environment: string): SQL {
  return sql`select id from reservations where confirmation_number = ${number} and supplier = ${supplier}
    and (rental ->> 'brand') = ${rental.brand} and environment = ${environment} and number_turn = 0
    and id <> ${id} and state not in ${ENDED} limit 1`;
}

/**
 * What a move to the state sets: a reservation that was in a final state and no longer is, as a late booking, claims its number
 * again.
 */
export function claimedTurn({ state }: Reservation): SQL {
  if (hasEnded(state)) return sql``;
  return sql`number_turn = case when state in ${ENDED} then 0 else number_turn end,`;
}

/**
 * The reservations of an application with a number: of those that one supplier and brand gave it, the one that has it now, which may be
 * older than one that ended since; else the newest.
 */
export function withNumber(applicationId: string, confirmationNumber: string): SQL {
  return sql`where r.id in (select distinct on (supplier, rental ->> 'brand') id from reservations
    where confirmation_number = ${confirmationNumber} and application_id = ${applicationId}
    order by supplier, rental ->> 'brand', number_turn = 0 desc, created_at desc) limit 2`;
}
