import type { RequestTrace } from '../metrics/request-trace.js';

/** Injection token of the RequestRecorder. */
export const REQUEST_RECORDER = Symbol('RequestRecorder');

/** Status of a request whose caller left before the whole answer was out; it is never sent. */
export const CALLER_LEFT = 499;

/** A request of a known application that is over. */
export interface EndedRequest {
  readonly applicationId: string;
  /** X-Request-Id. */
  readonly requestId: string;
  readonly method: string;
  /** Path pattern of the route. */
  readonly route: string;
  /** What was answered, or CALLER_LEFT. */
  readonly status: number;
  /** When it came, epoch milliseconds. */
  readonly at: number;
  /** When it came, by performance.now(): what the instants of the trace are relative to. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** How long it might have taken. */
  readonly budgetMs: number;
  /** Version that answered, as it is written; undefined = none was chosen. */
  readonly version: string | undefined;
  /** Value of X-Sandbox-Applied. */
  readonly scenario: string | undefined;
  readonly trace: RequestTrace | undefined;
}

/** Is told of every API call of a known application once it is over; must not throw, nor do anything slow. */
export interface RequestRecorder {
  /** Whether what happens inside requests is worth collecting. */
  readonly wantsTraces: boolean;
  ended(request: EndedRequest): void;
}
