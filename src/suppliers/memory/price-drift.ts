/** The extra share of changed prices that is accepted for offers from memory: half a percentage point. */
const ACCEPTED = 0.005;
/** Price checks of offers from memory that are judged together. */
const BATCH = 400;
/** Weight of one price check in the share of fresh offers whose price changed. */
const FRESH_WEIGHT = 1 / BATCH;
const SHRINK = 0.5;
const GROWTH = 1.5;
const LEAST = 1 / 16;
/** Without a reason to shrink for this long, the lifetime grows, even if there are few price checks. */
const QUIET_MS = 3_600_000;
/** Price checks of which a repetition doesn't count. */
const REMEMBERED = 10_000;
/** One account counts for at most this share of the changed prices that halve the lifetime for all. */
const MOST_OF_ONE = 0.5;
/** Accounts with a lifetime of their own: those whose offers from memory were checked last. */
const MOST_ACCOUNTS = 1_000;

/** A price check of an offer from a search. */
export interface PriceSample {
  /** Identifies the offer: its repeated price checks count once. */
  readonly offer: number;
  /** Whose offer it is. */
  readonly account: string;
  /** Whether the offer came from memory. */
  readonly fromMemory: boolean;
  /** Whether the price differed from the one in the search. */
  readonly changed: boolean;
}

/** What price checks of offers from memory say about their lifetime. */
class Verdict {
  #share = 1;
  #checks = 0;
  #judgedAt: number;
  /** Changed prices since the last judgment, by account. */
  readonly #changed = new Map<string, number>();

  /** One account counts for at most `mostOfOne` of the changed prices that halve the lifetime. */
  constructor(
    private readonly now: () => number,
    private readonly mostOfOne: number,
  ) {
    this.#judgedAt = now();
  }

  get share(): number {
    while (this.#share < 1 && this.now() - this.#judgedAt >= QUIET_MS) {
      this.#share = grown(this.#share);
      this.#judgedAt += QUIET_MS;
    }
    return this.#share;
  }

  /** Counts a price check; more than `accepted` changed prices halve the lifetime. */
  checked(account: string, changed: boolean, accepted: number): void {
    this.#checks += 1;
    if (changed) this.#changed.set(account, (this.#changed.get(account) ?? 0) + 1);
    let counted = 0;
    for (const own of this.#changed.values()) counted += Math.min(own, accepted * this.mostOfOne);
    if (counted > accepted) this.#judge(Math.max(LEAST, this.share * SHRINK));
    else if (this.#checks >= BATCH) this.#judge(grown(this.share));
  }

  #judge(share: number): void {
    this.#share = share;
    this.#judgedAt = this.now();
    this.#checks = 0;
    this.#changed.clear();
  }
}

/**
 * Shortens the lifetime of a supplier's answers while offers from memory change their price more often than fresh ones. This is
 * the only place that defines the rule (docs/caching.md#when-prices-change):
 *
 * - Of every 400 price checks of offers from memory, the share with a changed price is compared with that of fresh offers, a
 *   moving average of about 400 checks. More than 0.5 points above it: the lifetime is halved, as soon as that is certain for the 400.
 *   Otherwise it grows by half, up to the configured one.
 * - It is never shorter than a sixteenth, and also grows by half after each hour without being halved.
 * - It is judged for all accounts, where one account counts for at most half of the changed prices that halve it (unchanged ones count in full), and for each account by its own offers. The shorter one
 *   applies, so no account shortens it for the others.
 */
export class PriceDrift {
  readonly #all: Verdict;
  readonly #own = new Map<string, Verdict>();
  #freshShare = 0;
  readonly #seen = new Set<number>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#all = new Verdict(now, MOST_OF_ONE);
  }

  /** The share of the configured lifetime that applies to an account now, from 1/16 to 1. */
  lifetimeShareOf(account: string): number {
    return Math.min(this.#all.share, this.#own.get(account)?.share ?? 1);
  }

  /** The shortest that applies to an account. */
  get shortestShare(): number {
    return Math.min(this.#all.share, ...[...this.#own.values()].map(({ share }) => share));
  }

  /** Counts a price check. */
  checked({ offer, account, fromMemory, changed }: PriceSample): void {
    if (this.#seen.has(offer)) return;
    this.#seen.add(offer);
    dropOldest(this.#seen, REMEMBERED);
    if (!fromMemory) {
      this.#freshShare += (Number(changed) - this.#freshShare) * FRESH_WEIGHT;
      return;
    }
    const own = this.#own.get(account) ?? new Verdict(this.now, Number.POSITIVE_INFINITY);
    this.#own.delete(account);
    this.#own.set(account, own);
    dropOldest(this.#own, MOST_ACCOUNTS);
    const accepted = (this.#freshShare + ACCEPTED) * BATCH;
    for (const verdict of [this.#all, own]) verdict.checked(account, changed, accepted);
  }
}

function dropOldest<K>(kept: Pick<Set<K>, 'size' | 'delete'> & { keys(): Iterable<K> }, most: number): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size > most) kept.delete(oldest);
}

function grown(share: number): number {
  return Math.min(1, share * GROWTH);
}
