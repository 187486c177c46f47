import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { freshDatabase, hasSharedPostgres } from '../../test/support/database.js';
import { type Database, openDatabase } from './database.js';

/** What a transaction works with. */
const settingsOf = (tables: Database['tables']) =>
  tables.transaction(async (tx) => {
    const text = sql`select current_setting('transaction_isolation') as isolation, '2027-05-31'::date::text as day`;
    return ((await tx.execute(text)) as unknown as { rows: unknown[] }).rows;
  });

(hasSharedPostgres ? it : it.skip)(
  'every connection reads committed data and ISO dates, whatever the defaults of the database are',
  async () => {
    const server = await freshDatabase();
    const name = new URL(server.url).pathname.slice(1);
    for (const setting of ["default_transaction_isolation = 'serializable'", "datestyle = 'German, DMY'"])
      await server.query(`alter database ${name} set ${setting}`);
    expect(await server.query("select current_setting('transaction_isolation') as level")).toEqual([
      { level: 'serializable' },
    ]);
    const database = await openDatabase(server.url, '');
    const expected = [{ isolation: 'read committed', day: '2027-05-31' }];
    expect([await settingsOf(database.tables), await settingsOf(database.reports.tables)]).toEqual([
      expected,
      expected,
    ]);
    await database.close();
    await server.dispose();
  },
  30_000,
);
