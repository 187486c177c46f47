import type { Config } from '../config/config.module.js';
import type { RequestContext } from '../context/request-context.js';
import { throttled } from '../status/throttled.js';

/** A call waits for room for this share of the request budget. */
const WAIT_SHARE = 0.25;

/** A call that waits for room. */
interface Waiter {
  readonly most: number;
  enter(): void;
}

/** What one account holds: the bytes that its answers have or probably will have, and the most that they can have. */
interface Shelf {
  bytes: number;
  most: number;
  /** In order of arrival. */
  readonly waiting: Waiter[];
}

/** The part of a request in its account's shelf. */
interface Held {
  readonly bytes: number;
  readonly most: number;
  /** Whether the answer is made, so that both are its length. */
  readonly isMade: boolean;
}

/** Answers of an account are probably at most this many times as long as its long ones were. */
const MARGIN = 2;
/** All answers that are being made may be this many times as long as there is room, if each were as long as it can be. */
const MOST_OVERBOOKED = 4;
/** How much of the difference a shorter answer takes from what is expected. */
const FORGETTING = 1 / 32;
/** Accounts whose lengths are known, those that asked last. */
const MOST_KNOWN = 1_000;

/**
 * Limits the memory that each account occupies with answers that are being made or that the clients of its applications
 * haven't read (decisions 0026 and 0089). Calls without an account aren't limited: their answers are small.
 */
export class UnreadAnswers {
  /** By account; only those that hold or wait for something. */
  readonly #shelves = new Map<string, Shelf>();
  readonly #held = new WeakMap<RequestContext, Held>();
  /** The typical length of an account's long answers, in bytes. */
  readonly #lengths = new Map<string, number>();
  readonly #maxBytes: number;
  readonly #waitMs: number;

  constructor({ unreadBytes, requestBudgetMs }: Pick<Config['http'], 'unreadBytes' | 'requestBudgetMs'>) {
    this.#maxBytes = unreadBytes;
    this.#waitMs = requestBudgetMs * WAIT_SHARE;
  }

  /**
   * Reserves room for an answer of at most `most` bytes, until the response was read: as much as answers of the account
   * probably need. Undefined if there is room; otherwise resolves when there is, never if the request is canceled before, and
   * rejects with a 429 after a quarter of the request budget, or if its token was revoked meanwhile. 0 only waits while the account holds too much.
   */
  reserve(context: RequestContext, most: number): Promise<void> | undefined {
    const { accountId } = context;
    if (accountId === undefined) return undefined;
    const shelf = this.#shelves.get(accountId);
    const isNext = most === 0 || (shelf?.waiting.length ?? 0) === 0;
    if (isNext && this.#fits(accountId, shelf, most)) {
      this.#put(context, this.#expected(accountId, most));
      return undefined;
    }
    // The client may have left while its call was authenticated.
    return context.cancelled ? new Promise(() => undefined) : context.afterWait(this.#wait(context, accountId, most));
  }

  /** Replaces what was reserved by the actual length of the answer. */
  hold(context: RequestContext, bytes: number): void {
    const { accountId } = context;
    if (accountId === undefined) return;
    const held = this.#held.get(context);
    // Compressed, it is shorter than what was made.
    if (held && held.most > 0 && !held.isMade) this.#learn(accountId, bytes);
    this.#put(context, { bytes, most: bytes, isMade: true });
  }

  /** An answer that is written in parts has `bytes` now; what was reserved for it remains. */
  grow(context: RequestContext, bytes: number): void {
    const held = this.#held.get(context);
    if (held && bytes > held.bytes) this.#put(context, { ...held, bytes, most: Math.max(held.most, bytes) });
  }

  #put(context: RequestContext, next: Held): void {
    const { accountId } = context;
    const before = this.#held.get(context);
    if (accountId === undefined || (next.bytes === (before?.bytes ?? 0) && next.most === (before?.most ?? 0))) return;
    const shelf = this.#shelfOf(accountId);
    this.#held.set(context, next);
    shelf.bytes += next.bytes - (before?.bytes ?? 0);
    shelf.most += next.most - (before?.most ?? 0);
    if (before === undefined)
      context.onFinished(() => {
        const held = this.#held.get(context);
        shelf.bytes -= held?.bytes ?? 0;
        shelf.most -= held?.most ?? 0;
        this.#held.delete(context);
        this.#admitWaiting(accountId, shelf);
      });
    else this.#admitWaiting(accountId, shelf);
  }

  #wait(context: RequestContext, accountId: string, most: number): Promise<void> {
    const shelf = this.#shelfOf(accountId);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        stopListening();
        const at = shelf.waiting.indexOf(waiter);
        if (at !== -1) shelf.waiting.splice(at, 1);
      };
      const waiter: Waiter = {
        most,
        enter: () => {
          leave();
          this.#put(context, this.#expected(accountId, most));
          resolve();
        },
      };
      shelf.waiting.push(waiter);
      const timer = setTimeout(() => {
        leave();
        reject(this.#refusal());
      }, this.#waitMs);
      const stopListening = context.onCancel(leave);
    });
  }

  #admitWaiting(accountId: string, shelf: Shelf): void {
    for (let [first] = shelf.waiting; first && this.#fits(accountId, shelf, first.most); [first] = shelf.waiting)
      first.enter();
    if (shelf.bytes === 0 && shelf.waiting.length === 0) this.#shelves.delete(accountId);
  }

  /** An answer over the limit is made if it is the only one. */
  #fits(accountId: string, shelf: Shelf | undefined, most: number): boolean {
    if (shelf === undefined || shelf.most === 0) return true;
    if (shelf.most + most > this.#maxBytes * MOST_OVERBOOKED) return false;
    return shelf.bytes + this.#expected(accountId, most).bytes <= this.#maxBytes;
  }

  /** Until an account's first answer is made, as much as answers can have. */
  #expected(accountId: string, most: number): Held {
    const bytes = Math.min(most, Math.ceil(MARGIN * (this.#lengths.get(accountId) ?? most)));
    return { bytes, most, isMade: false };
  }

  #learn(accountId: string, bytes: number): void {
    const known = this.#lengths.get(accountId) ?? bytes;
    this.#lengths.delete(accountId);
    this.#lengths.set(accountId, Math.max(bytes, known + (bytes - known) * FORGETTING));
    if (this.#lengths.size > MOST_KNOWN) this.#lengths.delete(this.#lengths.keys().next().value ?? '');
  }

  #shelfOf(accountId: string): Shelf {
    const known = this.#shelves.get(accountId);
    if (known) return known;
    const shelf = { bytes: 0, most: 0, waiting: [] };
    this.#shelves.set(accountId, shelf);
    return shelf;
  }

  #refusal(): Error {
    const megabytes = Math.round(this.#maxBytes / 1_000_000);
    return throttled(
      1,
      `The answers that the account's applications requested and have not read yet reach ${megabytes} MB.`,
      'Read them before you request more, or request fewer results.',
    );
  }
}
