import type { CountedObjective } from '../metrics/slo-counts.js';

/** Events of an objective within a window. */
export interface WindowCount {
  readonly good: number;
  readonly bad: number;
}

/** Longer than the longest window of a burn, 6 hours. */
const SLOTS = 722;
const SLOT_MS = 30_000;

/**
 * What the counts of objectives were over the last six hours, one snapshot per 30 seconds, in memory of fixed size: 12 kB per
 * objective. Counts of an objective begin at 0 when it is set.
 */
export class BurnWindows {
  readonly #times = new Float64Array(SLOTS);
  readonly #counts = new WeakMap<CountedObjective, Float64Array>();
  /** Snapshots so far. */
  #taken = 0;

  /** `nowMs` is a monotonic clock; before it, nothing was counted. */
  constructor(nowMs: number) {
    this.#times[0] = nowMs;
    this.#taken = 1;
  }

  /** Keeps the counts if the last snapshot is 30 seconds old. */
  note(objectives: readonly CountedObjective[], nowMs: number): void {
    if (nowMs - (this.#times[(this.#taken - 1) % SLOTS] ?? 0) < SLOT_MS) return;
    const slot = this.#taken % SLOTS;
    this.#times[slot] = nowMs;
    this.#taken += 1;
    for (const objective of objectives) {
      const counts = this.#countsOf(objective);
      counts[2 * slot] = objective.good;
      counts[2 * slot + 1] = objective.bad;
    }
  }

  /** Events of the last `windowMs`, or since the process started if that is later. Up to 30 seconds more. */
  count(objective: CountedObjective, windowMs: number, nowMs: number): WindowCount {
    const slot = this.#newestBefore(nowMs - windowMs);
    const counts = this.#countsOf(objective);
    return { good: objective.good - (counts[2 * slot] ?? 0), bad: objective.bad - (counts[2 * slot + 1] ?? 0) };
  }

  #newestBefore(atMs: number): number {
    let [oldest, newest] = [Math.max(0, this.#taken - SLOTS), this.#taken - 1];
    while (oldest < newest) {
      const middle = Math.ceil((oldest + newest) / 2);
      if ((this.#times[middle % SLOTS] ?? 0) > atMs) newest = middle - 1;
      else oldest = middle;
    }
    return oldest % SLOTS;
  }

  #countsOf(objective: CountedObjective): Float64Array {
    const known = this.#counts.get(objective);
    if (known) return known;
    const counts = new Float64Array(2 * SLOTS);
    this.#counts.set(objective, counts);
    return counts;
  }
}
