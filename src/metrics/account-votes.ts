/** What one account saw of a supplier: calls that succeeded and failed, or prices that stayed and changed. */
export interface Ballot {
  good: number;
  bad: number;
}

/** By account; '' = further accounts and work for none, which has no say. */
export type Ballots = ReadonlyMap<string, Readonly<Ballot>>;

/** What was seen of one supplier. */
export interface Votes {
  readonly calls: Ballots;
  readonly prices: Ballots;
}

/** Accounts that are counted each by itself per supplier between two reads. */
const MOST_ACCOUNTS = 200;
export const FURTHER = '';

/**
 * Counts by account how watched suppliers do, so that one account alone can't take a supplier out of the service
 * (docs/decisions/0057). Costs one lookup for suppliers that aren't watched.
 */
export class AccountVotes {
  readonly #watched = new Map<string, { readonly calls: Map<string, Ballot>; readonly prices: Map<string, Ballot> }>();

  /** Counts these suppliers from now on, and no others. */
  watch(suppliers: readonly string[]): void {
    for (const id of this.#watched.keys()) if (!suppliers.includes(id)) this.#watched.delete(id);
    for (const id of suppliers)
      if (!this.#watched.has(id)) this.#watched.set(id, { calls: new Map(), prices: new Map() });
  }

  count(supplier: string, kind: keyof Votes, account: string | undefined, isBad: boolean): void {
    const ballots = this.#watched.get(supplier)?.[kind];
    if (!ballots) return;
    const known = account !== undefined && (ballots.has(account) || ballots.size < MOST_ACCOUNTS);
    const name = known ? account : FURTHER;
    const ballot = ballots.get(name) ?? { good: 0, bad: 0 };
    ballot[isBad ? 'bad' : 'good'] += 1;
    ballots.set(name, ballot);
  }

  /** Removes and returns the votes about all watched suppliers. */
  take(): ReadonlyMap<string, Votes> {
    const taken = new Map<string, Votes>(this.#watched);
    for (const id of this.#watched.keys()) this.#watched.set(id, { calls: new Map(), prices: new Map() });
    return taken;
  }
}

/** Those of this process. */
export const accountVotes = new AccountVotes();
