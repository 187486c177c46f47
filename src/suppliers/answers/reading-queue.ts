import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { type Share, TimeShares } from '../../config/time-shares.js';
import { SupplierError } from '../../model/supplier.js';
import { CallRejectedError } from '../resilience/call-rejected.js';
import type { ReadElsewhere, ReadingContext } from './bounded-adapter.js';
import type { Replayed } from './replay.js';
import { itemsOf } from './slices.js';
import type { Task, TaskResult } from './worker.js';

/** Answers of one supplier that may wait for a thread, and those to one account; with the size limit, this bounds memory. */
const MOST_WAITING = 256;
const MOST_OF_ACCOUNT = 64;

const TOO_MANY = 'too many large answers are waiting to be read';

interface Waiting {
  readonly task: Task;
  readonly context: ReadingContext;
  readonly done: (result: Promise<Replayed>) => void;
}

/**
 * Which large answers are read in worker threads, and when. No supplier gets all threads, unless there is only one, and turns are
 * weighed by the time used: first between suppliers, then between the accounts that a supplier answers. So one with expensive
 * answers delays the others by one answer at most. What doesn't fit into the time of the operation is the gateway's own
 * lag (CallRejectedError); only an answer that used up its allowance is the supplier's `bad_payload`.
 */
export class ReadingQueue {
  readonly #suppliers = new TimeShares(() => new TimeShares<Waiting[]>(() => []));
  readonly #mostPerSupplier: number;
  #running = 0;
  #serial = 0;

  /**
   * `run` runs a task in a thread of its own. It rejects if `signal` aborts, and if the task used up its allowance of time or
   * memory. `now` is the clock of the deadlines.
   */
  constructor(
    private readonly threads: number,
    private readonly run: (task: Task, signal: AbortSignal) => Promise<TaskResult>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#mostPerSupplier = Math.max(1, threads - 1);
  }

  /** Reads the answers of one supplier, as configured. */
  readerOf({ id, name, adapter, brands, credentials, options }: SupplierConfig): ReadElsewhere {
    this.#serial += 1;
    const supplier = { serial: this.#serial, kind: adapter, settings: { id, name, brands, credentials, options } };
    return (recording, context) =>
      new Promise((resolve) => {
        const ofSupplier = this.#suppliers.of(id);
        const ofAccount = ofSupplier.value.of(context.account ?? '');
        makeRoom(ofSupplier, ofAccount, context);
        ofAccount.value.push({ task: { supplier, recording }, context, done: resolve });
        ofAccount.waiting += 1;
        ofSupplier.waiting += 1;
        this.#next();
      });
  }

  #next(): void {
    while (this.#running < this.threads) {
      const supplier = this.#suppliers.begin(this.#mostPerSupplier);
      const account = supplier?.value.begin();
      const first = account?.value.shift();
      if (!supplier || !account || !first) return;
      this.#running += 1;
      first.done(this.#read(first, supplier, account));
    }
  }

  async #read(waiting: Waiting, supplier: Share<TimeShares<Waiting[]>>, account: Share<Waiting[]>): Promise<Replayed> {
    const result = await this.#runTask(waiting, (ms) => {
      this.#running -= 1;
      supplier.value.end(account, ms);
      this.#suppliers.end(supplier, ms);
      // Not within #next, whose turn it may still be.
      queueMicrotask(() => this.#next());
    });
    if (result.kind !== 'listed') return result;
    const taker = { supplier: waiting.task.supplier.settings.id, account: waiting.context.account };
    return {
      kind: 'answered',
      answer: { items: await itemsOf(result.slices, taker), warnings: result.warnings },
    };
  }

  async #runTask({ task, context }: Waiting, ended: (ms: number) => void): Promise<TaskResult> {
    const { endsAtMs = Number.POSITIVE_INFINITY } = context;
    const startedAtMs = this.now();
    const stop = new AbortController();
    const leftMs = Math.max(0, endsAtMs - startedAtMs);
    const timer = leftMs < Number.POSITIVE_INFINITY ? setTimeout(() => stop.abort(), leftMs).unref() : undefined;
    try {
      if (leftMs === 0 || context.isOver?.()) stop.abort();
      stop.signal.throwIfAborted();
      return await this.run(task, stop.signal);
    } catch (error) {
      if (stop.signal.aborted) throw unread(context, 'the gateway had no time to read the answer before the deadline');
      throw new SupplierError(
        'bad_payload',
        'the answer could not be read within the limits of time and memory',
        true,
        { cause: error },
      );
    } finally {
      clearTimeout(timer);
      context.waited?.();
      ended(this.now() - startedAtMs);
    }
  }
}

/**
 * Makes room for one more answer to an account. If there is none, the answers that no request waits for any more leave; then the newest
 * to the account that has the most waiting. Throws CallRejectedError if that is the new one.
 */
function makeRoom(supplier: Share<TimeShares<Waiting[]>>, own: Share<Waiting[]>, context: ReadingContext): void {
  const isFull = (): boolean => own.waiting >= MOST_OF_ACCOUNT || supplier.waiting >= MOST_WAITING;
  if (!isFull()) return;
  const leave = (account: Share<Waiting[]>, waiting: Waiting): void => {
    account.value.splice(account.value.indexOf(waiting), 1);
    account.waiting -= 1;
    supplier.waiting -= 1;
    waiting.done(Promise.reject(unread(waiting.context, TOO_MANY)));
  };
  const accounts = supplier.value.all;
  for (const account of accounts)
    for (const waiting of account.value.filter((one) => one.context.isOver?.())) leave(account, waiting);
  if (!isFull()) return;
  const [longest = own] = accounts.toSorted((one, other) => other.waiting - one.waiting);
  const newest = longest.value.at(-1);
  if (own.waiting >= MOST_OF_ACCOUNT || longest.waiting <= own.waiting || !newest) throw unread(context, TOO_MANY);
  leave(longest, newest);
}

/** Reports that an answer isn't read, and returns the error that says why. */
function unread(context: ReadingContext, why: string): CallRejectedError {
  context.unread?.();
  return new CallRejectedError('unavailable', why);
}
