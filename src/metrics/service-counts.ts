/** Calls of one account to one operation of a supplier, or of one kind to the API, in one minute. */
export interface CountedMinute {
  /** `api`, or `supplier:` and its id. */
  readonly part: string;
  /** `search`, `booking` or `token` for `api`; otherwise the operation of the supplier port. */
  readonly operation: string;
  /** Minutes since 1970. */
  readonly minute: number;
  /** NO_ACCOUNT, FURTHER_ACCOUNTS, or an id. */
  readonly account: string;
  readonly calls: number;
  readonly failed: number;
}

/** Calls that belong to no account: all of their failures count. */
export const NO_ACCOUNT = '';
/** Accounts beyond those that are counted each by itself, and background work for accounts: together they have the say of one. */
export const FURTHER_ACCOUNTS = '+';

/** What waits longer for the database is lost: with ten accounts, five parts and two operations, what was counted in two hours and more. */
const MOST_ROWS = 20_000;
/** Accounts that are counted each by itself per part and operation, in one minute and between two writes. */
const MOST_ACCOUNTS = 200;

interface Tally {
  calls: number;
  failed: number;
}

/** Counts calls by minute and account until they are written (src/incidents/). */
export class ServiceCounts {
  /** The calls of the current minute by account, by part and operation. */
  readonly #current = new Map<string, Map<string, Map<string, Tally>>>();
  #rows: CountedMinute[] = [];
  #minute = 0;

  /** Counts a call. `now` in epoch milliseconds. */
  count(part: string, operation: string, isFailed: boolean, account = NO_ACCOUNT, now: number = Date.now()): void {
    const minute = Math.floor(now / 60_000);
    if (minute !== this.#minute) this.#handOver();
    this.#minute = minute;
    const operations = this.#current.get(part) ?? new Map<string, Map<string, Tally>>();
    this.#current.set(part, operations);
    const tallies = operations.get(operation) ?? new Map<string, Tally>();
    operations.set(operation, tallies);
    const name = tallies.has(account) || tallies.size < MOST_ACCOUNTS ? account : FURTHER_ACCOUNTS;
    const tally = tallies.get(name) ?? { calls: 0, failed: 0 };
    tallies.set(name, tally);
    tally.calls += 1;
    if (isFailed) tally.failed += 1;
  }

  /** Removes and returns what was counted. A minute can have several rows of an account. Empty = nothing. */
  take(): readonly CountedMinute[] {
    this.#handOver();
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #handOver(): void {
    for (const [part, operations] of this.#current)
      for (const [operation, tallies] of operations)
        for (const [account, tally] of tallies)
          this.#rows.push({ part, operation, minute: this.#minute, account, ...tally });
    this.#current.clear();
    if (this.#rows.length > MOST_ROWS) this.#rows.splice(0, this.#rows.length - MOST_ROWS);
  }
}

/** The counts of this process. */
export const serviceCounts = new ServiceCounts();
