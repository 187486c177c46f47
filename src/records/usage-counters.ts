import { bucketOf, TALLY_BOUNDS_MS } from '../metrics/supplier-tallies.js';

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
  /** Calls by bucket of TALLY_BOUNDS_MS; one more than bounds. */
  readonly buckets: number[];
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
    const bucket = bucketOf(durationMs);
    const row = this.#rows.get(key);
    if (row) {
      row.calls += 1;
      row.durationMs += durationMs;
      row.buckets[bucket] = (row.buckets[bucket] ?? 0) + 1;
      return;
    }
    if (this.#rows.size >= this.mostRows) this.#forgetOldest();
    const buckets = new Array<number>(TALLY_BOUNDS_MS.length + 1).fill(0);
    buckets[bucket] = 1;
    this.#rows.set(key, { applicationId, minute, operation, status, calls: 1, durationMs, buckets });
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
