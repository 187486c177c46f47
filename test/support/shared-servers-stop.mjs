// globalTeardown of jest: stops what shared-servers.mjs and shared-gateway.ts have started. Then no card number may be in
// their files, whatever the specs sent: the database, its write-ahead log, logs, ledgers and data folders.
import { globSync, readFileSync, rmSync } from 'node:fs';
import { cardTexts, filesWith } from './raw-search.ts';

export default async function stop() {
  const folder = process.env.TEST_SHARED_FOLDER;
  for (const file of globSync(`${folder}/program-*/pid`)) {
    try {
      process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
  const database = await globalThis.stopSharedPostgres?.();
  const folders = [folder, ...(database === undefined ? [] : [database])];
  const found = filesWith(cardTexts(['5105105105105100']), folders);
  for (const one of folders) rmSync(one, { recursive: true, force: true });
  if (found.length > 0) throw new Error(`card numbers were found in files of the shared servers:\n${found.join('\n')}`);
}
