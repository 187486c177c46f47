import { threadId, Worker } from 'node:worker_threads';

/** The id of the thread that runs a task (0 before it begins), and what its clock showed then. Shared between threads. */
export type TaskBegin = Float64Array<SharedArrayBuffer>;

/** Node can measure a thread's processor time since 24.6; without that, the clock also counts the wait for a processor. */
const measuresThreads = 'cpuUsage' in Worker.prototype;

export function newTaskBegin(): TaskBegin {
  return new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
}

/** In the thread that runs the task: its time begins now. */
export function beginTask(begun: TaskBegin): void {
  begun.set([threadId, measuresThreads ? millisecondsOf(process.threadCpuUsage()) : Date.now()]);
}

/**
 * The time that the task of one of these threads has used so far, in milliseconds; 0 before it begins and after its thread was stopped.
 * After the task ended, it also counts what the thread did since.
 */
export async function usedMs(threads: readonly Worker[], [id, beforeMs = 0]: TaskBegin): Promise<number> {
  const thread = threads.find((one) => one.threadId === id);
  if (!thread) return 0;
  if (!measuresThreads) return Date.now() - beforeMs;
  try {
    return millisecondsOf(await thread.cpuUsage()) - beforeMs;
  } catch {
    // The thread was stopped meanwhile.
    return 0;
  }
}

function millisecondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
