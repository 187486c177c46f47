import { z } from 'zod';
import type { Config } from '../config/config.schema.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { COUNTS } from '../incidents/counted-minutes.js';
import { AWAITED_STATES } from '../reservations/states.js';
import { type Finding, fine, wrong } from './finding.js';

/** Runs one statement; each row is an object. */
export type Query = (sql: string) => Promise<{ rows: Record<string, unknown>[] }>;

const UNDEFINED_TABLE = '42P01';
/** The calls by which a supplier is judged, and from which share of failures on it is failing. */
const JUDGED_MINUTES = 10;
const LEAST_CALLS = 10;
const FAILING_SHARE = 0.2;
/** How late the reconciler and the delivery of email may be. */
const OVERDUE_MINUTES = 5;
const MAIL_MINUTES = 15;

const minutes = z.array(
  z.object({ operation: z.string(), at: z.coerce.number(), calls: z.coerce.number(), failed: z.coerce.number() }),
);
const groups = z.array(z.object({ supplier: z.string(), count: z.coerce.number(), since: z.coerce.number() }));
const mails = z.array(z.object({ count: z.coerce.number(), since: z.coerce.number().nullable() }));

/** Judges what the database says about the health of the service: no finding about what its tables don't hold yet. */
export async function checkHealthIn(
  query: Query,
  { environment, mail }: Pick<Config, 'environment' | 'mail'>,
  suppliers: readonly Pick<SupplierConfig, 'id'>[],
): Promise<Finding[]> {
  const of = `environment = '${environment}'`;
  const checks = [
    ...suppliers.map(
      ({ id }) =>
        () =>
          checkSupplierCalls(query, of, id),
    ),
    () => checkReviews(query, of),
    () => checkOverdue(query, of),
    () => checkStrays(query, of),
    // Without an SMTP server, emails stay on purpose.
    ...(mail.smtpUrl === undefined ? [] : [() => checkOutbox(query, of)]),
  ];
  const findings: Finding[] = [];
  // One after the other: they share a connection.
  for (const check of checks) findings.push(...(await check().catch(ifTablesExist)));
  return findings;
}

function ifTablesExist(error: { readonly code?: string; readonly cause?: { readonly code?: string } }): Finding[] {
  if (error.code === UNDEFINED_TABLE || error.cause?.code === UNDEFINED_TABLE) return [];
  throw error;
}

/** `id` is from a supplier's file, whose schema admits no quotes. */
async function checkSupplierCalls(query: Query, of: string, id: string): Promise<Finding[]> {
  const { rows } =
    await query(`select operation, extract(epoch from at) * 1000 as at, sum(calls) as calls, sum(failed) as failed
    from ${COUNTS} where ${of} and span = 'minute' and part = 'supplier:${id}' and at > now() - interval '2 hours'
    group by operation, at order by at desc`);
  return supplierFindings(id, minutes.parse(rows), Date.now());
}

interface Minute {
  readonly operation: string;
  readonly at: number;
  readonly calls: number;
  readonly failed: number;
}

/**
 * Judges each operation of a supplier by its last ten minutes; with too few calls in them, it isn't judged. `rows`: newest first.
 * `now`: epoch milliseconds.
 */
export function supplierFindings(id: string, rows: readonly Minute[], now: number): Finding[] {
  const findings: Finding[] = [];
  let judged = 0;
  for (const [operation, own] of Map.groupBy(rows, (row) => row.operation)) {
    const recent = own.filter(({ at }) => at > now - JUDGED_MINUTES * 60_000);
    const calls = recent.reduce((sum, row) => sum + row.calls, 0);
    const failed = recent.reduce((sum, row) => sum + row.failed, 0);
    if (calls < LEAST_CALLS) continue;
    judged += calls;
    if (failed < calls * FAILING_SHARE) continue;
    const firstGood = own.findIndex(
      (row) => row.failed < row.calls * FAILING_SHARE && row.at < (recent.at(-1)?.at ?? now),
    );
    const since = (firstGood === -1 ? own.at(-1) : own[firstGood - 1])?.at;
    const found = `${operation} fails: ${failed} of ${calls} calls in the last ${JUDGED_MINUTES} minutes (${percent(failed / calls)})`;
    const todo = `ask the supplier; its log lines have supplier=${id}. To search without it: gw supplier state ${id} maintenance`;
    findings.push(wrong(`calls to ${id}`, found, todo, since));
  }
  if (findings.length === 0 && judged > 0)
    findings.push(fine(`calls to ${id}`, `${judged} in the last ${JUDGED_MINUTES} minutes, no operation fails often`));
  return findings;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

async function checkReviews(query: Query, of: string): Promise<Finding[]> {
  const { rows } = await query(`select supplier, count(*) as count, extract(epoch from min(updated_at)) * 1000 as since
    from reservations where ${of} and state = 'manual_review' group by supplier order by supplier`);
  const found = groups.parse(rows);
  if (found.length === 0) return [fine('reviews', 'no reservation waits for an operator')];
  return found.map(({ supplier, count, since }) =>
    wrong(
      'reviews',
      `${reservationsOf(count)} of ${supplier} ${count === 1 ? 'waits' : 'wait'} for an operator in manual_review`,
      'gw reservation unclear lists them; ask the supplier, then gw reservation resolve',
      since,
    ),
  );
}

async function checkOverdue(query: Query, of: string): Promise<Finding[]> {
  const awaited = AWAITED_STATES.map((state) => `'${state}'`).join();
  const { rows } =
    await query(`select supplier, count(*) as count, extract(epoch from min(next_check_at)) * 1000 as since
    from reservations where ${of} and state in (${awaited}) and next_check_at < now() - interval '${OVERDUE_MINUTES} minutes'
    group by supplier order by supplier`);
  const found = groups.parse(rows);
  if (found.length === 0) return [fine('unknown outcomes', 'every check of an unknown outcome is on time')];
  return found.map(({ supplier, count, since }) =>
    wrong(
      'unknown outcomes',
      `${reservationsOf(count)} of ${supplier} should have been checked more than ${OVERDUE_MINUTES} minutes ago`,
      'start a gateway with backgroundWork, and look for "reconciler" in its log',
      since,
    ),
  );
}

async function checkStrays(query: Query, of: string): Promise<Finding[]> {
  const { rows } = await query(`select supplier, count(*) as count, extract(epoch from min(updated_at)) * 1000 as since
    from reservations where ${of} and strays is not null group by supplier order by supplier`);
  return groups
    .parse(rows)
    .map(({ supplier, count, since }) =>
      wrong(
        'second bookings',
        `${reservationsOf(count)} of ${supplier} ${count === 1 ? 'has' : 'have'} more than one active booking`,
        'gw reservation unclear lists them; to cancel the others: gw reservation cancel <id> --second',
        since,
      ),
    );
}

async function checkOutbox(query: Query, of: string): Promise<Finding[]> {
  const { rows } = await query(`select count(*) as count, extract(epoch from min(at)) * 1000 as since
    from outbox where ${of} and at < now() - interval '${MAIL_MINUTES} minutes'`);
  const { count, since } = mails.parse(rows)[0] ?? { count: 0, since: null };
  if (count === 0) return [fine('emails', `none waits for more than ${MAIL_MINUTES} minutes`)];
  const todo = 'check SMTP_URL and the log of the mail server; what is not delivered within a day is dropped';
  return [wrong('emails', `${count} could not be delivered so far`, todo, since ?? undefined)];
}

function reservationsOf(count: number): string {
  return count === 1 ? '1 reservation' : `${count} reservations`;
}
