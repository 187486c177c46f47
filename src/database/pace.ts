import type { AwaitedTable, TableChanges } from './table-changes.js';

/** How often to read tables. */
export interface PaceLimits {
  /** While they change, and always if changes by other processes aren't announced. */
  readonly quickMs: number;
  /** Otherwise. */
  readonly slowMs: number;
  /** Otherwise, if no other process changes the tables; default: slowMs. */
  readonly aloneMs?: number;
  /** How long a table counts as changing after the last change. */
  readonly activeMs: number;
}

/** When to read tables again: soon while they change, seldom while they don't. */
export class Pace {
  #activeUntil = Number.NEGATIVE_INFINITY;

  /** `resumed`: the tables change again after they didn't; read them now. */
  constructor(
    private readonly changes: TableChanges,
    tables: readonly AwaitedTable[],
    private readonly limits: PaceLimits,
    resumed: () => void,
  ) {
    changes.watch(tables, () => {
      const isResumed = this.pauseMs > limits.quickMs;
      this.#activeUntil = performance.now() + limits.activeMs;
      if (isResumed) resumed();
    });
  }

  /** How long to wait now, in milliseconds. */
  get pauseMs(): number {
    const { quickMs, slowMs, aloneMs = slowMs } = this.limits;
    const isQuick = !this.changes.isInformed || performance.now() < this.#activeUntil;
    return isQuick ? quickMs : Math.max(quickMs, this.changes.isAlone ? aloneMs : slowMs);
  }
}
