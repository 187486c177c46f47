import { type Reason, reasons } from './reasons.js';

/** Why a supplier failed, as a code for `cause` (ruling 2). */
export type SupplierCause = 'timeout' | 'unavailable' | 'throttled' | 'rejected' | 'bad_payload' | 'circuit_open';

/** One entry of `status.errors`, without code and message (spec §2.2 and the additional fields of rulings 2 and 24). */
export interface Problem {
  readonly reason: Reason;
  /**
   * What is wrong and what to do next, for the caller; the default of the reason if absent. Never a supplier's own text
   * or a secret.
   */
  readonly details?: string;
  /** The invalid parameter or body field, with dots (`driver.age`). */
  readonly field?: string;
  readonly supplier?: string;
  readonly brand?: string;
  readonly cause?: string;
  /** With the cause price_changed: the supplier's total now, as on the wire. */
  readonly total?: { readonly amount: string; readonly currency: string };
}

/**
 * The error to throw for every response that callers receive as an error. The first problem decides the HTTP status;
 * `headers` are added to the response (Retry-After, WWW-Authenticate).
 */
export class ApiError extends Error {
  constructor(
    readonly problems: readonly [Problem, ...Problem[]],
    readonly headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(
      problems.map((problem) => `${problem.reason}: ${problem.details ?? reasons[problem.reason].details}`).join('; '),
      options,
    );
    this.name = 'ApiError';
  }

  /** An error with a single problem. */
  static of(
    reason: Reason,
    details?: string,
    more: Omit<Problem, 'reason' | 'details'> & { headers?: Record<string, string>; cause?: string } = {},
  ): ApiError {
    const { headers, ...rest } = more;
    return new ApiError([{ reason, ...(details === undefined ? {} : { details }), ...rest }], headers);
  }

  /** HTTP status of the response. */
  get status(): number {
    return reasons[this.problems[0].reason].code;
  }
}
