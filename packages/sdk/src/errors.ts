import type { StatusEntry } from './types.js';

/** Everything that this package throws, except the reason of the caller's own AbortSignal. */
export class ForecourtError extends Error {
  override readonly name: string = 'ForecourtError';
  /**
   * For a booking: the key that all attempts were sent with. Book again with exactly this key and body to get the outcome
   * of this booking and never a second one (see `retryWith` for when a new key is needed). Absent for other calls.
   */
  declare idempotencyKey?: string;
}

/** The gateway, or a proxy before it, answered with an error. */
export class ApiError extends ForecourtError {
  override readonly name = 'ApiError';
  /** The HTTP status code; 0 in browsers for a redirect, which is never followed. */
  readonly status: number;
  /** The entries of the status container, in the gateway's order; empty if the answer has none, as that of a proxy. */
  readonly entries: readonly StatusEntry[];
  /** For the operator of the gateway; undefined if the answer has none. */
  readonly requestId: string | undefined;
  /** Milliseconds that the answer asks to wait; undefined if it doesn't say. */
  readonly retryAfterMs: number | undefined;
  /** For a booking: the next attempt needs this kind of key. undefined: the answer doesn't say (docs/reservations.md). */
  readonly retryWith: 'same-key' | 'new-key' | undefined;

  constructor(answer: Response, entries: readonly StatusEntry[], now: number) {
    const [first] = entries;
    super(first === undefined ? `HTTP ${answer.status}` : `${first.code} ${first.reason}: ${first.details}`);
    this.status = answer.status;
    this.entries = entries;
    this.requestId = answer.headers.get('x-request-id') ?? undefined;
    this.retryAfterMs = waitOf(answer.headers.get('retry-after'), now);
    const retry = answer.headers.get('idempotent-retry');
    this.retryWith = retry === 'same-key' || retry === 'new-key' ? retry : undefined;
  }

  /** Whether an entry has this reason, such as `no_results`, or this cause, such as `price_changed`. */
  has(reasonOrCause: string): boolean {
    return this.entries.some(({ reason, cause }) => reason === reasonOrCause || cause === reasonOrCause);
  }

  /**
   * Whether the request may have booked or changed something, at the supplier or at the gateway, although this is an error: read the
   * reservation, or what else it was to change, and don't book again.
   */
  get isOutcomeUnknown(): boolean {
    return this.has('outcome_unknown');
  }
}

/** No usable answer arrived: no connection, a lost one, or an answer that is incomplete or not JSON. See `cause`. */
export class ConnectionError extends ForecourtError {
  override readonly name = 'ConnectionError';
}

/** The time budget of the call passed. `cause` is the error of the last attempt, if one failed before. */
export class BudgetError extends ForecourtError {
  override readonly name = 'BudgetError';
}

/** A search with more pages whose pages the gateway could not keep: repeat it later, or with max_results only. */
export class PagesNotKeptError extends ForecourtError {
  override readonly name = 'PagesNotKeptError';
}

/** A webhook that must not be trusted. */
export class WebhookError extends ForecourtError {
  override readonly name = 'WebhookError';
  readonly reason: 'missing_header' | 'invalid_timestamp' | 'expired' | 'invalid_signature' | 'invalid_body';

  constructor(reason: WebhookError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Milliseconds of a Retry-After header (seconds or an HTTP date); undefined if there is none, or it is neither. */
function waitOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
