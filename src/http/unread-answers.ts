import type { Config } from '../config/config.module.js';
import type { RequestContext } from '../context/request-context.js';
import { throttled } from '../status/throttled.js';

/** A call waits for room for this share of the request budget. */
const WAIT_SHARE = 0.25;

/** A call that waits for room. */
interface Waiter {
  readonly bytes: number;
  enter(): void;
}

/** What one account holds. */
interface Shelf {
  bytes: number;
  /** In order of arrival. */
  readonly waiting: Waiter[];
}

/**
 * Limits the memory that each account occupies with answers that are being made or that the clients of its applications
 * haven't read (decision 0026). Calls without an account aren't limited: their answers are small.
 */
export class UnreadAnswers {
  /** By account; only those that hold or wait for something. */
  readonly #shelves = new Map<string, Shelf>();
  readonly #held = new WeakMap<RequestContext, number>();
  readonly #maxBytes: number;
  readonly #waitMs: number;

  constructor({ unreadBytes, requestBudgetMs }: Pick<Config['http'], 'unreadBytes' | 'requestBudgetMs'>) {
    this.#maxBytes = unreadBytes;
    this.#waitMs = requestBudgetMs * WAIT_SHARE;
  }

  /**
   * Reserves room for an answer of about `bytes`, until the response was read. Undefined if there is room; otherwise
   * resolves when there is, never if the request is canceled before, and rejects with a 429 after a quarter of the
   * request budget. 0 only waits while the account holds too much.
   */
  reserve(context: RequestContext, bytes: number): Promise<void> | undefined {
    const { accountId } = context;
    if (accountId === undefined) return undefined;
    const shelf = this.#shelves.get(accountId);
    const isNext = bytes === 0 || (shelf?.waiting.length ?? 0) === 0;
    if (isNext && this.#fits(shelf, bytes)) {
      this.hold(context, bytes);
      return undefined;
    }
    return this.#wait(context, this.#shelfOf(accountId), bytes);
  }

  /** Replaces what was reserved by the actual length of the answer. */
  hold(context: RequestContext, bytes: number): void {
    const { accountId } = context;
    const before = this.#held.get(context);
    if (accountId === undefined || bytes === (before ?? 0)) return;
    const shelf = this.#shelfOf(accountId);
    this.#held.set(context, bytes);
    shelf.bytes += bytes - (before ?? 0);
    if (before === undefined)
      context.onFinished(() => {
        shelf.bytes -= this.#held.get(context) ?? 0;
        this.#held.delete(context);
        this.#admitWaiting(accountId, shelf);
      });
    else this.#admitWaiting(accountId, shelf);
  }

  #wait(context: RequestContext, shelf: Shelf, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        stopListening();
        const at = shelf.waiting.indexOf(waiter);
        if (at !== -1) shelf.waiting.splice(at, 1);
      };
      const waiter: Waiter = {
        bytes,
        enter: () => {
          leave();
          this.hold(context, bytes);
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
    for (let [first] = shelf.waiting; first && this.#fits(shelf, first.bytes); [first] = shelf.waiting) first.enter();
    if (shelf.bytes === 0 && shelf.waiting.length === 0) this.#shelves.delete(accountId);
  }

  /** An answer over the limit is made if it is the only one. */
  #fits(shelf: Shelf | undefined, bytes: number): boolean {
    return shelf === undefined || shelf.bytes === 0 || shelf.bytes + bytes <= this.#maxBytes;
  }

  #shelfOf(accountId: string): Shelf {
    const known = this.#shelves.get(accountId);
    if (known) return known;
    const shelf = { bytes: 0, waiting: [] };
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
