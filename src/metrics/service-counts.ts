/** Calls to one operation of a supplier, or of one kind to the API, in one minute. */
export interface CountedMinute {
  /** `api`, or `supplier:` and its id. */
  readonly part: string;
  /** `search`, `booking` or `token` for `api`; otherwise the operation of the supplier port. */
  readonly operation: string;
  /** Minutes since 1970. */
  readonly minute: number;
  calls: number;
  failed: number;
}

/** Two hours of 30 parts and operations; what waits longer for the database is lost. */
const MOST_ROWS = 4_000;

/** Counts calls by minute until they are written (src/incidents/). A count costs one look-up and allocates nothing. */
export class ServiceCounts {
  /** The rows of the current minute, by part and operation. */
  readonly #current = new Map<string, Map<string, CountedMinute>>();
  #rows: CountedMinute[] = [];
  #minute = 0;

  /** `now` in epoch milliseconds. */
  count(part: string, operation: string, isFailed: boolean, now: number = Date.now()): void {
    const minute = Math.floor(now / 60_000);
    if (minute !== this.#minute) this.#turn(minute);
    const operations = this.#current.get(part) ?? new Map<string, CountedMinute>();
    const row = operations.get(operation);
    if (row) {
      row.calls += 1;
      row.failed += isFailed ? 1 : 0;
      return;
    }
    operations.set(operation, { part, operation, minute, calls: 1, failed: isFailed ? 1 : 0 });
    this.#current.set(part, operations);
  }

  /** Removes and returns what was counted; empty = nothing. */
  take(): readonly CountedMinute[] {
    this.#turn(this.#minute);
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #turn(minute: number): void {
    for (const operations of this.#current.values()) this.#rows.push(...operations.values());
    if (this.#rows.length > MOST_ROWS) this.#rows.splice(0, this.#rows.length - MOST_ROWS);
    this.#current.clear();
    this.#minute = minute;
  }
}

/** The counts of this process. */
export const serviceCounts = new ServiceCounts();
