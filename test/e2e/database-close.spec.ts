import { openDatabase } from '../../src/database/database.js';
import { startFaultProxy } from '../proof-chaos/fault-proxy.js';
import { eventually } from '../support/booking.js';
import { freshDatabase, hasSharedPostgres } from '../support/database.js';

/** Open sockets of this process, which keep it from exiting. */
const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

(hasSharedPostgres ? test : test.skip)(
  'closing the database also closes a connection whose other end is gone (decision 0044)',
  async () => {
    const server = await freshDatabase();
    const proxy = await startFaultProxy(Number(new URL(server.url).port));
    const database = await openDatabase(server.url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${proxy.port}`), '');
    await Promise.all([database.ping(), database.ping()]);
    proxy.begin('half-open');
    const before = sockets();
    await database.close();
    // The proxy keeps its ends open.
    await eventually(
      async () => sockets(),
      (count) => count === before - 2,
      5_000,
    );
    proxy.end();
    await proxy.close();
    await server.dispose();
  },
);
