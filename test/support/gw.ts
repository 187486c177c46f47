import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import threads, { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { plainEnvironment } from './child.js';
import { PROJECT } from './project.js';

/** The built command line. */
export const GW = join(PROJECT, 'dist', 'cli', 'gw.js');

const THREAD = new URL('./gw-thread.mjs', import.meta.url);
const LONGEST_MS = 120_000;
const THREAD_OF_WORKER = Symbol.for('forecourt.gw-thread');

/** The result of a command. */
export interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The thread that runs commands, and the cell that it sets to 1 when it has answered. */
interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly answered: Int32Array;
}

/**
 * Runs `gw` to completion in the project's folder, with `env` and none of the variables of the developer's environment that
 * would configure it.
 */
export function gw(words: readonly string[], env: Readonly<Record<string, string>> = {}): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GW, ...words], {
    cwd: PROJECT,
    encoding: 'utf8',
    env: { ...plainEnvironment(), ...env },
  });
  return { status, stdout, stderr };
}

/** Each spec file has its own globals and modules. Those of Node.js are the same for all files of a jest worker. */
const kept = threads as { [THREAD_OF_WORKER]?: Thread };

/**
 * The same in a thread that all spec files of a jest worker share, for a fraction of a process's time: for specs whose
 * subject is not the process. Specs about exits, signals, files' permissions and output that is written completely run
 * processes. Throws if the command takes longer than 120 s.
 */
export function gwInThread(words: readonly string[], env: Readonly<Record<string, string>> = {}): Said {
  kept[THREAD_OF_WORKER] ??= startThread();
  const { port, answered } = kept[THREAD_OF_WORKER];
  Atomics.store(answered, 0, 0);
  port.postMessage({ words, env: { ...plainEnvironment(), ...env } });
  Atomics.wait(answered, 0, 0, LONGEST_MS);
  const answer = receiveMessageOnPort(port);
  if (answer === undefined) {
    endThread();
    throw new Error(`gw ${words.join(' ')} did not complete within ${LONGEST_MS} ms`);
  }
  return answer.message as Said;
}

function endThread(): void {
  void kept[THREAD_OF_WORKER]?.worker.terminate();
  delete kept[THREAD_OF_WORKER];
}

function startThread(): Thread {
  const { port1: port, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { file: GW, port: port2, answered };
  const worker = new Worker(THREAD, { workerData, transferList: [port2], execArgv: [] });
  worker.on('error', (error) => {
    console.error(error);
    endThread();
  });
  worker.unref();
  port.unref();
  return { worker, port, answered };
}
