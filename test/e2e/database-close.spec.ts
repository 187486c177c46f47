import { sql } from 'drizzle-orm';
import { openDatabase } from '../../src/database/database.js';
import { databaseFault, mayBeDone } from '../../src/database/database-fault.js';
import { startFaultProxy } from '../proof-chaos/fault-proxy.js';
import { eventually } from '../support/booking.js';
import { startCutter } from '../support/cut-connection.js';
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

(hasSharedPostgres ? test : test.skip)(
  'a connection that breaks when a transaction begins is replaced, however many do, and the database can be closed',
  async () => {
    const server = await freshDatabase();
    const way = await startCutter(server.url);
    const database = await openDatabase(way.url, '');
    for (const [pool, connections] of [
      [database.tables, 10],
      [database.reports.tables, 2],
    ] as const) {
      const transaction = () =>
        pool.transaction(async (tx) => ((await tx.execute(sql`select 1 as one`)) as { rows: unknown }).rows);
      for (let count = 0; count < connections + 2; count += 1) {
        way.cutAfter('begin', false);
        await expect(transaction()).rejects.toThrow();
      }
      expect(await transaction()).toEqual([{ one: 1 }]);
    }
    await database.close();
    way.close();
    await server.dispose();
  },
);

(hasSharedPostgres ? test : test.skip)(
  'a transaction whose connection breaks is in doubt if it changed something and its commit was sent, and only then',
  async () => {
    const server = await freshDatabase();
    const way = await startCutter(server.url);
    const database = await openDatabase(way.url, '');
    await database.rows(sql`create table kept (id int)`);
    const [insert, read] = [sql`insert into kept values (1)`, sql`select count(*) from kept`];
    const outcome = async (statement: typeof read, cutAfter: string) => {
      way.cutAfter(cutAfter, false);
      const transaction = database.tables.transaction((tx) => tx.execute(statement));
      const error = await transaction.catch((failed: unknown) => failed);
      return [databaseFault(error), mayBeDone(error)];
    };
    expect(await outcome(insert, 'insert')).toEqual(['unavailable', false]);
    expect(await database.rows(sql`select id from kept`)).toEqual([]);
    expect(await outcome(insert, 'commit')).toEqual(['unavailable', true]);
    expect(await database.rows(sql`select id from kept`)).toEqual([{ id: 1 }]);
    expect(await outcome(read, 'commit')).toEqual(['unavailable', false]);
    await database.close();
    way.close();
    await server.dispose();
  },
);
