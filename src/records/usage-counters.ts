import { bucketOf, emptyBuckets } from '../metrics/supplier-tallies.js';
import { CounterRows } from './counter-rows.js';

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

/** Counts calls in memory until they are written, in at most `mostRows` rows (CounterRows). */
export class UsageCounters {
  readonly #rows: CounterRows<UsageRow>;

  /** `lost` receives the number of calls in each dropped row. */
  constructor(mostRows: number, lost: (calls: number) => void) {
    this.#rows = new CounterRows(mostRows, lost);
  }

  /** `at` epoch milliseconds. */
  count(applicationId: string, operation: string, status: number, at: number, durationMs: number): void {
    const minute = Math.floor(at / 60_000);
    const row = this.#rows.of(`${applicationId} ${minute} ${operation} ${status}`, () => ({
      ...{ applicationId, minute, operation, status, calls: 0, durationMs: 0, buckets: emptyBuckets() },
    }));
    const bucket = bucketOf(durationMs);
    row.calls += 1;
    row.durationMs += durationMs;
    row.buckets[bucket] = (row.buckets[bucket] ?? 0) + 1;
  }

  /** Removes and returns up to `count` rows, oldest first; empty = nothing was counted. */
  take(count: number): readonly UsageRow[] {
    return this.#rows.take(count);
  }
}
