import { type SQL, sql } from 'drizzle-orm';
import { COLUMNS, json } from './reservation-row.js';
import { AWAITED_STATES } from './states.js';

/**
 * How many checks of a supplier this gateway has in progress before it takes no more: in all, and of one account. Awaited
 * outcomes (AWAITED_STATES) and other checks have places of their own, and an account leaves some to the others.
 */
export const PLACES = { awaited: { all: 10, account: 7 }, later: { all: 5, account: 3 } } as const;

/** The checks in progress of one kind, supplier and account. */
export interface ChecksInProgress {
  readonly awaited: boolean;
  readonly supplier: string;
  /** Id of the account; empty = not stored. */
  readonly account: string;
  readonly count: number;
}

/** Which reservations to take. `leaseMs`: for how long no other gateway gets them. `limit`: at most so many. */
export interface Taking {
  readonly environment: string;
  readonly leaseMs: number;
  readonly limit: number;
  readonly inProgress: readonly ChecksInProgress[];
  /** Ids of the suppliers that this gateway can ask; those of others are left to gateways that can. Absent = any. */
  readonly known?: readonly string[] | undefined;
}

/** A check of a supplier that this gateway can't ask is left to other gateways for so long after it is due. */
const UNKNOWN_SECONDS = 3_600;

// As in the index reservations_turns, which PostgreSQL uses only for these expressions.
const AWAITED = sql.raw(`(state in (${AWAITED_STATES.map((state) => `'${state}'`).join(', ')}))`);
const ACCOUNT = sql.raw(`coalesce(account_id, '')`);
const PLACE = sql`${AWAITED}, supplier, ${ACCOUNT}`;

/**
 * Takes due reservations in turns between accounts (decision 0026): first those of accounts with the fewest checks in
 * progress, then the longest due. The work depends on how many accounts and suppliers have checks waiting, not on how many
 * reservations are due: an account with 100,000 of them costs as much as one with ten.
 */
export function takeDueStatement({ environment, leaseMs, limit, inProgress, known }: Taking): SQL {
  const waiting = sql`environment = ${environment} and next_check_at is not null`;
  // One delay for each queue, so that its rows are still found by the index.
  const delay = known
    ? sql`case when queues.supplier in (select json_array_elements_text(${json(known)})) then 0 else ${UNKNOWN_SECONDS} end * interval '1 s'`
    : sql`interval '0'`;
  return sql`with recursive busy as (
      select * from json_to_recordset(${json(inProgress)}) as one(awaited boolean, supplier text, account text, count int)),
    queues(awaited, supplier, account) as (
      (select ${PLACE} from reservations where ${waiting} order by ${PLACE} limit 1)
      union all
      select next.* from queues, lateral (select ${PLACE} from reservations
        where ${waiting} and (${PLACE}) > (queues.awaited, queues.supplier, queues.account) order by ${PLACE} limit 1) as next),
    turns as (
      select queues.awaited, queues.supplier, head.id, head.due_at,
        coalesce(busy.count, 0) + row_number() over (partition by queues.awaited, queues.supplier, queues.account order by head.due_at) as turn
      from queues left join busy using (awaited, supplier, account)
      cross join lateral (select id, next_check_at as due_at from reservations
        where ${waiting} and ${AWAITED} = queues.awaited and supplier = queues.supplier and ${ACCOUNT} = queues.account and next_check_at <= now() - ${delay}
        order by next_check_at
        limit greatest(0, ${mostOf('queues', 'account')} - coalesce(busy.count, 0))) as head),
    ranked as (
      select id, turn, due_at, row_number() over (partition by awaited, supplier order by turn, due_at)
          + (select coalesce(sum(count), 0) from busy where busy.awaited = turns.awaited and busy.supplier = turns.supplier) as place,
        ${mostOf('turns', 'all')} as places
      from turns),
    due as (
      select id, next_check_at as due_at from reservations
      where id in (select id from ranked where place <= places order by turn, due_at limit ${limit}) and next_check_at <= now()
      for update skip locked),
    r as (update reservations set next_check_at = now() + make_interval(secs => ${leaseMs / 1_000}), checks = checks + 1
      from due where reservations.id = due.id returning reservations.*, due.due_at)
    select ${COLUMNS}, coalesce(r.account_id, '') as account from r order by r.due_at`;
}

function mostOf(table: 'queues' | 'turns', share: 'all' | 'account'): SQL {
  return sql.raw(`case when ${table}.awaited then ${PLACES.awaited[share]} else ${PLACES.later[share]} end`);
}
