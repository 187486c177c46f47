import type { RequestTrace } from '../metrics/request-trace.js';

/** Injection token of the RequestRecorder. */
export const REQUEST_RECORDER = Symbol('RequestRecorder');

/** Recorded status of a request whose caller disconnected before the answer was complete; it is never sent. */
export const CALLER_LEFT = 499;

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
  readonly trace: RequestTrace | undefined;
}

/** Receives every completed API call of a known application. Implementations must be fast and must not throw. */
export interface RequestRecorder {
  /** Whether request traces must be collected. */
  readonly wantsTraces: boolean;
  ended(request: EndedRequest): void;
}
