import { FairQueue } from '../../config/fair-queue.js';
import { loopLag } from '../../metrics/loop-lag.js';
import { AdaptiveLimit } from './adaptive-limit.js';

/** Requests that may begin in one turn of the event loop, and the time after which no further one begins. */
const MOST_PER_TURN = 32;
const MOST_MS = 8;

/** Waiting requests of each class. */
const MOST_WAITING = 1_000;
/** Bookings may exceed the limit by this factor, so that they don't wait for searches to end. */
const RESERVE = 1.25;
/** After this many bookings, a waiting search begins, so that a flood of bookings doesn't stop all searches. */
const BOOKINGS_PER_SEARCH = 3;

/** The longest wait. A longer one would make every response late in lasting overload, without answering one more. */
const WAIT_MS = { search: 2_000, booking: 5_000 };
const SWEEP_MS = 50;

/** A request that wants to begin. */
export interface AdmissionEntry {
  /** Whom it is from: waiting requests are served in rotation between callers. */
  readonly caller: string;
  /** Whether the caller was authenticated before. All others together get at most half of the places, of which each gets no more than it leaves free. */
  readonly isKnown: boolean;
  /** Whether it is for a reservation; these go before all others. */
  readonly isBooking: boolean;
  /** Called once when the request may begin, with the milliseconds it waited. `leave` must be called with this entry when its response is ready. */
  begin(waitedMs: number): void;
  /** Called instead of `begin` if the gateway has more to do than it can. */
  refuse(): void;
  /** Whether the client has disconnected: the request is dropped. */
  isGone(): boolean;
}

interface Waiting {
  readonly entry: AdmissionEntry;
  readonly sinceMs: number;
}

/** What the admission did, for logs and metrics. */
export interface AdmissionState {
  readonly limit: number;
  readonly running: number;
  readonly waiting: number;
}

/**
 * Decides when requests begin (decision 0036): spreads a burst over several turns of the event loop, limits the requests in progress
 * to what the loop can do, and refuses those that would have to wait too long, before any work is done for them.
 */
export class Admission {
  readonly #bookings = new FairQueue<Waiting>(MOST_WAITING);
  readonly #searches = new FairQueue<Waiting>(MOST_WAITING);
  readonly #limit: AdaptiveLimit;
  #running = 0;
  /** Requests in progress by known caller, and by network of the others; only those that have any. */
  readonly #known = new Map<string, number>();
  readonly #unknown = new Map<string, number>();
  #unknownRunning = 0;
  /** Bookings that began since the last waiting search did. */
  #bookingsBegun = 0;
  #endWatch: (() => number) | undefined;
  #begun = 0;
  #turnSinceMs = 0;
  #isTurnPending = false;
  #sweeper: NodeJS.Timeout | undefined;

  /** `most` requests are in progress at a time, even if the loop could do more. `now` is a monotonic clock in milliseconds. */
  constructor(
    private readonly most: number,
    private readonly now: () => number = () => performance.now(),
    limit: AdaptiveLimit = new AdaptiveLimit(most),
  ) {
    this.#limit = limit;
  }

