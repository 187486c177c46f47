import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { SupplierError } from '../../model/supplier.js';
import type { CallHandle } from '../http-client.js';
import { CallRejectedError } from './call-rejected.js';

/** Price checks and bookings (`booking`) go before `search`. */
export type Priority = 'search' | 'booking';

/** Why the bulkhead rejected a call. */
export type BulkheadRejection = 'queue_full' | 'waited' | 'quota' | 'paused';

/** One HTTP call that wants to pass the bulkhead. */
export interface BulkheadEntry {
  /** The account for which the call is made, with all its applications; empty for background work. */
  readonly account: string;
  readonly priority: Priority;
  /** The longest wait for a place, not counting a pause. */
  readonly maxWaitMs: number;
  /** When it is too late to start, on the clock of the bulkhead: a longer pause isn't waited for. */
  readonly latestStartMs: number;
  /** Its `abort` ends the wait. */
  readonly handle: CallHandle;
  /** Called with the time that the call waited. */
  held(ms: number): void;
  /** Called if the call is rejected. */
  refused(why: BulkheadRejection): void;
}

/** What limits the calls of a bulkhead per second. */
export interface Tokens {
  /** Takes one for a call; false if none is left. */
  take(): boolean;
  /** Milliseconds until there is one for a call with `ahead` (0) others before it. */
  waitMs(ahead?: number): number;
}

/** The limits of one bulkhead. */
interface BulkheadSettings
  extends Pick<SupplierConfig['resilience']['bulkhead'], 'queue' | 'searchShare' | 'accountShare'> {
  /** The most calls in flight, at least one. It may change; `admitWaiting` uses places that became free. */
  readonly places: () => number;
  /** Absent = any number of calls per second. */
  readonly tokens?: Tokens | undefined;
  /** Whether the supplier's quota limits the calls, not the gateway's sockets. */
  readonly hasQuota: boolean;
}

interface Waiter {
  readonly latestStartMs: number;
  enter(): void;
  reject(why: BulkheadRejection): void;
}

/** The calls of one priority of one account. */
type Lane = { readonly waiting: Waiter[]; inFlight: number };

/** The calls of one account. */
interface Line {
  readonly booking: Lane;
  readonly search: Lane;
  /** Calls admitted; an account that had none waiting counts from where the one admitted last does. */
  served: number;
}

/**
 * Bounds some calls to one supplier. It limits the HTTP calls in flight, reserving some of them for bookings, the
 * calls per second, and the number and waiting time of queued calls. It is fair between accounts: one alone never
 * takes all places, and waiting calls are admitted from the account that was served least (decision 0026).
 */
export class Bulkhead {
  /** One line for each account that has calls in flight or waiting. */
  readonly #lines = new Map<string, Line>();
  readonly #waiting = { booking: 0, search: 0 };
  #inFlight = 0;
  #searches = 0;
  /** `served` of the account that was admitted last, before it was. */
  #servedLast = 0;
  #pausedUntilMs = 0;
  #refill: NodeJS.Timeout | undefined;

  /** `queued` is called with the length of the queue after each change. */
  constructor(
    private readonly settings: BulkheadSettings,
    private readonly now: () => number,
    private readonly queued: (length: number) => void,
  ) {}

  /** How many calls are in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many calls wait. */
  get waiting(): number {
    return this.#waiting.booking + this.#waiting.search;
  }

