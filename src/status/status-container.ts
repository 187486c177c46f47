import type { Problem } from './api-error.js';
import { reasons, successes } from './reasons.js';

/** An entry of `status.errors` on the wire (spec §2.2; field, supplier, brand and cause are additive). */
export interface ErrorEntry {
  readonly code: string;
  readonly message: string;
  readonly reason: string;
  readonly details: string;
  readonly field?: string;
  readonly supplier?: string;
  readonly brand?: string;
  readonly cause?: string;
}

export interface SuccessEntry {
  readonly code: string;
  readonly message: string;
  readonly details: string;
}

/** The container of every body (spec §2.2). `request_errors` and `errors` only where there are errors, `success` only where there is success. */
export interface StatusContainer {
  readonly request_time: string;
  readonly success?: readonly SuccessEntry[];
  readonly request_errors?: number;
  readonly errors?: readonly ErrorEntry[];
}

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
    ...(problem.field === undefined ? {} : { field: problem.field }),
    ...(problem.supplier === undefined ? {} : { supplier: problem.supplier }),
    ...(problem.brand === undefined ? {} : { brand: problem.brand }),
    ...(problem.cause === undefined ? {} : { cause: problem.cause }),
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
