import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { SupplierError } from '../../model/supplier.js';
import { CallRejectedError } from '../resilience/call-rejected.js';
import type { ReadElsewhere, ReadingContext } from './bounded-adapter.js';
import type { Replayed } from './replay.js';
import { itemsOf } from './slices.js';
import type { Task, TaskResult } from './worker.js';

/** No answer within the size limit takes this long; a thread that takes longer is stopped. */
const MOST_MS = 2_000;
/** Answers of one supplier to one account that may wait for a thread; with the size limit, this bounds memory. */
const MOST_WAITING = 64;

interface Waiting {
  readonly task: Task;
  readonly context: ReadingContext;
  readonly done: (result: Promise<Replayed>) => void;
}

/**
 * Which large answers are read in worker threads, and when. Suppliers take turns, so that one with
 * expensive answers delays the others by one answer at most; and so do the accounts that a supplier answers.
 */
export class ReadingQueue {
  /** By supplier and account; those whose turn is next come first. */
  readonly #waiting = new Map<string, Map<string, Waiting[]>>();
  #running = 0;
  #serial = 0;

  /** `run` runs a task in a thread of its own until `signal` aborts. */
  constructor(
    private readonly threads: number,
    private readonly run: (task: Task, signal: AbortSignal) => Promise<TaskResult>,
  ) {}

  /** Reads the answers of one supplier, as configured. */
  readerOf({ id, name, adapter, brands, credentials, options }: SupplierConfig): ReadElsewhere {
    this.#serial += 1;
    const supplier = { serial: this.#serial, kind: adapter, settings: { id, name, brands, credentials, options } };
    return (recording, context) =>
      new Promise((resolve) => {
        const accounts = this.#waiting.get(id) ?? new Map<string, Waiting[]>();
        const { account = '' } = context;
        const queue = accounts.get(account) ?? [];
        if (queue.length >= MOST_WAITING)
          throw new CallRejectedError('unavailable', 'too many large answers are waiting to be read');
        queue.push({ task: { supplier, recording }, context, done: resolve });
        accounts.set(account, queue);
        this.#waiting.set(id, accounts);
        this.#next();
      });
  }

  #next(): void {
    while (this.#running < this.threads) {
      const first = takeFirst(this.#waiting, (accounts) => takeFirst(accounts, (queue) => queue.shift()));
      if (!first) return;
      first.done(this.#run(first));
    }
  }

  async #run(waiting: Waiting): Promise<Replayed> {
    const result = await this.#runTask(waiting);
    if (result.kind !== 'listed') return result;
    return { kind: 'answered', answer: { items: await itemsOf(result.slices), warnings: [] } };
  }

  async #runTask({ task, context }: Waiting): Promise<TaskResult> {
    const { endsAtMs = Number.POSITIVE_INFINITY } = context;
    const leftMs = Math.min(endsAtMs - performance.now(), MOST_MS);
    if (leftMs <= 0) throw new CallRejectedError('unavailable', 'no thread was free to read the answer in time');
    this.#running += 1;
    context.waited?.();
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), leftMs).unref();
    try {
      return await this.run(task, stop.signal);
    } catch (error) {
      throw new SupplierError(
        'bad_payload',
        'the answer could not be read within the limits of time and memory',
        true,
        { cause: error },
      );
    } finally {
      clearTimeout(timer);
      this.#running -= 1;
      this.#next();
    }
  }
}

/** Takes one from the first member, which then comes last; members that have none are removed. */
function takeFirst<M extends { readonly size: number } | { readonly length: number }, T>(
  members: Map<string, M>,
  takeOf: (member: M) => T | undefined,
): T | undefined {
  for (const [key, member] of members) {
    const taken = takeOf(member);
    members.delete(key);
    if (('size' in member ? member.size : member.length) > 0) members.set(key, member);
    if (taken !== undefined) return taken;
  }
  return undefined;
}
