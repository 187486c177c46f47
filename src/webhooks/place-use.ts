import type { LeasedEndpoint } from './delivery-queue.js';
import { MOST_AHEAD_MS } from './due-endpoints.js';

/** An account's use counts half after this time. */
const HALF_MS = 300_000;
/** An account that used places for so long goes ahead of none; with half of it, it goes ahead by HALF_MS. */
const MUCH_MS = 60_000;
/** So many accounts are remembered before those that may be forgotten are dropped, which takes time for each. */
const LEAST_TIDIED = 100;
/** The clocks of gateway and database needn't agree better than this. */
const TOLERANCE_MS = 1_000;

type Member = Pick<LeasedEndpoint, 'accountId' | 'isSlow'>;

interface Use {
  ms: number;
  atMs: number;
}

/**
 * How long each account's endpoints had places of this gateway lately, fast and slow ones apart, so that those of an account
 * that needed less are leased first. As all use is forgotten at one rate, the order of two accounts stays while they wait, and
 * is kept as the instant since which they seem to wait (due-endpoints.ts).
 */
export class PlaceUse {
  readonly #uses = new Map<string, Use>();
  #tidyAt = LEAST_TIDIED;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** How many accounts are remembered: at most LEAST_TIDIED, or twice as many as didn't go ahead of all when last tidied. */
  get size(): number {
    return this.#uses.size;
  }

  /** Counts a turn of this length that ended now. */
  add(member: Member, ms: number): void {
    // No more than counts, so that an account isn't held back longer than by MUCH_MS.
    this.#uses.set(keyOf(member), { ms: Math.min(MUCH_MS, this.#msOf(member) + ms), atMs: this.now() });
    if (this.#uses.size < this.#tidyAt) return;
    for (const [key, use] of this.#uses) if (aheadOf(this.#left(use)) >= MOST_AHEAD_MS) this.#uses.delete(key);
    this.#tidyAt = Math.max(LEAST_TIDIED, 2 * this.#uses.size);
  }

  /** How far an endpoint that begins to wait goes ahead, in milliseconds of waiting. */
  aheadMs(member: Member): number {
    return aheadOf(this.#msOf(member));
  }

  /** Whether the account used so little that its endpoints go ahead of all others. */
  isLittle(member: Member): boolean {
    return this.aheadMs(member) >= MOST_AHEAD_MS - TOLERANCE_MS;
  }

  #msOf(member: Member): number {
    const use = this.#uses.get(keyOf(member));
    return use ? this.#left(use) : 0;
  }

  #left({ ms, atMs }: Use): number {
    return ms * 2 ** ((atMs - this.now()) / HALF_MS);
  }
}

function keyOf({ accountId, isSlow }: Member): string {
  return `${isSlow} ${accountId}`;
}

function aheadOf(usedMs: number): number {
  return Math.max(0, Math.min(MOST_AHEAD_MS, HALF_MS * Math.log2(MUCH_MS / usedMs)));
}
