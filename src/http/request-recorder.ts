import type { RequestTrace } from '../metrics/request-trace.js';

/** Injection token of the RequestRecorder. */
export const REQUEST_RECORDER = Symbol('RequestRecorder');

/** Recorded status of a request whose caller disconnected before the answer was complete; it is never sent. */
export const CALLER_LEFT = 499;

/**
 * What the caller sent and got, as far as requests of one application are compared by it. It may contain personal
 * data, so it is never stored as it is (records/request-marks.ts).
 */
export interface SentRequest {
  /** Path and query as sent. */
  readonly url: string;
  /** The parsed body; undefined = none was read. */
  readonly body: unknown;
  /** Idempotency-Key; undefined = none. */
  readonly key: string | undefined;
  /** SHA-256 of the token that was sent or issued, base64url; undefined = none. */
  readonly tokenDigest: string | undefined;
  /** Id of the reservation or search that the request is about; undefined = none, or it isn't known. */
  readonly subject: string | undefined;
  /** Retry-After of the answer, in seconds; undefined = none. */
  readonly retryAfterSeconds: number | undefined;
  /** Idempotent-Retry of the answer; undefined = none. */
  readonly retryWith: string | undefined;
}

/** A completed request of a known application. */
export interface EndedRequest {
  readonly applicationId: string;
  /** The account that owns the application. */
  readonly accountId: string;
  /** X-Request-Id. */
  readonly requestId: string;
  readonly method: string;
  /** Path pattern of the route. */
  readonly route: string;
  /** The status of the answer, or CALLER_LEFT. */
  readonly status: number;
  /** When the request arrived, in epoch milliseconds. */
  readonly at: number;
  /** When the request arrived, by performance.now(); the times of the trace are relative to it. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The request budget. */
  readonly budgetMs: number;
  /** Label of the version that answered, such as `v1.1`; undefined if none was chosen. */
  readonly version: string | undefined;
  /** Value of X-Sandbox-Applied. */
  readonly scenario: string | undefined;
  /** Whether the answer repeats that of an earlier request with the same Idempotency-Key. */
  readonly isReplay: boolean;
  /** Undefined if nothing was traced. */
  readonly trace: RequestTrace | undefined;
  /** Undefined outside the sandbox. */
  readonly sent: SentRequest | undefined;
  /** It was refused with 401 because its token, which once was the application's, no longer is valid. Not counted as a call. */
  readonly isExpired: boolean;
}

/** Receives every completed API call of a known application. Implementations must be fast and must not throw. */
export interface RequestRecorder {
  /** Whether `sent` is needed. */
  readonly wantsSent: boolean;
  ended(request: EndedRequest): void;
}
