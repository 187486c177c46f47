import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { SupplierError } from '../../model/supplier.js';
import type { CallHandle } from '../http-client.js';
import { CallRejectedError } from './call-rejected.js';
import { TokenBucket } from './token-bucket.js';

/**
 * Who goes first. `booking` (price checks, bookings) before `search`; `must` never waits and is never refused: what concerns an existing
 * reservation, and the rest of a booking whose first part has left.
 */
export type Lane = 'search' | 'booking' | 'must';

/** Why a call did not get out of the gateway. */
export type BulkheadRejection = 'queue_full' | 'waited' | 'quota' | 'paused';

/** One HTTP call at the bulkhead. */
export interface BulkheadEntry {
  readonly lane: Lane;
  /** Longest wait, milliseconds. */
  readonly patienceMs: number;
  /** Its `abort` ends the wait. */
  readonly handle: CallHandle;
  /** Told how long it was held back. */
  held(ms: number): void;
  /** Told when it is refused. */
  refused(why: BulkheadRejection): void;
}

type GateSettings = Pick<SupplierConfig, 'connections' | 'quota'> & {
  readonly bulkhead: SupplierConfig['resilience']['bulkhead'];
};

interface Waiter {
  readonly lane: Exclude<Lane, 'must'>;
  enter(): void;
  turnAway(why: BulkheadRejection): void;
}

/** A supplier may stop us for so long at most; without a limit one wrong header would switch it off for good. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * The way out to one supplier: bulkhead and quota in one. At most so many HTTP calls are under way, a part of them never searches; so many begin a
 * second; so many wait, none of them long. A call that finds room pays a few comparisons.
 */
export class Bulkhead {
  readonly #most: number;
  readonly #mostSearches: number;
  readonly #bucket: TokenBucket | undefined;
  readonly #booking: Waiter[] = [];
  readonly #search: Waiter[] = [];
  #underWay = 0;
  #searches = 0;
  #pausedUntilMs = 0;
  #refill: NodeJS.Timeout | undefined;

  /** `queued` is told how many wait after each change. */
  constructor(
    private readonly settings: GateSettings,
    private readonly now: () => number,
    private readonly queued: (length: number) => void,
  ) {
    const { connections, quota, bulkhead } = settings;
    this.#most = Math.min(connections, quota.concurrent ?? connections);
    this.#mostSearches = Math.max(1, Math.floor(this.#most * bulkhead.searchShare));
    if (quota.perSecond !== undefined)
      this.#bucket = new TokenBucket(quota.perSecond, quota.burst ?? Math.ceil(quota.perSecond / 10), now);
  }

  /** Does `work` when it is its turn. Rejects with CallRejectedError, `throttled` or `unavailable`, when its turn does not come. */
  async pass<T>(entry: BulkheadEntry, work: () => Promise<T>): Promise<T> {
    if (!this.#enters(entry)) await this.#turn(entry);
    try {
      return await work();
    } finally {
      this.#leave(entry.lane);
    }
  }

  /** The supplier asked for silence: until then only what must go. Who waits is told at once. */
  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.now() + Math.min(ms, LONGEST_PAUSE_MS));
    for (const waiter of [...this.#booking, ...this.#search]) waiter.turnAway('paused');
  }

  #enters(entry: BulkheadEntry): boolean {
    const { lane } = entry;
    if (lane === 'must') {
      this.#bucket?.overdraw();
      this.#count(lane);
      return true;
    }
    if (this.#pausedUntilMs > this.now()) throw this.#refusal(entry, 'paused');
    const ahead = lane === 'booking' ? this.#booking.length : this.#booking.length + this.#search.length;
    if (ahead === 0 && this.#takes(lane)) return true;
    // A queue full of searches is none to a booking, which goes before them.
    if (ahead >= this.settings.bulkhead.queue) throw this.#refusal(entry, 'queue_full');
    if (this.#bucket && this.#bucket.waitMs(ahead) > entry.patienceMs) throw this.#refusal(entry, 'quota');
    return false;
  }

  /** Waits for the turn; afterwards it is counted as under way. */
  #turn(entry: BulkheadEntry & { readonly lane: Lane }): Promise<void> {
    const lane = entry.lane === 'search' ? 'search' : 'booking';
    const queue = lane === 'search' ? this.#search : this.#booking;
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
        lane,
        enter: () => {
          over();
          resolve();
        },
        turnAway: (why) => leaves(this.#refusal(entry, why)),
      };
      const timer = setTimeout(() => waiter.turnAway('waited'), entry.patienceMs);
      entry.handle.abort = (error) => leaves(new SupplierError(error.fault, error.message, false));
      queue.push(waiter);
      this.#drain();
    });
  }

  #refusal(entry: BulkheadEntry, why: BulkheadRejection): CallRejectedError {
    entry.refused(why);
    // Whether it is the supplier's quota that holds calls back, and not our own sockets.
    const hasQuota = this.#bucket !== undefined || this.settings.quota.concurrent !== undefined;
    return new CallRejectedError(why === 'paused' || hasQuota ? 'throttled' : 'unavailable', WHY[why]);
  }

  #takes(lane: Lane): boolean {
    if (this.#underWay >= this.#most || (lane === 'search' && this.#searches >= this.#mostSearches)) return false;
    if (this.#bucket && !this.#bucket.take()) return false;
    this.#count(lane);
    return true;
  }

  #count(lane: Lane): void {
    this.#underWay += 1;
    if (lane === 'search') this.#searches += 1;
  }

  #leave(lane: Lane): void {
    this.#underWay -= 1;
    if (lane === 'search') this.#searches -= 1;
    if (this.#booking.length + this.#search.length > 0) this.#drain();
  }

  #drain(): void {
    for (;;) {
      const queue = this.#booking.length > 0 ? this.#booking : this.#search;
      const [first] = queue;
      if (!first || !this.#takes(first.lane)) break;
      queue.shift();
      first.enter();
    }
    const waiting = this.#booking.length + this.#search.length;
    this.queued(waiting);
    const refillMs = waiting > 0 ? Math.ceil(this.#bucket?.waitMs() ?? 0) : 0;
    if (refillMs === 0 || this.#refill) return;
    // Those who wait have timers of their own, which keep the process alive as long as they do.
    this.#refill = setTimeout(() => {
      this.#refill = undefined;
      this.#drain();
    }, refillMs).unref();
  }
}

const WHY: Readonly<Record<BulkheadRejection, string>> = {
  queue_full: 'too many calls wait for the supplier',
  waited: 'no turn in time',
  quota: 'no turn in time under the quota of the supplier',
  paused: 'the supplier asked for a pause',
};

/** Milliseconds that a Retry-After asks for (seconds or a date); 0 for none or one that cannot be read. */
export function retryAfterMs(header: string | string[] | undefined, epochMs: number): number {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return 0;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - epochMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
