import { type SQL, sql } from 'drizzle-orm';
import { STATES } from './states.js';

/** Which reservations of an environment operators list, as columns of `r`; absent = any. */
export interface OperatorList {
  readonly environment: string;
  /** A state; `attention`: unclear, or with a second booking; `second`: with a second booking; `late`: found at the supplier after it had failed, in the last 30 days; `late_in_review`: of those, the ones in review. */
  readonly state?: string | undefined;
  readonly application?: string | undefined;
  /** An id, confirmation number or client reference. */
  readonly text?: string | undefined;
  /** Further conditions. */
  readonly and: readonly SQL[];
}

const UNCLEAR = ['unknown', 'cancel_unknown', 'manual_review'];
const WITH_SECOND = sql`r.strays is not null`;
const FAILED_BEFORE = sql`exists (select from reservation_events e where e.reservation_id = r.id and e.from_state = 'failed')`;

/** Reservations `r` in review that the supplier showed after they had failed. */
export const LATE_IN_REVIEW = sql`r.state = 'manual_review' and ${FAILED_BEFORE}`;

/** In which order a list is, with the columns of an index: newest or oldest first, or those first that have waited longest since their last change. */
const ORDERS = {
  newest: sql`created_at desc, id desc`,
  oldest: sql`created_at, id`,
  waiting: sql`updated_at, id`,
};

/**
 * The ids of the first `most` reservations of a list. A statement for each index that has the order, because rows for an `or` are in
 * the order of none: the list of a million reservations costs as much as one of a hundred.
 */
export function listedIds(list: OperatorList, order: keyof typeof ORDERS, most: number): SQL {
  const all = sql.join([sql`r.environment = ${list.environment}`, ...list.and], sql` and `);
  const first = sql`order by ${ORDERS[order]} limit ${most}`;
  const parts = partsOf(list).map(
    (which) => sql`(select id, created_at, updated_at from reservations r where ${all} and ${which} ${first})`,
  );
  return sql`select id from (${sql.join(parts, sql` union `)}) listed ${first}`;
}

/** The conditions of which a reservation must meet one. */
function partsOf({ environment, state, application, text }: OperatorList): SQL[] {
  const states = statesOf(state);
  if (application === undefined && text === undefined) return states;
  const any = sql`(${sql.join(states, sql` or `)})`;
  if (text === undefined) return [sql`r.application_id = ${application} and ${any}`];
  const own = application === undefined ? any : sql`r.application_id = ${application} and ${any}`;
  // The index of references begins with the application.
  const applications = sql`select a.id from applications a where a.environment = ${environment}`;
  return [
    sql`r.id = ${text} and ${own}`,
    sql`r.confirmation_number = ${text} and ${own}`,
    sql`r.application_id in (${applications}) and r.client_reference = ${text} and ${own}`,
  ];
}

function statesOf(state: string | undefined): SQL[] {
  const are = (names: readonly string[]): SQL[] => names.map((name) => sql`r.state = ${name}`);
  switch (state) {
    case undefined:
      return are(STATES);
    case 'attention':
      return [...are(UNCLEAR), WITH_SECOND];
    case 'second':
      return [WITH_SECOND];
    case 'late':
      return [sql`r.updated_at > now() - interval '30 days' and ${FAILED_BEFORE}`];
    case 'late_in_review':
      return [LATE_IN_REVIEW];
    default:
      return are([state]);
  }
}
