// globalTeardown of jest: stops what shared-servers.mjs and shared-gateway.ts have started.
import { globSync, readFileSync, rmSync } from 'node:fs';

export default async function stop() {
  const folder = process.env.TEST_SHARED_FOLDER;
  for (const file of globSync(`${folder}/program-*/pid`)) {
    try {
      process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
  await globalThis.stopSharedPostgres?.();
  rmSync(folder, { recursive: true, force: true });
}
