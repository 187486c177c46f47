import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { SupplierError } from '../../model/supplier.js';
import type { ReadElsewhere } from './bounded-adapter.js';
import type { Recording, Replayed } from './replay.js';
import { itemsOf } from './slices.js';
import type { Task, TaskResult } from './worker.js';

/** No answer within the size limit takes this long; a thread that takes longer is stopped. */
const MOST_MS = 2_000;
/** Answers of one supplier that may wait for a thread; with the size limit, this bounds memory. */
const MOST_WAITING = 64;

interface Waiting {
  readonly task: Task;
  readonly endsAtMs: number;
  readonly done: (result: Promise<Replayed>) => void;
}

/**
 * Which large answers are read in worker threads, and when. Suppliers take turns, so that one with
 * expensive answers delays the others by one answer at most.
 */
export class ReadingQueue {
  /** By supplier; the supplier whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
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
    return (recording: Recording, endsAtMs: number) =>
      new Promise((resolve) => {
        const queue = this.#waiting.get(id) ?? [];
        if (queue.length >= MOST_WAITING)
          throw new SupplierError('bad_payload', 'too many large answers are waiting to be read');
        queue.push({ task: { supplier, recording }, endsAtMs, done: resolve });
        this.#waiting.set(id, queue);
        this.#next();
      });
  }

  #next(): void {
    for (const [id, queue] of this.#waiting) {
      if (this.#running >= this.threads) return;
      const first = queue.shift();
      this.#waiting.delete(id);
      // To the end: the other suppliers come first.
      if (queue.length > 0) this.#waiting.set(id, queue);
      if (first) first.done(this.#run(first));
    }
  }

  async #run(waiting: Waiting): Promise<Replayed> {
    const result = await this.#runTask(waiting);
    if (result.kind !== 'listed') return result;
    return { kind: 'answered', answer: { items: await itemsOf(result.slices), warnings: [] } };
  }

  async #runTask({ task, endsAtMs }: Waiting): Promise<TaskResult> {
    const leftMs = Math.min(endsAtMs - performance.now(), MOST_MS);
    if (leftMs <= 0) throw new SupplierError('timeout', 'no thread was free to read the answer in time');
    this.#running += 1;
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
