import type { RequestContext } from '../context/request-context.js';
import { ApiError } from '../status/api-error.js';

/** Time kept for the database after a supplier call. */
const DATABASE_MS = 1_500;
/** With less time than this a supplier is not called. */
const LEAST_MS = 200;
/** A gateway that has not finished this long after it must have is taken for dead. */
const GRACE_MS = 5_000;

/** When a supplier call of the request must have ended, epoch milliseconds; `budgetMs` is that of reservations. */
export function callDeadline({ startedAt }: RequestContext, budgetMs: number): number {
  return startedAt + budgetMs - DATABASE_MS;
}

/**
 * Commits the request to a call that changes something at a supplier: from here on it is finished and stored even if the client disconnects.
 * Returns how long the call may take, at most `supplierMs`. Throws ApiError timeout when too little time is left or the client has left already.
 */
export function commitToCall(context: RequestContext, supplierMs: number, budgetMs: number): number {
  const timeoutMs = Math.min(supplierMs, callDeadline(context, budgetMs) - Date.now());
  if (timeoutMs < LEAST_MS || !context.commit()) throw ApiError.of('timeout');
  return timeoutMs;
}

/** What a reservation keeps of a call that begins at `at`: until when it runs, and when the reconciler looks whether its gateway died. */
export function sentWindow(
  at: number,
  timeoutMs: number,
): { readonly sentUntil: number; readonly nextCheckAt: number } {
  return { sentUntil: at + timeoutMs, nextCheckAt: at + timeoutMs + GRACE_MS };
}
