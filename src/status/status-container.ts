import type { z } from 'zod';
import type { Problem } from './api-error.js';
import { reasons, successes } from './reasons.js';
import type { statusWire } from './status.wire.js';

/**
 * The container of every body (spec §2.2). `request_errors` and `errors` only where there are errors, `success` only where there is success.
 */
export type StatusContainer = Readonly<z.infer<typeof statusWire>>;

/** An entry of `status.errors` on the wire (spec §2.2; field, supplier, brand and cause are additive). */
export type ErrorEntry = Readonly<NonNullable<StatusContainer['errors']>[number]>;

let throttledMessage: string = reasons.throttled.message;

/** Ruling 17: chooses the message text of 429, as published in spec §7.3 or as HTTP has it. Called once at boot. */
export function setThrottledMessage(style: 'published' | 'standard'): void {
  throttledMessage = style === 'standard' ? 'Too Many Requests' : reasons.throttled.message;
}

/** A problem as its entry on the wire. */
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
  };
}

/**
 * Builds the container. `success` is the HTTP status of the success entry, or undefined for a pure error; `at` is epoch milliseconds.
 */
export function statusContainer(
  at: number,
  success: number | undefined,
  problems: readonly Problem[],
): StatusContainer {
  const row = success === undefined ? undefined : successes[success];
  return {
    request_time: new Date(at).toISOString(),
    ...(row && success !== undefined
      ? { success: [{ code: String(success), message: row.message, details: row.details }] }
      : {}),
    ...(problems.length === 0 ? {} : { request_errors: problems.length, errors: problems.map(errorEntry) }),
  };
}
