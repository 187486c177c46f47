// globalTeardown of jest: stops what shared-servers.mjs and shared-gateway.ts have started. Then no card number may be in
// their files, whatever the specs sent: the database, its write-ahead log, logs, ledgers and data folders. Searched are
// the number that the specs about privacy send and those of card-spellings.json, and STORED, which must be in each folder.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { cardTexts, filesWith } from './raw-search.ts';
import { STORED } from './shared-servers.mjs';

const SENT = '5105105105105100';
const EXIT_MS = 10_000;

export default async function stop() {
  const folder = process.env.TEST_SHARED_FOLDER;
  const pids = globSync(`${folder}/program-*/pid`).map((file) => Number(readFileSync(file, 'utf8')));
  for (const pid of pids) kill(pid);
  const database = await globalThis.stopSharedPostgres?.();
  const { memoryFolder } = globalThis;
  const folders = [folder, ...(database === undefined ? [] : [database])];
  try {
    await exited(pids);
    const found = filesWith(cardTexts([SENT]), folders);
    if (found.length > 0)
      throw new Error(`card numbers were found in files of the shared servers:\n${found.join('\n')}`);
    for (const one of folders)
      if (filesWith([STORED], [one]).length === 0) throw new Error(`the search finds nothing in ${one}`);
  } finally {
    for (const one of [...folders, ...(memoryFolder === undefined ? [] : [memoryFolder])])
      rmSync(one, { recursive: true, force: true });
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Resolves when no process writes any longer. One that its parent has not collected yet (Z) does not. */
async function exited(pids) {
  const end = Date.now() + EXIT_MS;
  while (pids.some((pid) => !/^(Z.*)?$/.test(stateOf(pid)))) {
    if (Date.now() > end) throw new Error(`processes still run after SIGKILL: ${pids.join()}`);
    await wait(20);
  }
}

/** The state of a process; empty if there is none, which ps reports as an error. */
function stateOf(pid) {
  try {
    return execFileSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).trim();
  } catch (error) {
    if (error.status === 1) return '';
    throw error;
  }
}
