import { hash } from 'node:crypto';
import { withOwnTexts } from '../../model/own-copy.js';

/** An answer from memory. */
export interface KeptAnswer<T> {
  /** In the supplier's order; empty if it had nothing. */
  readonly items: readonly T[];
  /** When it was kept, on the memory's clock in milliseconds. */
  readonly keptAt: number;
  /** When it can't be used anymore, whatever the lifetime of answers; on the same clock. */
  readonly endsAt: number;
  readonly bytes: number;
}

interface Share<T> {
  /** A Map keeps the order of insertion: the first was used longest ago. */
  readonly answers: Map<string, KeptAnswer<T>>;
  bytes: number;
}

/** What an answer needs besides its items: its key and the objects around it. */
const ANSWER_BYTES = 500;
/** A larger answer would push out too many others. */
const LARGEST_SHARE = 1 / 8;

/**
 * The answers of one supplier to one operation, in at most `maxBytes` of memory. If they don't fit, the account with the most
 * bytes loses the answer that it used longest ago, so an account can't push out those of others that use less
 * (docs/caching.md#memory). Texts are copied, so that none keeps a larger one in memory from which an adapter cut it. Keys are kept as digests, because searches contain birth dates and membership numbers.
 */
export class AnswerMemory<T> {
  readonly #shares = new Map<string, Share<T>>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Memory in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer to this account's search; undefined if there is none. It then counts as the one used last. */
  find(account: string, key: string): KeptAnswer<T> | undefined {
    const answers = this.#shares.get(account)?.answers;
    if (!answers) return undefined;
    const digest = digestOf(key);
    const found = answers.get(digest);
    if (!found) return undefined;
    answers.delete(digest);
    answers.set(digest, found);
    return found;
  }

  /** Keeps an answer in place of an earlier one; not if it needs more than an eighth of the memory. Its texts are copied. */
  keep(account: string, key: string, answer: KeptAnswer<T>): void {
    const digest = digestOf(key);
    this.#remove(account, digest);
    const bytes = answer.bytes + ANSWER_BYTES;
    if (bytes > this.maxBytes * LARGEST_SHARE) return;
    const share = this.#shares.get(account) ?? { answers: new Map<string, KeptAnswer<T>>(), bytes: 0 };
    this.#shares.set(account, share);
    share.answers.set(digest, { ...answer, items: answer.items.map(withOwnTexts), bytes });
    share.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.maxBytes) this.#dropOne();
  }

  clear(): void {
    this.#shares.clear();
    this.#bytes = 0;
  }

  #dropOne(): void {
    let most: [account: string, share: Share<T>] | undefined;
    for (const entry of this.#shares) if (!most || entry[1].bytes > most[1].bytes) most = entry;
    const [oldest] = most?.[1].answers.keys() ?? [];
    if (most && oldest !== undefined) this.#remove(most[0], oldest);
  }

  #remove(account: string, digest: string): void {
    const share = this.#shares.get(account);
    const known = share?.answers.get(digest);
    if (!share || !known) return;
    share.answers.delete(digest);
    share.bytes -= known.bytes;
    this.#bytes -= known.bytes;
    if (share.answers.size === 0) this.#shares.delete(account);
  }
}

function digestOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
