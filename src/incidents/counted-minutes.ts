/** From so many calls of others on, their share of failures confirms that of the account that fails most. */
const TELLING_CALLS = 10;

/**
 * SQL that says what calls of accounts (rows like those of `account_counts`) count by minute, for all gateways together. One account alone
 * makes no incident for everyone, and several need a share of all accounts:
 *
 * - If another account was served in the minute, at most one failure more of the account with the most counts than all others had, or, if
 *   they made ten calls, what gives it the same share of failures. The rest of its failed calls doesn't count at all (`doubted`).
 * - The share of failures is at most the mean of the accounts' own shares, so that each has the same say, however often it calls.
 *
 * Failures of calls that belong to no account all count.
 */
export function counted(rows: string): string {
  return `
    select environment, part, operation, at, calls - doubted as calls,
      least(failed - doubted, round(share * (calls - doubted - anonymous)) + anonymous_failed) as failed
    from (
      select *, case when served - most_served > anonymous - anonymous_failed
        then greatest(0, most_failed - greatest(failed - most_failed + 1,
          case when calls - most_failed - most_served >= ${TELLING_CALLS}
            then round(most_served * (failed - most_failed) / (served - most_served)) else 0 end))
        else 0 end as doubted
      from (
        select environment, part, operation, at,
          sum(calls) as calls, sum(failed) as failed, sum(calls - failed) as served,
          coalesce(sum(calls) filter (where account = ''), 0) as anonymous,
          coalesce(sum(failed) filter (where account = ''), 0) as anonymous_failed,
          coalesce(max(failed) filter (where account <> ''), 0) as most_failed,
          coalesce((array_agg(calls - failed order by failed desc) filter (where account <> ''))[1], 0) as most_served,
          coalesce(avg(failed::float8 / calls) filter (where account <> ''), 1) as share
        from ${rows} group by environment, part, operation, at) as summed) as judged`;
}

/**
 * SQL of what counts, as a table: minutes and days as stored, and minutes of which the accounts are still known, which aren't contained in the
 * days (`is_folded`). A minute may have several rows, to be added up.
 */
export const COUNTS = `(
  select environment, span, at, part, operation, calls, failed, true as is_folded from service_counts
  union all
  select environment, 'minute', at, part, operation, calls, failed, false from (${counted('account_counts')}) as recent) as counts`;
