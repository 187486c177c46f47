import { rmSync } from 'node:fs';
import { newDataFolder, startGateway } from '../support/start-gateway.js';

test('a first start without any setup is ready within 10 seconds', async () => {
  const dataFolder = await newDataFolder(false);
  const startedAt = performance.now();
  const gateway = await startGateway({ dataFolder });
  const seconds = (performance.now() - startedAt) / 1000;
  await gateway.stop();
  rmSync(dataFolder, { recursive: true, force: true });
  console.log(`first start on an empty folder: ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(10);
});
