import type { RequestContext } from '../context/request-context.js';
import { ApiError } from '../status/api-error.js';

/** Time reserved for the database after a supplier call. */
const DATABASE_MS = 1_500;
/** With less time left than this, the supplier is not called. */
const LEAST_MS = 200;
/** If a gateway has not finished this long after its deadline, it is assumed to have exited. */
const GRACE_MS = 5_000;

/**
 * The deadline of a supplier call in the request, on the clock of performance.now; `budgetMs` is the request budget of
 * reservations.
 */
export function callDeadline({ clockedAt }: RequestContext, budgetMs: number): number {
  return clockedAt + budgetMs - DATABASE_MS;
}

/**
 * How long a look-up before a writing call may take, in milliseconds: the call keeps its `writeMs`. Throws ApiError timeout if not
 * enough time is left.
 */
export function timeBefore(context: RequestContext, writeMs: number, budgetMs: number): number {
  const timeoutMs = callDeadline(context, budgetMs) - writeMs - performance.now();
  if (timeoutMs < LEAST_MS) throw ApiError.of('timeout');
  return timeoutMs;
}

/**
 * Commits the request to a writing call: from here on it is finished and stored even if the client disconnects. Returns
 * how long the call may take, at most `supplierMs`. Throws ApiError timeout if too little time is left or the client
 * has disconnected.
 */
export function commitToCall(context: RequestContext, supplierMs: number, budgetMs: number): number {
  const timeoutMs = Math.min(supplierMs, callDeadline(context, budgetMs) - performance.now());
  if (timeoutMs < LEAST_MS || !context.commit()) throw ApiError.of('timeout');
  return timeoutMs;
}

/**
 * The times to store for a call that starts at `at` (epoch milliseconds): when it ends, and when the reconciler takes over if the gateway
 * has exited.
 */
export function sentWindow(
  at: number,
  timeoutMs: number,
): { readonly sentUntil: number; readonly nextCheckAt: number } {
  return { sentUntil: at + timeoutMs, nextCheckAt: at + timeoutMs + GRACE_MS };
}

/**
 * What is left of a call's timeout after storing it, which began at `startedAt` (performance.now): the supplier must not
 * receive the call later than stored. 0 if none is left: then it must not be called.
 */
export function timeLeft(timeoutMs: number, startedAt: number): number {
  return Math.max(0, timeoutMs - (performance.now() - startedAt));
}
