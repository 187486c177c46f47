import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { plainEnvironment } from './child.js';
import { PROJECT } from './project.js';

/** The built command line. */
export const GW = join(PROJECT, 'dist', 'cli', 'gw.js');

const THREAD = new URL('./gw-thread.mjs', import.meta.url);
const LONGEST_MS = 60_000;

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
 * Runs `gw` to completion in the project's folder; it gets `env` and nothing of the developer's environment that
 * configures it.
 */
export function gw(words: readonly string[], env: Readonly<Record<string, string>> = {}): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GW, ...words], {
    cwd: PROJECT,
    encoding: 'utf8',
    env: { ...plainEnvironment(), ...env },
  });
  return { status, stdout, stderr };
}

let thread: Thread | undefined;
afterAll(() => thread?.worker.terminate());

/**
 * The same in a thread that stays until the end of the spec file, for a fraction of a process's time: for specs whose
 * subject is not the command line. Specs about exits, signals, files and their permissions run processes. Throws if the
 * command takes longer than 60 s.
 */
export function gwInThread(words: readonly string[], env: Readonly<Record<string, string>> = {}): Said {
  thread ??= startThread();
  const { port, answered } = thread;
  Atomics.store(answered, 0, 0);
  port.postMessage({ words, env: { ...plainEnvironment(), ...env } });
  Atomics.wait(answered, 0, 0, LONGEST_MS);
  const answer = receiveMessageOnPort(port);
  if (answer === undefined) throw new Error(`gw ${words.join(' ')} did not complete within ${LONGEST_MS} ms`);
  return answer.message as Said;
}

function startThread(): Thread {
  const { port1: port, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { file: GW, port: port2, answered };
  const worker = new Worker(THREAD, { workerData, transferList: [port2], execArgv: [] });
  worker.unref();
  port.unref();
  return { worker, port, answered };
}
