import { Piscina } from 'piscina';
import { newTaskBegin, type TaskBegin, usedMs } from './task-clock.js';
import type { Task, TaskResult } from './worker.js';

/**
 * Processor time that reading the answers of one operation may take. Unlike the clock, it doesn't count the time in which
 * the thread waits for a processor.
 */
const READING_MS = 500;
/** Far more than an answer within the size limit needs. */
const MEGABYTES_PER_THREAD = 256;
/** A thread takes 20 MB and 50 ms to start. */
const IDLE_MS = 300_000;

type TimedTask = Task & { readonly begun: TaskBegin };

/** Up to `threads` worker threads (worker.ts), which start when they are needed. */
export class WorkerThreads {
  #pool: Piscina<TimedTask, TaskResult> | undefined;

  constructor(private readonly threads: number) {}

  /**
   * Runs a task. Rejects with an Error, and stops the thread, if `signal` aborts, if the task used 500 ms of processor time,
   * or if the thread runs out of memory.
   */
  run(task: Task, signal: AbortSignal): Promise<TaskResult> {
    const pool = this.#started();
    const begun = newTaskBegin();
    const allowance = new AbortController();
    const running = pool.run({ ...task, begun }, { signal: AbortSignal.any([signal, allowance.signal]) });
    let isOver = false;
    const check = async (): Promise<void> => {
      const leftMs = READING_MS - (await usedMs(pool.threads, begun));
      if (isOver) return;
      if (leftMs <= 0) allowance.abort(new Error(`reading took more than ${READING_MS} ms of processor time`));
      else timer = setTimeout(check, leftMs + 1).unref();
    };
    let timer = setTimeout(check, READING_MS).unref();
    return running.finally(() => {
      isOver = true;
      clearTimeout(timer);
    });
  }

  #started(): Piscina<TimedTask, TaskResult> {
    if (this.#pool) return this.#pool;
    this.#pool = new Piscina<TimedTask, TaskResult>({
      filename: new URL('./worker.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: this.threads,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MEGABYTES_PER_THREAD },
    });
    // A thread that fails after its task was aborted: no task waits for it, and without a listener the error would end the process.
    this.#pool.on('error', () => undefined);
    return this.#pool;
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}
