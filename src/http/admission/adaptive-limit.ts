import { performance } from 'node:perf_hooks';
import { loopLag } from '../../metrics/loop-lag.js';

/** How often the limit may change. */
const WINDOW_MS = 100;
/** The average delay of due work at which the event loop has enough to do. Less would leave it idle at times. */
const TARGET_LAG_MS = 25;
/** The loop is saturated if it was idle for less than this share of a window. */
const SATURATED_IDLE_SHARE = 0.1;
/** A saturated loop always gets this many requests to work on. */
const LEAST = 32;

/** What the event loop did since the last reading. */
export interface LoopReading {
  /** The share of the time in which it waited for events, 0 to 1. */
  readonly idleShare: number;
  /** How late due work was, on average, in milliseconds. */
  readonly lagMs: number;
}

/**
 * The number of requests that the process works on at a time, adapted to what its event loop can do (decision 0036).
 * Requests that wait for suppliers cost nothing and aren't limited; those that wait for the loop show as its delay. While the loop is
 * saturated and work on it is late, the limit shrinks below the requests in progress, by at most half per window; while
 * requests wait and it isn't, the limit grows, the faster the more the loop is idle.
 */
export class AdaptiveLimit {
  #limit: number;
  #windowEndsMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly most: number,
    private readonly read: () => LoopReading = loopReader(),
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#limit = most;
  }

  /** Never below 1. */
  get current(): number {
    return Math.floor(this.#limit);
  }

  /** Adapts the limit if a window has passed. `isReached`: whether requests wait because of the limit. */
  adapt(running: number, isReached: boolean): void {
    const now = this.now();
    if (now < this.#windowEndsMs) return;
    const isStale = now > this.#windowEndsMs + 10 * WINDOW_MS;
    this.#windowEndsMs = now + WINDOW_MS;
    const { idleShare, lagMs } = this.read();
    // A reading over a long time says nothing about now.
    if (isStale) return;
    if (idleShare < SATURATED_IDLE_SHARE && lagMs > TARGET_LAG_MS) {
      const base = Math.min(this.#limit, running);
      this.#limit = Math.max(Math.min(LEAST, this.most), base * Math.max(0.5, TARGET_LAG_MS / lagMs));
    } else if (isReached) {
      this.#limit = Math.min(this.most, this.#limit * (1.1 + 0.5 * Math.min(1, idleShare / 0.5)) + 1);
    }
  }
}

/** Reads this process's event loop. It is sampled only while requests are in progress. */
function loopReader(): () => LoopReading {
  let before = performance.eventLoopUtilization();
  let lagBefore = loopLag.counted;
  return () => {
    const used = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(used, before);
    const lag = loopLag.counted;
    const samples = lag.samples - lagBefore.samples;
    const reading = {
      idleShare: 1 - utilization,
      lagMs: samples === 0 ? WINDOW_MS : (lag.totalMs - lagBefore.totalMs) / samples,
    };
    before = used;
    lagBefore = lag;
    return reading;
  };
}
