import { Piscina } from 'piscina';
import type { Task, TaskResult } from './worker.js';

/** Far more than an answer within the size limit needs. */
const MEGABYTES_PER_THREAD = 256;
const IDLE_MS = 300_000;

/** Up to `threads` worker threads (worker.ts). The first remains, the others start when they are needed. */
export class WorkerThreads {
  #pool: Piscina<Task, TaskResult> | undefined;

  constructor(private readonly threads: number) {}

  /** Starts the first thread, so that the first large answer doesn't wait for it. Returns immediately. */
  start(): void {
    this.#started();
  }

  /**
   * Runs a task. If `signal` aborts, its thread is stopped. Rejects with an Error in that case, and if the thread runs out
   * of memory.
   */
  run(task: Task, signal: AbortSignal): Promise<TaskResult> {
    return this.#started().run(task, { signal });
  }

  #started(): Piscina<Task, TaskResult> {
    this.#pool ??= new Piscina<Task, TaskResult>({
      filename: new URL('./worker.js', import.meta.url).href,
      minThreads: 1,
      maxThreads: this.threads,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MEGABYTES_PER_THREAD },
    });
    return this.#pool;
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}
