import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { startChild } from '../support/child.js';
import { claim } from '../support/claim.js';
import { freshDatabase } from '../support/database.js';
import { factsOf, gatewayProgram, newDataFolder } from '../support/start-gateway.js';

/** The most blocks of 512 bytes of the log file: it ends as a full disk does. */
const MOST_BLOCKS = 200;

describeWith('initdb')('a gateway whose log can no longer be written', () => {
  claim(
    ['operation', 'V16.5.2'],
    'When the log is on a full disk, the gateway goes on, and writes what waited when there is room again.',
    async () => {
      const database = await freshDatabase();
      const folder = await newDataFolder(false);
      const log = join(folder, 'gateway.log');
      const { command, words, options } = gatewayProgram({ DATA_DIR: folder, DATABASE_URL: database.url });
      writeFileSync(log, '');
      const limited = `ulimit -f ${MOST_BLOCKS}; exec "$0" "$@" >> "${log}" 2>&1`;
      const child = startChild('sh', ['-c', limited, command, ...words], options);
      await eventually(
        async () => readFileSync(log, 'utf8'),
        (text) => text.includes('Forecourt is ready at'),
      );
      const { baseUrl } = factsOf(folder);
      const asked = async (): Promise<number> => (await fetch(`${baseUrl}/none-${'x'.repeat(200)}`)).status;
      const isFull = () => statSync(log).size >= MOST_BLOCKS * 512;
      for (let round = 0; !isFull() && round < 100; round += 1) await Promise.all(Array.from({ length: 20 }, asked));
      expect(isFull()).toBe(true);
      for (let round = 0; round < 20; round += 1) expect(await asked()).toBe(404);
      expect((await fetch(`${baseUrl}/health/live`)).status).toBe(200);
      truncateSync(log);
      await eventually(
        async () => readFileSync(log, 'utf8'),
        (text) => text.includes('/none-') || text.includes('"status":404'),
      );
      expect(await child.stop()).toBe(0);
      await database.dispose();
    },
  );
});
