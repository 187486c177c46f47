import { type Ballot, FURTHER } from './account-votes.js';

/** Calls to one operation of a supplier, or of one kind to the API, in one minute. */
export interface CountedMinute {
  /** `api`, or `supplier:` and its id. */
  readonly part: string;
  /** `search`, `booking` or `token` for `api`; otherwise the operation of the supplier port. */
  readonly operation: string;
  /** Minutes since 1970. */
  readonly minute: number;
  readonly calls: number;
  readonly failed: number;
}

/** The part whose calls have an account. */
const API = 'api';
/** Two hours of 30 parts and operations; what waits longer for the database is lost. */
const MOST_ROWS = 4_000;
/** Accounts that are counted each by itself per part, operation and minute. */
const MOST_ACCOUNTS = 200;

/** Counts calls by minute until they are written (src/incidents/). */
export class ServiceCounts {
  /** The calls of the current minute by account, by part and operation. */
  readonly #current = new Map<string, Map<string, Map<string, Ballot>>>();
  #rows: CountedMinute[] = [];
  #minute = 0;

  /**
   * Counts a call. Of the failures of one account, no more than one further than all others had in that minute count, if another
   * account was served: what one account repeats isn't an incident for everyone. Calls without an account all count. `now` in epoch
   * milliseconds.
   */
  count(part: string, operation: string, isFailed: boolean, account = FURTHER, now: number = Date.now()): void {
    this.#turn(Math.floor(now / 60_000));
    const operations = this.#current.get(part) ?? new Map<string, Map<string, Ballot>>();
    this.#current.set(part, operations);
    const ballots = operations.get(operation) ?? new Map<string, Ballot>();
    operations.set(operation, ballots);
    const name = ballots.has(account) || ballots.size < MOST_ACCOUNTS ? account : FURTHER;
    const ballot = ballots.get(name) ?? { good: 0, bad: 0 };
    ballots.set(name, ballot);
    ballot[isFailed ? 'bad' : 'good'] += 1;
  }

  /**
   * Removes and returns what was counted, of the API only for minutes that have passed at `now` (epoch milliseconds), because only
   * then is it known who called; undefined = everything. A minute can have several rows. Empty = nothing.
   */
  take(now?: number): readonly CountedMinute[] {
    this.#turn(now === undefined ? Number.POSITIVE_INFINITY : Math.floor(now / 60_000));
    this.#add((part) => part !== API);
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** Adds up the current minute if it isn't this one. */
  #turn(minute: number): void {
    if (minute === this.#minute) return;
    this.#add(() => true);
    this.#minute = minute;
  }

  /** Adds up the current minute of these parts. */
  #add(isMeant: (part: string) => boolean): void {
    for (const [part, operations] of this.#current) {
      if (!isMeant(part)) continue;
      for (const [operation, ballots] of operations)
        this.#rows.push({ part, operation, minute: this.#minute, ...counted(ballots) });
      this.#current.delete(part);
    }
    if (this.#rows.length > MOST_ROWS) this.#rows.splice(0, this.#rows.length - MOST_ROWS);
  }
}

/** The calls of a minute, without failures of the account that fails most which no other one confirms, although another was served. */
function counted(ballots: ReadonlyMap<string, Ballot>): { readonly calls: number; readonly failed: number } {
  let [good, bad] = [0, 0];
  let most: Ballot = { good: 0, bad: 0 };
  for (const [account, ballot] of ballots) {
    good += ballot.good;
    bad += ballot.bad;
    if (account !== FURTHER && ballot.bad > most.bad) most = ballot;
  }
  const isOtherServed = good - most.good - (ballots.get(FURTHER)?.good ?? 0) > 0;
  const failed = isOtherServed ? Math.min(bad, 2 * (bad - most.bad) + 1) : bad;
  return { calls: good + failed, failed };
}

/** The counts of this process. */
export const serviceCounts = new ServiceCounts();
