import { type SQL, sql } from 'drizzle-orm';

/** Longer than a turn can take (webhook-worker.ts). */
export const LEASE_MS = 30_000;

/** How far an endpoint goes ahead at most, as if it had waited for so long: that of an account that used no places lately. */
export const MOST_AHEAD_MS = 3_000_000;
/**
 * Endpoints begin to wait so long before now, so that a later `wakes_at` is of one that woke by time. Longer than it takes to restart the
 * only gateway: what woke earlier without any is taken for one that waits.
 */
export const LINE_MS = 600_000;
/** The `wakes_at` of an endpoint that begins to wait and goes ahead by `ms`. */
export const aheadBy = (ms: number): SQL => sql`now() - ${LINE_MS + ms} * interval '1 millisecond'`;

/** A turn may end so long after the lease began that finds its endpoint. */
const LEASING_MS = 10_000;
/** Endpoints of each kind that one statement finds. */
const MOST_WOKEN = 25;

/** Arrivals that one statement takes. */
export const MOST_ARRIVALS = 2_000;

/** Endpoints that this gateway delivers to now, by account. */
export interface BusyAccount {
  readonly accountId: string;
  readonly isSlow: boolean;
  readonly count: number;
}

/** What endpoints may be leased: how many of each kind, and how many of one account. */
export interface Lease {
  readonly fast: number;
  readonly slow: number;
  readonly perAccount: number;
  readonly busy: readonly BusyAccount[];
}

/**
 * Wakes the endpoints for which an event became due since the statement was last carried out, on any gateway, so that a lease
 * finds them. Each goes ahead as if its account had used no places lately, until the gateway that leases it looks (PlaceUse).
 * One that pauses after failures wakes when it may be sent to again; a leased one now, because its pause may change until the
 * lease ends. Endpoints that another session changes are left to the next time. Returns a row for each arrival that was
 * taken, at most MOST_ARRIVALS.
 */
export function wakeStatement(environment: string): SQL {
  const isPaused = sql`e.resume_at > now() and coalesce(e.wakes_at <> e.leased_until, true)`;
  const at = sql`case when ${isPaused} then e.resume_at else ${aheadBy(MOST_AHEAD_MS)} end`;
  return sql`with arrived as (
      select ctid, endpoint_id from webhook_arrivals where environment = ${environment}
      order by id limit ${MOST_ARRIVALS} for update skip locked),
    locked as (
      select e.id from (select distinct endpoint_id from arrived) as one join webhook_endpoints e on e.id = one.endpoint_id
      for no key update of e skip locked),
    woken as (
      update webhook_endpoints e set wakes_at = ${at} from locked
      where e.id = locked.id and (e.wakes_at is null or e.wakes_at > greatest(now(), ${at})))
    delete from webhook_arrivals where ctid = any(array(select ctid from arrived
      where endpoint_id in (select id from locked) or not exists (select 1 from webhook_endpoints e where e.id = endpoint_id)))
    returning 1 as taken`;
}

/**
 * Lets endpoints that woke by time go ahead like those for which an event arrived: for a retry, after a pause, when a setting changed.
 * Their `wakes_at` says only when they may be sent to; in the line, it would put them behind all that had turns.
 */
export function aheadStatement(environment: string): SQL {
  return sql`with woken as (
      select one.id from (values (false), (true)) as kinds(is_slow), lateral (
        select e.id from webhook_endpoints e
        where e.environment = ${environment} and e.state = 'active' and e.is_slow = kinds.is_slow
          and e.wakes_at > ${aheadBy(-LEASING_MS)} and e.wakes_at <= now() and (e.leased_until is null or e.leased_until < now())
        order by e.wakes_at, e.id limit ${MOST_WOKEN} for no key update skip locked) as one)
    update webhook_endpoints e set wakes_at = ${aheadBy(MOST_AHEAD_MS)} from woken where e.id = woken.id`;
}

/**
 * Leases endpoints that are awake, in turns between accounts: those with the fewest leased endpoints first, then those that
 * have waited longest, or go ahead as if they had. Fast and slow endpoints have places of their own. Only endpoints that may
 * get a place are visited, and earlier ones of the same accounts, of which an account has few: they are found in that order,
 * until as many accounts without a leased one are found as there are places. So the work depends neither on how many endpoints wait for
 * later, are paused or suspended, nor on how many are due after them. Those that can't be sent to now (isReady false) aren't
 * leased but wake later. To be carried out with ONLY_BY_INDEX: otherwise PostgreSQL reads all when its statistics are old.
 */
export function leaseStatement(environment: string, { fast, slow, perAccount, busy }: Lease): SQL {
  const isAwake = sql`e.environment = ${environment} and e.state = 'active' and e.wakes_at <= now()
    and (e.leased_until is null or e.leased_until < now())`;
  const leaseEnd = sql`now() + ${LEASE_MS} * interval '1 millisecond'`;
  return sql`with recursive busy as (
      select * from json_to_recordset(${JSON.stringify(busy)}::json) as one("accountId" text, "isSlow" boolean, count int)),
    kinds(is_slow, places) as (values (false, ${fast}::int), (true, ${slow}::int)),
    awake(is_slow, places, accounts, wakes_at, id, turn) as (
      select is_slow, places, '{}'::text[], '-infinity'::timestamptz, '', 0 from kinds
      union all
      select awake.is_slow, awake.places - case when next.turn = 1 then 1 else 0 end, awake.accounts || next.account_id,
        next.wakes_at, next.id, next.turn
      from awake, lateral (
        select e.id, e.account_id, e.wakes_at, own.turn
        from webhook_endpoints e, lateral (select 1 + cardinality(array_positions(awake.accounts, e.account_id))
          + coalesce((select count from busy where "accountId" = e.account_id and "isSlow" = e.is_slow), 0) as turn) as own
        where ${isAwake} and e.is_slow = awake.is_slow and (e.wakes_at, e.id) > (awake.wakes_at, awake.id)
          and own.turn <= ${perAccount}
        order by e.wakes_at, e.id limit 1) as next
      where awake.places > 0),
    ranked as (
      select id, is_slow, row_number() over (partition by is_slow order by turn, wakes_at, id) as place from awake where turn > 0),
    chosen as (
      select e.id, coalesce(a.state = 'active', false) as may_get, coalesce(e.resume_at <= now(), true) as is_resumed,
        e.wakes_at <= ${aheadBy(MOST_AHEAD_MS)} as is_ahead
      from ranked join kinds using (is_slow) join webhook_endpoints e on e.id = ranked.id
        left join applications a on a.id = e.application_id
      where place <= places and ${isAwake}
      for update of e skip locked)
    update webhook_endpoints e set
      leased_until = case when may_get and is_resumed then ${leaseEnd} else e.leased_until end,
      served_at = case when may_get and is_resumed then now() else e.served_at end,
      -- Another state of the application wakes it earlier, unless this statement read the state just before it changed.
      wakes_at = case when may_get and is_resumed then ${leaseEnd} when may_get then e.resume_at
        else now() + (0.5 + random()) * interval '5 minutes' end
    from chosen where e.id = chosen.id
    returning e.id, e.account_id as "accountId", e.url, e.is_slow as "isSlow", e.failures, e.secret,
      case when e.previous_until > now() then e.previous_secret end as "previousSecret", is_ahead as "isAhead",
      may_get and is_resumed as "isReady"`;
}
