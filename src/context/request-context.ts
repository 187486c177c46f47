import { RequestTrace } from '../metrics/request-trace.js';
import type { Scenario } from '../sandbox/scenario.js';
import type { ApplicationPolicy, TokenOwner } from '../store/store.js';
import type { RequestSpan } from '../tracing/trace-context.js';

/** Why a request was canceled. */
export type CancelReason = 'client_disconnected' | 'budget_exhausted';

/** The HTTP exchange of a context, such as a Fastify reply. */
export interface HttpExchange {
  readonly request: { readonly headers: Readonly<Record<string, string | string[] | undefined>> };
  /** Sets a response header for any response, including errors. */
  header(name: string, value: string): unknown;
}

/** Work of which so much is done at a time for each caller (Turns). */
interface CallerTurns {
  run<T>(caller: string, work: () => Promise<T>): Promise<T>;
}

const NO_LISTENER = (): undefined => undefined;

/** A check of the session or token that is older is repeated before the request goes on. */
const MOMENT_MS = 100;

/**
 * The request that a service works for: its id and clock, the calling application, the sandbox scenario, the trace, and
 * cancellation. It doesn't use AbortSignal, because one signal per call costs a fifth of the throughput. Background
 * work has its own context without an application, an exchange or a budget.
 */
export class RequestContext {
  #cancelled: CancelReason | undefined;
  #listeners: Set<() => void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isCommitted = false;
  #isEnded = false;
  #finishListeners: (() => void)[] | undefined;
  #trace: RequestTrace | undefined;
  #policy: ApplicationPolicy | undefined;
  #formerOwner: TokenOwner | undefined;
  #scenario: Scenario | undefined;
  #budgetMs = 0;
  #onBudgetSpent: (() => void) | undefined;
  #check: (() => Promise<void>) | undefined;
  #checkedAt = 0;
  /** By how much the application's test clock is ahead of real time, in milliseconds; 0 = it has none (decision 0087). */
  clockAheadMs = 0;
  /** SHA-256 of the token that was sent or issued, base64url; undefined = none. */
  tokenDigest: string | undefined;
  /** The caller's own limit of time ended the wait for a supplier. */
  isCutShort = false;
  /** When the request arrived, on the clock of performance.now. */
  readonly clockedAt = performance.now();

  constructor(
    /** `req_…`, or the caller's X-Request-Id if it is valid; `rec_…` for the reconciler. */
    readonly id: string,
    /** Epoch milliseconds; becomes status.request_time. */
    readonly startedAt: number,
    private readonly isTraced: boolean = false,
    /** Undefined for background work. */
    readonly exchange?: HttpExchange,
    /** The application that background work is done for. */
    readonly onBehalfOf?: string,
    /** Undefined if no collector gets traces, and for background work. */
    readonly span?: RequestSpan,
  ) {}

  /** Sets the authenticated application. */
  admit(policy: ApplicationPolicy): void {
    this.#policy = policy;
  }

  /** Notes whose token this was while it was valid, for the record of the refused request. It grants nothing. */
  recognize(owner: TokenOwner): void {
    this.#formerOwner = owner;
  }

  /** The authenticated application, or the one whose token no longer is valid; undefined = unknown. */
  get caller(): TokenOwner | undefined {
    return this.#policy ?? this.#formerOwner;
  }

