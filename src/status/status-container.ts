import type { z } from 'zod';
import type { Problem } from './api-error.js';
import { reasons, successes } from './reasons.js';
import type { statusWire } from './status.wire.js';

/**
 * The `status` object of every body (spec §2.2). `request_errors` and `errors` are present only for errors, `success`
 * only for a success.
 */
export type StatusContainer = Readonly<z.infer<typeof statusWire>>;

/** An entry of `status.errors` in the response (spec §2.2; field, supplier, brand and cause are additional). */
export type ErrorEntry = Readonly<NonNullable<StatusContainer['errors']>[number]>;

let throttledMessage: string = reasons.throttled.message;

/**
 * Sets the message of 429 to the one published in spec §7.3 or the standard one of HTTP (ruling 17). Called once at
 * startup.
 */
export function setThrottledMessage(style: 'published' | 'standard'): void {
  throttledMessage = style === 'standard' ? 'Too Many Requests' : reasons.throttled.message;
}

/** Converts a problem to its entry in the response. */
export function errorEntry(problem: Problem): ErrorEntry {
  const row = reasons[problem.reason];
  return {
    code: String(row.code),
    message: problem.reason === 'throttled' ? throttledMessage : row.message,
    reason: row.reason,
    details: problem.details ?? row.details,
    field: problem.field,
    supplier: problem.supplier,
    brand: problem.brand,
    cause: problem.cause,
    total: problem.total,
  };
}

/**
 * Builds the container. `at` is in epoch milliseconds; `success` is the HTTP status of the success entry, undefined if
 * there is none; `details` its text if the default of the status doesn't say what was done.
 */
export function statusContainer(
  at: number,
  success: number | undefined,
  problems: readonly Problem[],
  details?: string,
): StatusContainer {
  const row = success === undefined ? undefined : successes[success];
  return {
    request_time: new Date(at).toISOString(),
    ...(row && success !== undefined
      ? { success: [{ code: String(success), message: row.message, details: details ?? row.details }] }
      : {}),
    ...(problems.length === 0 ? {} : { request_errors: problems.length, errors: problems.map(errorEntry) }),
  };
}
