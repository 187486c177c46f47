import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { SupplierError } from '../../model/supplier.js';
import type { CallHandle } from '../http-client.js';
import { CallRejectedError } from './call-rejected.js';
import { TokenBucket } from './token-bucket.js';

/**
 * Price checks and bookings (`booking`) go before `search`. `essential` calls never wait and are never rejected: those
 * for an existing reservation, and the remaining calls of a booking that has already started.
 */
export type Priority = 'search' | 'booking' | 'essential';

/** Why the bulkhead rejected a call. */
export type BulkheadRejection = 'queue_full' | 'waited' | 'quota' | 'paused';

/** One HTTP call that wants to pass the bulkhead. */
export interface BulkheadEntry {
  readonly priority: Priority;
  readonly maxWaitMs: number;
  /** Its `abort` ends the wait. */
  readonly handle: CallHandle;
  /** Called with the time that the call waited. */
  held(ms: number): void;
  /** Called if the call is rejected. */
  refused(why: BulkheadRejection): void;
}

type BulkheadSettings = Pick<SupplierConfig, 'connections' | 'quota'> & {
  readonly bulkhead: SupplierConfig['resilience']['bulkhead'];
};

interface Waiter {
  readonly priority: Exclude<Priority, 'essential'>;
  enter(): void;
  reject(why: BulkheadRejection): void;
}

/** Limits the pause that a supplier can request, so that a wrong header doesn't disable it for good. */
const MAX_PAUSE_MS = 60_000;

/**
 * Bulkhead and quota of one supplier. It limits the HTTP calls in flight, reserving some of them for bookings, the
 * calls per second, and the number and waiting time of queued calls.
 */
export class Bulkhead {
  readonly #maxCalls: number;
  readonly #maxSearches: number;
  readonly #bucket: TokenBucket | undefined;
  readonly #booking: Waiter[] = [];
  readonly #search: Waiter[] = [];
  #inFlight = 0;
  #searches = 0;
  #pausedUntilMs = 0;
  #refill: NodeJS.Timeout | undefined;

  /** `queued` is called with the length of the queue after each change. */
  constructor(
    private readonly settings: BulkheadSettings,
    private readonly now: () => number,
    private readonly queued: (length: number) => void,
  ) {
    const { connections, quota, bulkhead } = settings;
    this.#maxCalls = Math.min(connections, quota.concurrent ?? connections);
    this.#maxSearches = Math.max(1, Math.floor(this.#maxCalls * bulkhead.searchShare));
    if (quota.perSecond !== undefined)
      this.#bucket = new TokenBucket(quota.perSecond, quota.burst ?? Math.ceil(quota.perSecond / 10), now);
  }

  /** Runs `work` when it is admitted. Otherwise rejects with CallRejectedError, `throttled` or `unavailable`. */
  async pass<T>(entry: BulkheadEntry, work: () => Promise<T>): Promise<T> {
    if (!this.#tryEnter(entry)) await this.#waitForTurn(entry);
    try {
      return await work();
    } finally {
      this.#leave(entry.priority);
    }
  }

  /** Admits only essential calls for `ms`, because the supplier requested it. Rejects all waiting calls immediately. */
  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.now() + Math.min(ms, MAX_PAUSE_MS));
    for (const waiter of [...this.#booking, ...this.#search]) waiter.reject('paused');
  }

  #tryEnter(entry: BulkheadEntry): boolean {
    const { priority } = entry;
    if (priority === 'essential') {
      this.#bucket?.overdraw();
      this.#count(priority);
      return true;
    }
    if (this.#pausedUntilMs > this.now()) throw this.#refusal(entry, 'paused');
    const ahead = priority === 'booking' ? this.#booking.length : this.#booking.length + this.#search.length;
    if (ahead === 0 && this.#tryTake(priority)) return true;
    // `ahead` doesn't count searches for a booking, because it goes before them.
    if (ahead >= this.settings.bulkhead.queue) throw this.#refusal(entry, 'queue_full');
    if (this.#bucket && this.#bucket.waitMs(ahead) > entry.maxWaitMs) throw this.#refusal(entry, 'quota');
    return false;
  }

  /** Waits until the call is admitted and counted as in flight. */
  #waitForTurn(entry: BulkheadEntry & { readonly priority: Priority }): Promise<void> {
    const priority = entry.priority === 'search' ? 'search' : 'booking';
    const queue = priority === 'search' ? this.#search : this.#booking;
    const since = this.now();
    return new Promise<void>((resolve, reject) => {
      const over = (): void => {
        clearTimeout(timer);
        entry.held(this.now() - since);
      };
      const leaves = (error: SupplierError): void => {
        const at = queue.indexOf(waiter);
        if (at === -1) return;
        queue.splice(at, 1);
        this.queued(this.#booking.length + this.#search.length);
        over();
        reject(error);
      };
      const waiter: Waiter = {
        priority,
        enter: () => {
          over();
          resolve();
        },
        reject: (why) => leaves(this.#refusal(entry, why)),
      };
      const timer = setTimeout(() => waiter.reject('waited'), entry.maxWaitMs);
      entry.handle.abort = (error) => leaves(new SupplierError(error.fault, error.message, false));
      queue.push(waiter);
      this.#admitWaiting();
    });
  }

  #refusal(entry: BulkheadEntry, why: BulkheadRejection): CallRejectedError {
    entry.refused(why);
    // Whether the supplier's quota limits calls, not the gateway's sockets.
    const hasQuota = this.#bucket !== undefined || this.settings.quota.concurrent !== undefined;
    return new CallRejectedError(why === 'paused' || hasQuota ? 'throttled' : 'unavailable', WHY[why]);
  }

  #tryTake(priority: Priority): boolean {
    if (this.#inFlight >= this.#maxCalls || (priority === 'search' && this.#searches >= this.#maxSearches))
      return false;
    if (this.#bucket && !this.#bucket.take()) return false;
    this.#count(priority);
    return true;
  }

  #count(priority: Priority): void {
    this.#inFlight += 1;
    if (priority === 'search') this.#searches += 1;
  }

  #leave(priority: Priority): void {
    this.#inFlight -= 1;
    if (priority === 'search') this.#searches -= 1;
    if (this.#booking.length + this.#search.length > 0) this.#admitWaiting();
  }

  #admitWaiting(): void {
    for (;;) {
      const queue = this.#booking.length > 0 ? this.#booking : this.#search;
      const [first] = queue;
      if (!first || !this.#tryTake(first.priority)) break;
      queue.shift();
      first.enter();
    }
    const waiting = this.#booking.length + this.#search.length;
    this.queued(waiting);
    const refillMs = waiting > 0 ? Math.ceil(this.#bucket?.waitMs() ?? 0) : 0;
    if (refillMs === 0 || this.#refill) return;
    // The timers of the waiting calls keep the process alive.
    this.#refill = setTimeout(() => {
      this.#refill = undefined;
      this.#admitWaiting();
    }, refillMs).unref();
  }
}

const WHY: Readonly<Record<BulkheadRejection, string>> = {
  queue_full: 'the queue of the supplier is full',
  waited: 'no connection became free in time',
  quota: 'the quota of the supplier allows no call in time',
  paused: 'the supplier requested a pause',
};

/** Parses Retry-After (seconds or a date) to milliseconds; 0 if it is absent or invalid. */
export function retryAfterMs(header: string | string[] | undefined, epochMs: number): number {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return 0;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - epochMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
