/** Calls of an application to one operation with one status in one minute. */
export interface UsageRow {
  readonly applicationId: string;
  /** When the requests were received, in minutes since 1970. */
  readonly minute: number;
  readonly operation: string;
  readonly status: number;
  calls: number;
  /** Sum over the calls. */
  durationMs: number;
}

/**
 * Counts calls in memory until they are written. Beyond `mostRows`, after a long database outage, the oldest row is
 * dropped.
 */
export class UsageCounters {
  readonly #rows = new Map<string, UsageRow>();

  constructor(
    private readonly mostRows: number,
    /** Receives the number of calls in each dropped row. */
    private readonly lost: (calls: number) => void,
  ) {}

  /** `at` epoch milliseconds. */
  count(applicationId: string, operation: string, status: number, at: number, durationMs: number): void {
    const minute = Math.floor(at / 60_000);
    const key = `${applicationId} ${minute} ${operation} ${status}`;
    const row = this.#rows.get(key);
    if (row) {
      row.calls += 1;
      row.durationMs += durationMs;
      return;
    }
    if (this.#rows.size >= this.mostRows) this.#forgetOldest();
    this.#rows.set(key, { applicationId, minute, operation, status, calls: 1, durationMs });
  }

  /** Removes and returns up to `count` rows, oldest first; empty = nothing was counted. */
  take(count: number): readonly UsageRow[] {
    const rows: UsageRow[] = [];
    for (const [key, row] of this.#rows) {
      if (rows.length === count) break;
      this.#rows.delete(key);
      rows.push(row);
    }
    return rows;
  }

  #forgetOldest(): void {
    for (const [key, row] of this.#rows) {
      this.#rows.delete(key);
      this.lost(row.calls);
      return;
    }
  }
}
