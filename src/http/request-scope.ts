import type { FastifyRequest } from 'fastify';
import { RequestTrace } from '../metrics/request-trace.js';

/** Why the work for a request was called off. */
export type CancelReason = 'client_gone' | 'budget_over';

/**
 * What belongs to one request: its id, its clock, and the one switch that calls its work off. A light stand-in for AbortSignal, which
 * costs a fifth of the throughput when made for each call.
 */
export class RequestScope {
  #cancelled: CancelReason | undefined;
  #listeners: Set<() => void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #trace: RequestTrace | undefined;
  #budgetMs = 0;
  /** When the request came, by performance.now(). */
  readonly clockedAt = performance.now();

  constructor(
    /** `req_…`, or the caller's own well-formed X-Request-Id. */
    readonly id: string,
    /** Epoch milliseconds; becomes status.request_time. */
    readonly startedAt: number,
    private readonly isTraced: boolean = false,
  ) {}

  get cancelled(): CancelReason | undefined {
    return this.#cancelled;
  }

  /** Where what happens inside is collected, made when it is first needed; undefined = nobody wants to know. */
  get trace(): RequestTrace | undefined {
    if (this.isTraced) this.#trace ??= new RequestTrace();
    return this.#trace;
  }

  /** How long the request may take, counted from its beginning, as last set. */
  get budgetMs(): number {
    return this.#budgetMs;
  }

  /** Runs `listener` when the request is called off (at once if it already is); the returned function takes it off again. */
  onCancel(listener: () => void): () => void {
    if (this.#cancelled) {
      listener();
      return () => undefined;
    }
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  cancel(reason: CancelReason): void {
    if (this.#cancelled) return;
    this.#cancelled = reason;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
  }

  /** (Re)starts the request budget: after `ms`, `over` runs once unless the request has ended. */
  startBudget(ms: number, over: () => void): void {
    clearTimeout(this.#timer);
    this.#over = over;
    this.#timer = setTimeout(over, ms);
    this.#budgetMs ||= ms;
  }

  #over: (() => void) | undefined;

  /** Sets the budget to `ms` from now: longer for a booking, shorter for the sandbox scenario fault=408. */
  resetBudget(ms: number): void {
    if (!this.#over) return;
    this.startBudget(ms, this.#over);
    this.#budgetMs = performance.now() - this.clockedAt + ms;
  }

  /**
   * From here on the work is done to its end, whoever leaves: no budget ends it, and the worker keeps its own deadlines. False when it was called
   * off before: then it must not begin.
   */
  commit(): boolean {
    if (this.#cancelled) return false;
    this.end();
    return true;
  }

  /** The answer is out or the connection gone: no budget any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#over = undefined;
  }
}

/** The scope that the application factory put on a request. Throws where the hook did not run: a bug of ours. */
export function scopeOf(request: FastifyRequest): RequestScope {
  const scope = (request as FastifyRequest & { scope?: RequestScope }).scope;
  if (!scope) throw new Error('the request has no scope');
  return scope;
}
