import { type SQL, sql } from 'drizzle-orm';
import { OUTCOMES, type Outcome, type TestClock } from '../auth/test-clocks.js';
import { json } from './reservation-row.js';

/** A confirmed reservation whose rental ends by the test clock of its application. */
export interface DueEnd {
  readonly id: string;
  readonly outcome: Outcome;
}

/**
 * When a rental ends by the clock, in UTC text that sorts by time. As in the indexes reservations_dropoffs and reservations_pickups,
 * which PostgreSQL uses only for these expressions.
 */
const ENDS_AT: Readonly<Record<Outcome, SQL>> = {
  completed: sql.raw(`((view -> 'dropoff' ->> 'date_utc') collate "C")`),
  no_show: sql.raw(`((view -> 'pickup' ->> 'date_utc') collate "C")`),
};

/**
 * Selects up to `limit` DueEnd in turns between accounts, of each account first those that ended longest ago. Run it with byIndex:
 * then the work depends on how many applications have a clock, not on how many reservations they have, of which an account
 * may have 100,000.
 */
export function dueEndsStatement(
  clocks: readonly (TestClock & { readonly application: string })[],
  limit: number,
): SQL {
  const due = OUTCOMES.map((outcome) => dueOf(outcome, limit));
  return sql`
    with clocks as materialized (
      select c.application, c.outcome, coalesce(a.account_id, c.application) as account,
        to_char((now() + make_interval(secs => c."aheadMs" / 1000)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as time
      from json_to_recordset(${json(clocks)}) as c(application text, "aheadMs" float8, outcome text)
      left join applications a on a.id = c.application),
    due as (${sql.join(due, sql` union all `)})
    select id, outcome from due order by row_number() over (partition by account order by ends_at, id), id limit ${limit}`;
}

/** The reservations of each application with this outcome whose rentals ended longest ago. */
function dueOf(outcome: Outcome, limit: number): SQL {
  const endsAt = ENDS_AT[outcome];
  return sql`select first.id, c.outcome, c.account, first.ends_at from clocks c cross join lateral (
    select id, ${endsAt} as ends_at from reservations
    where application_id = c.application and environment = 'sandbox' and state = 'confirmed' and ${endsAt} <= c.time
    order by application_id, ${endsAt} limit ${limit}) first
    where c.outcome = ${outcome}`;
}