  /** Runs `work` when it is admitted. Otherwise rejects with CallRejectedError, `throttled` or `unavailable`. */
  async pass<T>(entry: BulkheadEntry, work: () => Promise<T>): Promise<T> {
    const { account, priority } = entry;
    if (!this.#tryEnter(entry, priority)) await this.#waitForTurn(entry, priority);
    try {
      return await work();
    } finally {
      this.#leave(account, priority);
    }
  }

  /**
   * Admits no calls for `ms`, because the supplier requested it. Waiting calls keep waiting, without a
   * place, unless it would be too late to start them; those are rejected immediately.
   */
  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.now() + ms);
    for (const { booking, search } of [...this.#lines.values()])
      for (const waiter of [...booking.waiting, ...search.waiting])
        if (this.#pausedUntilMs > waiter.latestStartMs) waiter.reject('paused');
  }

  get #isPaused(): boolean {
    return this.#pausedUntilMs > this.now();
  }

  #tryEnter(entry: BulkheadEntry, priority: Priority): boolean {
    if (this.#isPaused && this.#pausedUntilMs > entry.latestStartMs) throw this.#refusal(entry, 'paused');
    const line = this.#lineOf(entry.account);
    // Calls that an account didn't need earlier give it no right to more now.
    if (line.booking.waiting.length + line.search.waiting.length === 0)
      line.served = Math.max(line.served, this.#servedLast);
    // Whatever waits has no place now, but may be about to get the next token.
    const { tokens } = this.settings;
    const isFirst = this.waiting === 0 || !tokens;
    if (!this.#isPaused && isFirst && this.#hasPlace(line, priority) && this.#take(line, priority)) return true;
    try {
      if (this.#waiting[priority] >= this.settings.queue) this.#makeRoom(entry, line, priority);
      if (tokens && tokens.waitMs(this.#ahead(line, priority)) > entry.maxWaitMs) throw this.#refusal(entry, 'quota');
    } finally {
      this.#forget(entry.account, line);
    }
    return false;
  }

  /** Rejects the newest call of the account that has the most in the full queue, or throws if it is this one. */
  #makeRoom(entry: BulkheadEntry, own: Line, priority: Priority): void {
    const [longest = own] = [...this.#lines.values()].sort(
      (a, b) => b[priority].waiting.length - a[priority].waiting.length,
    );
    const last = longest[priority].waiting.at(-1);
    if (!last || longest[priority].waiting.length <= own[priority].waiting.length)
      throw this.#refusal(entry, 'queue_full');
    last.reject('queue_full');
  }

  /** How many waiting calls go before a new one: all of its own account, and as many of each other one. */
  #ahead(own: Line, priority: Priority): number {
    const ahead = own.booking.waiting.length + (priority === 'search' ? own.search.waiting.length : 0);
    let others = 0;
    for (const line of this.#lines.values())
      if (line !== own) others += Math.min(ahead + 1, line.booking.waiting.length + line.search.waiting.length);
    return ahead + others;
  }

  /** Waits until the call is admitted and counted as in flight. */
  #waitForTurn(entry: BulkheadEntry, priority: Priority): Promise<void> {
    const { account } = entry;
    const line = this.#lineOf(account);
    const lane = line[priority];
    const since = this.now();
    return new Promise<void>((resolve, reject) => {
      const over = (): void => {
        clearTimeout(timer);
        entry.held(this.now() - since);
      };
      const leaves = (error: SupplierError): void => {
        const at = lane.waiting.indexOf(waiter);
        if (at === -1) return;
        lane.waiting.splice(at, 1);
        this.#waiting[priority] -= 1;
        this.#forget(account, line);
        this.queued(this.waiting);
        over();
        reject(error);
      };
      const waiter: Waiter = {
        latestStartMs: entry.latestStartMs,
        enter: () => {
          over();
          resolve();
        },
        reject: (why) => leaves(this.#refusal(entry, why)),
      };
      const giveUp = (): void => {
        // The time until the end of a pause doesn't count.
        const leftMs = Math.max(since, this.#pausedUntilMs) + entry.maxWaitMs - this.now();
        if (leftMs < 1) waiter.reject('waited');
        else timer = setTimeout(giveUp, leftMs);
      };
      let timer = setTimeout(giveUp, entry.maxWaitMs);
      entry.handle.abort = (error) => leaves(new SupplierError(error.fault, error.message, false));
      lane.waiting.push(waiter);
      this.#waiting[priority] += 1;
      this.admitWaiting();
    });
  }

  #refusal(entry: BulkheadEntry, why: BulkheadRejection): CallRejectedError {
    entry.refused(why);
    const isPaused = why === 'paused';
    const fault = isPaused || this.settings.hasQuota ? 'throttled' : 'unavailable';
    return new CallRejectedError(fault, WHY[why], isPaused ? 'throttled' : 'own_limit');
  }

  /**
   * Whether a place is free for the account. The more it has, the more must be free, and the last one is for an
   * account that has none.
   */
  #hasPlace(line: Line, priority: Priority): boolean {
    const { accountShare, searchShare } = this.settings;
    const places = this.settings.places();
    const forSearches = Math.max(1, Math.floor(places * searchShare)) - this.#searches;
    const free = Math.min(places - this.#inFlight, priority === 'search' ? forSearches : places);
    return free > 0 && line[priority].inFlight * (1 - accountShare) <= accountShare * (free - 1);
  }

  /** Takes a token and a place that is free; false without a token. */
  #take(line: Line, priority: Priority): boolean {
    if (this.settings.tokens?.take() === false) return false;
    this.#inFlight += 1;
    if (priority === 'search') this.#searches += 1;
    line[priority].inFlight += 1;
    this.#servedLast = Math.max(this.#servedLast, line.served);
    line.served += 1;
    return true;
  }

  #leave(account: string, priority: Priority): void {
    this.#inFlight -= 1;
    if (priority === 'search') this.#searches -= 1;
    const line = this.#lineOf(account);
    line[priority].inFlight -= 1;
    this.#forget(account, line);
    if (this.waiting > 0) this.admitWaiting();
  }

  /** Admits waiting calls as far as there are places and tokens. */
  admitWaiting(): void {
    const pauseMs = this.#pausedUntilMs - this.now();
    for (let next = this.#next(); next && this.#take(next.line, next.priority); next = this.#next()) {
      this.#waiting[next.priority] -= 1;
      next.line[next.priority].waiting.shift()?.enter();
    }
    this.queued(this.waiting);
    const refillMs = this.waiting > 0 ? Math.ceil(Math.max(pauseMs, this.settings.tokens?.waitMs() ?? 0)) : 0;
    if (refillMs <= 0 || this.#refill) return;
    // The timers of the waiting calls keep the process alive.
    this.#refill = setTimeout(() => {
      this.#refill = undefined;
      this.admitWaiting();
    }, refillMs).unref();
  }

  /** The account served least of those with a waiting call and a place for it, unless paused; a booking is worth one call. */
  #next(): { readonly line: Line; readonly priority: Priority } | undefined {
    if (this.#isPaused) return undefined;
    let next: { readonly line: Line; readonly priority: Priority } | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const line of this.#lines.values()) {
      const priority = PRIORITIES.find((one) => line[one].waiting.length > 0 && this.#hasPlace(line, one));
      if (!priority) continue;
      const served = line.served - (priority === 'booking' ? 1 : 0);
      if (served >= least) continue;
      least = served;
      next = { line, priority };
    }
    return next;
  }

  #lineOf(account: string): Line {
    const known = this.#lines.get(account);
    if (known) return known;
    const line = { booking: { waiting: [], inFlight: 0 }, search: { waiting: [], inFlight: 0 }, served: 0 };
    this.#lines.set(account, line);
    return line;
  }

  #forget(account: string, { booking, search }: Line): void {
    if (booking.inFlight + search.inFlight + booking.waiting.length + search.waiting.length === 0)
      this.#lines.delete(account);
  }
}

const PRIORITIES = ['booking', 'search'] as const;

const WHY: Readonly<Record<BulkheadRejection, string>> = {
  queue_full: 'the queue of the supplier is full',
  waited: 'no connection became free in time',
  quota: 'the quota of the supplier doesn’t allow a call in time',
  paused: 'the supplier requested a pause',
};