  /** The calling application and what it may do. Throws if no caller is authenticated, which is a bug. */
  get policy(): ApplicationPolicy {
    if (!this.#policy) throw new Error('the request is not authenticated');
    return this.#policy;
  }

  /** Undefined until the caller is authenticated. */
  get applicationId(): string | undefined {
    return this.#policy?.applicationId;
  }

  /** The account that owns the calling application; shares are per account. Undefined until the caller is authenticated. */
  get accountId(): string | undefined {
    return this.#policy?.accountId;
  }

  /** Web origins whose pages may read the answer; undefined = none, or the caller isn't authenticated yet. */
  get allowedOrigins(): readonly string[] | undefined {
    return this.#policy?.allowedOrigins;
  }

  get cancelled(): CancelReason | undefined {
    return this.#cancelled;
  }

  /** The trace, created on first use; undefined if the request isn't traced. */
  get trace(): RequestTrace | undefined {
    if (this.isTraced) this.#trace ??= new RequestTrace();
    return this.#trace;
  }

  /** The sandbox scenario, if any. */
  get scenario(): Scenario | undefined {
    return this.#scenario;
  }

  /** Notes that a guard has just accepted the session or token. `check` throws if it was revoked since. */
  acceptedBy(check: () => Promise<void>): void {
    this.#check = check;
    this.#checkedAt = performance.now();
  }

  /** Checks the session or token again. Throws as its guard does if it was revoked. Without either, it does nothing. */
  async reauthorize(): Promise<void> {
    await this.#check?.();
    this.#checkedAt = performance.now();
  }

  /** The same if the last check is more than a moment ago, for after what usually takes none; undefined = it isn't. */
  reauthorizeIfLate(): Promise<void> | undefined {
    if (!this.#check || performance.now() - this.#checkedAt <= MOMENT_MS) return undefined;
    return this.reauthorize();
  }

  /** Waits before the request goes on: what it waits for may take long, and the session or token be revoked meanwhile, so it is checked again. */
  async afterWait<T>(wait: Promise<T>): Promise<T> {
    const result = await wait;
    await this.reauthorize();
    return result;
  }

  /**
   * Runs `work` in turn with other work of the caller. If it had to wait, the session or token is checked again. Throws TurnMissedError if the
   * turn doesn't come in time.
   */
  async inTurn<T>(turns: CallerTurns, work: () => Promise<T>, caller = this.policy.accountId): Promise<T> {
    let hasWaited = false;
    const done = turns.run(caller, async () => {
      if (hasWaited) await this.reauthorize();
      return await work();
    });
    hasWaited = true;
    return await done;
  }

  /** Sets the scenario. Throws if the request already has one. */
  useScenario(scenario: Scenario): void {
    if (this.#scenario) throw new Error('the request already has a scenario');
    this.#scenario = scenario;
  }

  /** The current request budget, counted from the start of the request. */
  get budgetMs(): number {
    return this.#budgetMs;
  }

  /**
   * Runs `listener` when the request is canceled, or immediately if it already is. Committed work can't be canceled, so
   * `listener` never runs then. The returned function removes the listener.
   */
  onCancel(listener: () => void): () => void {
    if (this.#isCommitted) return NO_LISTENER;
    if (this.#cancelled) {
      listener();
      return NO_LISTENER;
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

  /** Starts or restarts the request budget: after `ms`, `onSpent` runs once unless the request is finished. */
  startBudget(ms: number, onSpent: () => void): void {
    clearTimeout(this.#timer);
    this.#onBudgetSpent = onSpent;
    this.#timer = setTimeout(onSpent, ms);
    this.#budgetMs ||= ms;
  }

  /** Sets the budget to `ms` from now: longer for a booking, shorter for the sandbox scenario `fault=408`. */
  resetBudget(ms: number): void {
    if (!this.#onBudgetSpent) return;
    this.startBudget(ms, this.#onBudgetSpent);
    this.#budgetMs = performance.now() - this.clockedAt + ms;
  }

  /**
   * Makes sure that the work is completed even if the client disconnects: the request budget no longer applies, and
   * supplier calls keep only their own timeouts. Returns false if the request is already canceled; then the work must
   * not start.
   */
  commit(): boolean {
    if (this.#cancelled) return false;
    this.#endBudget();
    this.#isCommitted = true;
    return true;
  }

  /** The response is sent or the connection is closed. */
  end(): void {
    this.#endBudget();
    this.#isEnded = true;
    this.#notifyFinished();
  }

  /** The work is complete, whether or not the client is still connected. */
  workDone(): void {
    this.#isCommitted = false;
    this.#notifyFinished();
  }

  /** Runs `listener` once the response is sent or the connection is closed, and committed work is complete. */
  onFinished(listener: () => void): void {
    this.#finishListeners ??= [];
    this.#finishListeners.push(listener);
    this.#notifyFinished();
  }

  #notifyFinished(): void {
    if (!this.#isEnded || this.#isCommitted || !this.#finishListeners) return;
    for (const listener of this.#finishListeners.splice(0)) listener();
  }

  #endBudget(): void {
    clearTimeout(this.#timer);
    this.#onBudgetSpent = undefined;
  }
}
