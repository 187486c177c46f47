/** How one call of a supplier went, for its breaker. `unknown` = it ended before it told anything. */
export type Health = 'good' | 'slow' | 'failed' | 'unknown';

/** Sums over a rolling window. */
export interface WindowCounts {
  readonly calls: number;
  readonly failed: number;
  /** Answered, but too late to be of use to a caller who is in a hurry. Failed calls are not among them. */
  readonly slow: number;
}

const SLOTS = 10;

/**
 * Counts calls over the last `windowMs`, in tenths of it: what is older goes a tenth at a time. One addition and mostly no more a call. `now` in
 * milliseconds of any clock that never goes back.
 */
export class RollingWindow {
  readonly #calls = new Uint32Array(SLOTS);
  readonly #failed = new Uint32Array(SLOTS);
  readonly #slow = new Uint32Array(SLOTS);
  readonly #slotMs: number;
  #newest = 0;

  constructor(
    windowMs: number,
    private readonly now: () => number,
  ) {
    this.#slotMs = windowMs / SLOTS;
    this.#newest = this.#slotNow();
  }

  add(health: Exclude<Health, 'unknown'>): void {
    const slot = this.#advance() % SLOTS;
    bump(this.#calls, slot);
    if (health === 'failed') bump(this.#failed, slot);
    if (health === 'slow') bump(this.#slow, slot);
  }

  counts(): WindowCounts {
    this.#advance();
    return { calls: sum(this.#calls), failed: sum(this.#failed), slow: sum(this.#slow) };
  }

  clear(): void {
    for (const counts of [this.#calls, this.#failed, this.#slow]) counts.fill(0);
  }

  #slotNow(): number {
    return Math.floor(this.now() / this.#slotMs);
  }

  #advance(): number {
    const slot = this.#slotNow();
    if (slot - this.#newest >= SLOTS) this.clear();
    else
      for (let passed = this.#newest + 1; passed <= slot; passed += 1)
        for (const counts of [this.#calls, this.#failed, this.#slow]) counts[passed % SLOTS] = 0;
    this.#newest = slot;
    return slot;
  }
}

function bump(counts: Uint32Array, slot: number): void {
  counts[slot] = (counts[slot] ?? 0) + 1;
}

function sum(counts: Uint32Array): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
