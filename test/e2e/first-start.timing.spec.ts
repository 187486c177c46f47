import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../support/start-gateway.js';

test('a first start without any setup is ready within 10 seconds, and its data is only for its user', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'forecourt-first-'));
  const dataFolder = join(parent, 'deeper', 'data');
  // The mode of a file is what the creating process asks for, less its umask.
  const umask = process.umask(0);
  const startedAt = performance.now();
  const gateway = await startGateway({ dataFolder });
  const seconds = (performance.now() - startedAt) / 1000;
  process.umask(umask);
  await gateway.stop();
  const files = ['', ...readdirSync(dataFolder, { recursive: true, encoding: 'utf8' })].map((name) =>
    join(dataFolder, name),
  );
  // PostgreSQL sets the mode of its catalog caches itself. They hold no rows, in folders for the user only.
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0 && !file.endsWith('/pg_internal.init'));
  rmSync(parent, { recursive: true });
  console.log(`first start on an empty folder: ${seconds.toFixed(1)} s`);
  expect([files.length > 300, open]).toEqual([true, []]);
  expect(seconds).toBeLessThan(10);
});
