import { createSecretKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { configSchema } from '../../src/config/config.schema.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { databaseFault } from '../../src/database/database-fault.js';
import { readFor } from '../../src/database/report-pool.js';
import { ReservationRepository } from '../../src/reservations/reservation.repository.js';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

describeWith('initdb')('the connections for reports', () => {
  let postgres: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    postgres = await freshDatabase();
    database = await openDatabase(postgres.url, '', { migrations: 'wait' });
  });
  afterAll(async () => {
    await database.close();
    await postgres.dispose();
  });

  /** Begins a report of `count` slow statements, and returns how many of them ended so far. */
  const slow = (account: string, count: number) => {
    let ended = 0;
    const statement = async () => {
      await database.reports.rows(sql`select pg_sleep(0.5)`);
      ended += 1;
    };
    const report = () => Promise.all(Array.from({ length: count }, statement));
    return { done: database.reports.turns.run(account, report), ended: () => ended };
  };
  /** Reads as many rows as a page of an account does. */
  const page = (account: string) =>
    database.reports.turns.run(account, async () => {
      for (const text of ['a', 'b']) await database.reports.rows(sql`select ${text}`);
      return await database.reports.tables.transaction(async (tx) => {
        await tx.execute(sql`select 1`);
        return 'page';
      });
    });

  claim(
    'API4',
    "An account whose reports take long doesn't delay reports of other accounts: it never has all of their connections.",
    async () => {
      const long = slow('acc_a', 8);
      await sleep(100);
      expect(await page('acc_b')).toBe('page');
      expect(long.ended()).toBe(0);
      await long.done;
    },
  );

  claim(
    'API4',
    'The next connection for reports goes to the waiting account that used the least, not to the first one.',
    async () => {
      const [one, two] = [slow('acc_a', 4), slow('acc_b', 4)];
      await sleep(100);
      const last = slow('acc_c', 1);
      await last.done;
      expect(one.ended() + two.ended()).toBeLessThanOrEqual(4);
      await Promise.all([one.done, two.done]);
    },
  );

  test('a long operator command doesn’t delay counting unclear reservations', async () => {
    let ended = 0;
    const statement = () => database.reports.rows(sql`select pg_sleep(0.5)`).then(() => (ended += 1));
    const command = Promise.all(Array.from({ length: 4 }, statement));
    await sleep(100);
    const config = configSchema.parse({ personalDataKeys: `1:${Buffer.alloc(32, 1).toString('base64')}` });
    const repository = new ReservationRepository(database, config, () => createSecretKey(Buffer.alloc(32, 5)));
    expect([await repository.unclear(), ended]).toEqual([[], 0]);
    await command;
  });

  test('a reader has 50 statements that wait, and the next is refused as an overload, which no other reader notices', async () => {
    const statement = () => database.reports.rows(sql`select pg_sleep(0.02)`);
    const all = await readFor('acc_a', () => Promise.allSettled(Array.from({ length: 52 }, statement)));
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [databaseFault(one.reason)] : []));
    expect(refused).toEqual(['overloaded']);
    expect(await page('acc_b')).toBe('page');
  });

  test('a statement that fails gives its connection back, and so does one that the database ends', async () => {
    for (const wrong of Array.from({ length: 3 }, () => sql`select wrong`))
      await expect(database.reports.rows(wrong)).rejects.toThrow();
    const cut = sql`select pg_terminate_backend(pg_backend_pid())`;
    for (const statement of [cut, cut, cut]) await expect(database.reports.rows(statement)).rejects.toThrow();
    expect(await page('')).toBe('page');
  });
});