  get state(): AdmissionState {
    return { limit: this.#limit.current, running: this.#running, waiting: this.#waiting };
  }

  /** Begins the request now or when it is its turn, or refuses it. */
  enter(entry: AdmissionEntry): void {
    this.#limit.adapt(this.#running, this.#waiting > 0);
    if (this.#waiting === 0 && this.#hasPlace(entry) && this.#hasTime()) this.#begin(entry, 0);
    else this.#wait(entry);
  }

  /** The response of a request that had begun is ready, or its client is gone. */
  leave({ caller, isKnown }: AdmissionEntry): void {
    this.#running -= 1;
    if (!isKnown) this.#unknownRunning -= 1;
    const callers = isKnown ? this.#known : this.#unknown;
    const left = (callers.get(caller) ?? 1) - 1;
    if (left === 0) callers.delete(caller);
    else callers.set(caller, left);
    if (this.#running === 0) this.#endWatch?.();
    this.#limit.adapt(this.#running, this.#waiting > 0);
    if (this.#waiting > 0) this.#planTurn();
  }

  get #waiting(): number {
    return this.#bookings.length + this.#searches.length;
  }

  #wait(entry: AdmissionEntry): void {
    const queue = entry.isBooking ? this.#bookings : this.#searches;
    queue.push(entry.caller, { entry, sinceMs: this.now() })?.entry.refuse();
    this.#planTurn();
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS);
  }

  /**
   * Whether a place is free for the caller. Of all places that there ever are, one caller gets at most half, and so do
   * all unknown ones together: requests that only wait for suppliers don't shut out others. Nor do those that began while the limit was
   * higher: beyond what each caller would have if the places were divided among all, they don't count for one that has less. An unknown
   * one gets no more than are left for the other unknown ones: the only one a half of them, each of two a third.
   */
  #hasPlace({ caller, isKnown, isBooking }: AdmissionEntry): boolean {
    const mayExceed = isBooking || this.#isSearchDue;
    const limit = Math.floor(this.#limit.current * (mayExceed ? RESERVE : 1));
    const own = (isKnown ? this.#known : this.#unknown).get(caller) ?? 0;
    const left = this.most / 2 - (isKnown ? 0 : this.#unknownRunning);
    if (own >= left) return false;
    if (this.#running < limit) return true;
    const share = Math.max(1, Math.floor(limit / (this.#known.size + 1)));
    return (isKnown ? own : this.#unknownRunning) < share && this.#runningWithin(share) < limit;
  }

  /** Requests in progress, of which each known caller, and all unknown ones together, count with at most `share`. */
  #runningWithin(share: number): number {
    let within = Math.min(share, this.#unknownRunning);
    for (const count of this.#known.values()) within += Math.min(share, count);
    return within;
  }

  #hasTime(): boolean {
    if (this.#begun === 0) return true;
    return this.#begun < MOST_PER_TURN && this.now() - this.#turnSinceMs < MOST_MS;
  }

  #begin(entry: AdmissionEntry, waitedMs: number): void {
    if (this.#begun === 0) this.#turnSinceMs = this.now();
    this.#begun += 1;
    this.#planTurn();
    this.#running += 1;
    const callers = entry.isKnown ? this.#known : this.#unknown;
    callers.set(entry.caller, (callers.get(entry.caller) ?? 0) + 1);
    if (!entry.isKnown) this.#unknownRunning += 1;
    if (this.#running === 1) this.#endWatch = loopLag.watch();
    entry.begin(waitedMs);
  }

  #planTurn(): void {
    if (this.#isTurnPending) return;
    this.#isTurnPending = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isTurnPending = false;
    this.#begun = 0;
    // A callback for each, so that the time includes what the one before did in promises.
    for (let left = Math.min(this.#waiting, MOST_PER_TURN); left > 0; left -= 1) setImmediate(() => this.#beginNext());
  }

  #beginNext(): void {
    if (!this.#hasTime()) return;
    const next = this.#next();
    if (next) this.#begin(next.entry, this.now() - next.sinceMs);
  }

  /** The next request that has a place and whose client still waits. */
  #next(): Waiting | undefined {
    const order = this.#isSearchDue ? [this.#searches, this.#bookings] : [this.#bookings, this.#searches];
    for (const queue of order) {
      const next = this.#firstOf(queue);
      if (!next) continue;
      this.#bookingsBegun = next.entry.isBooking ? this.#bookingsBegun + 1 : 0;
      return next;
    }
    return undefined;
  }

  get #isSearchDue(): boolean {
    return this.#bookingsBegun >= BOOKINGS_PER_SEARCH;
  }

  #firstOf(queue: FairQueue<Waiting>): Waiting | undefined {
    for (;;) {
      const next = queue.shift(({ entry }) => entry.isGone() || this.#hasPlace(entry));
      if (!next?.entry.isGone()) return next;
    }
  }

  /** Refuses requests that have waited too long. */
  #sweep(): void {
    const now = this.now();
    const isOlder = (ms: number) => (waiting: Waiting) => now - waiting.sinceMs > ms;
    const over = [
      ...this.#bookings.removeWhile(isOlder(WAIT_MS.booking)),
      ...this.#searches.removeWhile(isOlder(WAIT_MS.search)),
    ];
    for (const { entry } of over) if (!entry.isGone()) entry.refuse();
    this.#limit.adapt(this.#running, this.#waiting > 0);
    if (this.#waiting > 0) {
      this.#planTurn();
      return;
    }
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}
