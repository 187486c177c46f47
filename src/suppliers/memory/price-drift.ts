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

/** A price check of an offer from a search. */
export interface PriceSample {
  /** Identifies the offer: its repeated price checks count once. */
  readonly offer: number;
  /** Whether the offer came from memory. */
  readonly fromMemory: boolean;
  /** Whether the price differed from the one in the search. */
  readonly changed: boolean;
}

/**
 * Shortens the lifetime of a supplier's answers while offers from memory change their price more often than fresh ones. This is
 * the only place that defines the rule (docs/caching.md#when-prices-change):
 *
 * - Of every 400 price checks of offers from memory, the share with a changed price is compared with that of fresh offers, a
 *   moving average of about 400 checks. More than 0.5 points above it: the lifetime is halved, as soon as that is certain for the 400.
 *   Otherwise it grows by half, up to the configured one.
 * - It is never shorter than a sixteenth, and also grows by half after each hour without being halved.
 */
export class PriceDrift {
  #lifetimeShare = 1;
  #freshShare = 0;
  #checks = 0;
  #changed = 0;
  #judgedAt: number;
  readonly #seen = new Set<number>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#judgedAt = now();
  }

  /** The share of the configured lifetime that applies now, from 1/16 to 1. */
  get lifetimeShare(): number {
    while (this.#lifetimeShare < 1 && this.now() - this.#judgedAt >= QUIET_MS) {
      this.#lifetimeShare = grown(this.#lifetimeShare);
      this.#judgedAt += QUIET_MS;
    }
    return this.#lifetimeShare;
  }

  /** Counts a price check. */
  checked({ offer, fromMemory, changed }: PriceSample): void {
    if (this.#seen.has(offer)) return;
    this.#seen.add(offer);
    const [oldest] = this.#seen;
    if (oldest !== undefined && this.#seen.size > REMEMBERED) this.#seen.delete(oldest);
    if (!fromMemory) {
      this.#freshShare += (Number(changed) - this.#freshShare) * FRESH_WEIGHT;
      return;
    }
    this.#checks += 1;
    this.#changed += Number(changed);
    if (this.#changed > (this.#freshShare + ACCEPTED) * BATCH)
      this.#judge(Math.max(LEAST, this.lifetimeShare * SHRINK));
    else if (this.#checks >= BATCH) this.#judge(grown(this.lifetimeShare));
  }

  #judge(lifetimeShare: number): void {
    this.#lifetimeShare = lifetimeShare;
    this.#judgedAt = this.now();
    this.#checks = 0;
    this.#changed = 0;
  }
}

function grown(share: number): number {
  return Math.min(1, share * GROWTH);
}
