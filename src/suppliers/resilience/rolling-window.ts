/** What one call showed about a supplier. `unknown`: it ended too early to show anything. */
export type Health = 'good' | 'slow' | 'failed' | 'unknown';

/** Totals of a rolling window. */
export interface WindowCounts {
  readonly calls: number;
  readonly failed: number;
  /** Successful calls that took too long to be useful. */
  readonly slow: number;
}

const SLOTS = 10;

/**
 * Counts the calls of the last `windowMs` in ten slots; old calls expire one slot at a time. `now` is a monotonic clock
 * in milliseconds.
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
