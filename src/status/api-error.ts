import { type Reason, reasons } from './reasons.js';

/** Why a supplier gave nothing, in a word for machines (ruling 2). */
export type SupplierCause = 'timeout' | 'unavailable' | 'throttled' | 'rejected' | 'bad_payload' | 'circuit_open';

/** What is wrong, before it has a status: one entry of `status.errors` (spec §2.2 plus the additive fields of rulings 2 and 24). */
export interface Problem {
  readonly reason: Reason;
  /** Plain words for the caller, what to do next; the table's default when absent. Never a supplier's own text or a secret. */
  readonly details?: string;
  /** The parameter or body field, dotted (`driver.age`), when one is at fault. */
  readonly field?: string;
  readonly supplier?: string;
  readonly brand?: string;
  readonly cause?: string;
}

/**
 * The one error class for callers: what went wrong as entries, in order. The HTTP status is that of the first problem.
 * `headers` are set on the answer (Retry-After, WWW-Authenticate).
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

  /** One problem, the usual case. */
  static of(
    reason: Reason,
    details?: string,
    more: Omit<Problem, 'reason' | 'details'> & { headers?: Record<string, string>; cause?: string } = {},
  ): ApiError {
    const { headers, ...rest } = more;
    return new ApiError([{ reason, ...(details === undefined ? {} : { details }), ...rest }], headers);
  }

  /** HTTP status of the answer. */
  get status(): number {
    return reasons[this.problems[0].reason].code;
  }
}
