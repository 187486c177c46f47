import { type SQL, sql } from 'drizzle-orm';
import { COLUMNS, json, type ReservationRow } from './reservation-row.js';
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

/** A reservation that was taken. `account`: id of its account; empty = not stored. */
export interface TakenRow extends ReservationRow {
  readonly account: string;
}

/** A check of a supplier that this gateway can't ask is left to other gateways for so long after it is due. */
const UNKNOWN_SECONDS = 3_600;

// As in the indexes reservations_turns and reservations_heads, which PostgreSQL uses only for these expressions.
const AWAITED = sql.raw(`(state in (${AWAITED_STATES.map((state) => `'${state}'`).join(', ')}))`);
const ACCOUNT = sql.raw(`coalesce(account_id, '')`);
const KIND = sql`${AWAITED}, supplier`;

/**
 * Takes due reservations in turns between accounts (decision 0026): first those of accounts with the fewest checks in
 * progress, then the longest due. Only accounts that may get a place are visited: those with checks in progress, and of the
 * others the first ones in the order of their longest due reservation, as many as there are places. So the work depends on
 * what is due before the last of them, and neither on how many accounts wait for later checks nor on how many are due after it.
 * To be carried out with ONLY_BY_INDEX: otherwise PostgreSQL reads all that wait when its statistics are old.
 */
export function takeDueStatement({ environment, leaseMs, limit, inProgress, known }: Taking): SQL {
  const waiting = sql`environment = ${environment} and next_check_at is not null`;
  // One delay for each supplier, so that its rows are still found by the index.
  const delay = known
    ? sql`case when supplier in (select json_array_elements_text(${json(known)})) then 0 else ${UNKNOWN_SECONDS} end * interval '1 s'`
    : sql`interval '0'`;
  return sql`with recursive busy as (
      select * from json_to_recordset(${json(inProgress)}) as one(awaited boolean, supplier text, account text, count int)),
    kinds(awaited, supplier) as (
      (select ${KIND} from reservations where ${waiting} order by ${KIND} limit 1)
      union all
      select next.* from kinds, lateral (select ${KIND} from reservations
        where ${waiting} and (${KIND}) > (kinds.awaited, kinds.supplier) order by ${KIND} limit 1) as next),
    lines as (
      select awaited, supplier, now() - ${delay} as until, ${mostOf('kinds', 'all')} - coalesce(sum(count), 0) as places,
        coalesce(array_agg(account) filter (where account is not null), '{}') as accounts
      from kinds left join busy using (awaited, supplier) group by awaited, supplier),
    heads(awaited, supplier, until, places, accounts, due_at) as (
      select awaited, supplier, until, least(places, ${limit}::int), accounts, '-infinity'::timestamptz from lines where places > 0
      union all
      select awaited, supplier, until, places - 1, accounts || next.account, next.due_at from heads, lateral (
        select ${ACCOUNT} as account, next_check_at as due_at from reservations
        where ${waiting} and ${AWAITED} = heads.awaited and supplier = heads.supplier
          and next_check_at >= heads.due_at and next_check_at <= heads.until and ${ACCOUNT} <> all(heads.accounts)
        order by next_check_at limit 1) as next
      where places > 0),
    queues as (
      select distinct on (awaited, supplier) awaited, supplier, until, accounts from heads order by awaited, supplier, places),
    turns as (
      select queues.awaited, queues.supplier, head.id, head.due_at,
        coalesce(busy.count, 0) + row_number() over (partition by queues.awaited, queues.supplier, account order by head.due_at) as turn
      from queues cross join lateral unnest(accounts) as account left join busy using (awaited, supplier, account)
      cross join lateral (select id, next_check_at as due_at from reservations
        where ${waiting} and ${AWAITED} = queues.awaited and supplier = queues.supplier
          and (${ACCOUNT}, next_check_at) >= (account, '-infinity'::timestamptz) and (${ACCOUNT}, next_check_at) <= (account, until)
        order by ${ACCOUNT}, next_check_at
        limit greatest(0, ${mostOf('queues', 'account')} - coalesce(busy.count, 0))) as head),
    ranked as (
      select id, turn, due_at, row_number() over (partition by awaited, supplier order by turn, due_at)
          + (select coalesce(sum(count), 0) from busy where busy.awaited = turns.awaited and busy.supplier = turns.supplier) as place,
        ${mostOf('turns', 'all')} as places
      from turns),
    due as (
      select id, next_check_at as due_at from reservations
      where id in (select id from ranked where place <= places order by turn, due_at limit ${limit})
        -- Not in a form that an index finds: with statistics from before they were due, it seems to find fewer than the ids do.
        and not coalesce(next_check_at > now(), true)
      for update skip locked),
    r as (update reservations set next_check_at = now() + make_interval(secs => ${leaseMs / 1_000}), checks = checks + 1
      from due where reservations.id = due.id returning reservations.*, due.due_at)
    select ${COLUMNS}, coalesce(r.account_id, '') as account from r order by r.due_at`;
}

function mostOf(table: 'kinds' | 'queues' | 'turns', share: 'all' | 'account'): SQL {
  return sql.raw(`case when ${table}.awaited then ${PLACES.awaited[share]} else ${PLACES.later[share]} end`);
}
