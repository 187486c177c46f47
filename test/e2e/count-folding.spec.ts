import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../../src/database/database.js';
import { CountStorage } from '../../src/incidents/count-storage.js';
import { describeWith } from '../support/binaries.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

describeWith('initdb')('the calls of accounts in PostgreSQL', () => {
  let postgres: TestDatabase;
  let databases: readonly Database[];
  beforeAll(async () => {
    postgres = await freshDatabase();
    const open = () => openDatabase(postgres.url, '', { migrations: 'wait' });
    databases = [await open(), await open(), await open()];
  });
  afterAll(async () => {
    await Promise.all(databases.map((one) => one.close()));
    await postgres.dispose();
  });

  const left = async () => (await postgres.query('select count(*)::int as left from account_counts'))[0];
  const minute = Math.floor(Date.now() / 60_000) - 60;
  /** 400 accounts in each of ten minutes, of which one in ten fails. */
  const rows = Array.from({ length: 4_000 }, (_, index) => ({
    ...{ part: 'supplier:uno', operation: 'book', minute: minute + (index % 10), account: `acc_${index}` },
    ...{ calls: 2, failed: index % 100 < 10 ? 2 : 0 },
  }));

  test('are folded by one gateway at a time, so that each call counts once, with all accounts of its minute', async () => {
    const gateways = databases.map((database) => new CountStorage(database, 'sandbox'));
    const [one, other] = gateways;
    await one?.add({ number: 1, rows });
    const before = await one?.minutes(0);
    expect(before?.map(({ calls, failed }) => [calls, failed])).toEqual(Array.from({ length: 10 }, () => [800, 80]));
    await databases[2]?.tables.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(20260, 4)`);
      await other?.tidy();
    });
    expect(await left()).toEqual({ left: 4_000 });
    await Promise.all(gateways.map((gateway) => gateway.tidy()));
    expect([await left(), await one?.minutes(0)]).toEqual([{ left: 0 }, before]);
  });
});
