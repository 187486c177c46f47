import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../../src/database/database.js';
import { describeWith } from '../support/binaries.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type Pooler, startPgbouncer } from '../support/pgbouncer.js';

const KEPT = { keepsPlan: true };

describeWith('initdb', 'pgbouncer')('statements whose plan PostgreSQL may keep', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-plans-'));
  let server: TestDatabase;
  let pooler: Pooler;
  let direct: Database;
  let pooled: Database;
  beforeAll(async () => {
    server = await freshDatabase();
    pooler = await startPgbouncer(server.url);
    [direct, pooled] = await Promise.all([openDatabase(server.url, folder), openDatabase(pooler.url, folder)]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([direct.close(), pooled.close()]);
    await pooler.stop();
    await server.dispose();
    rmSync(folder, { recursive: true });
  });

  /** The plans of the connection that this process used last. */
  const plans = async (database: Database) => {
    const rows = await database.rows<{ statement: string; uses: number }>(
      sql`select statement, (generic_plans + custom_plans)::int as uses from pg_prepared_statements`,
    );
    return rows.map(({ statement, uses }) => [statement, uses]);
  };

  test('are planned once per connection, others each time', async () => {
    for (const value of ['a', 'b', 'c'])
      expect(await direct.rows(sql`select ${value} as kept`, KEPT)).toEqual([{ kept: value }]);
    expect(await direct.rows(sql`select ${'d'} as not_kept`)).toEqual([{ not_kept: 'd' }]);
    expect(await plans(direct)).toEqual([['select $1 as kept', 3]]);
  });

  test('have no name through a pooler, which may carry out each on another connection', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    const rows = await Promise.all(texts.map((text) => pooled.rows(sql`select ${text} as kept, pg_sleep(0.01)`, KEPT)));
    expect(rows.map(([row]) => (row as { kept: string }).kept)).toEqual(texts);
    expect(await plans(pooled)).toEqual([]);
  });

  test('are planned again if a migration changes the type of what they return', async () => {
    await direct.rows(sql`create table changing (value int)`);
    await direct.rows(sql`insert into changing values (1)`);
    const read = () => direct.rows(sql`select value from changing where value::text = ${'1'}`, KEPT);
    expect(await read()).toEqual([{ value: 1 }]);
    await server.query('alter table changing alter value type text');
    expect([await read(), await read()]).toEqual([[{ value: '1' }], [{ value: '1' }]]);
  });

  test('fail with the error of PostgreSQL if they are wrong', async () => {
    const wrong = () => direct.rows(sql`select ${'x'}::text::int as number`, KEPT);
    for (const _time of [1, 2]) await expect(wrong()).rejects.toMatchObject({ cause: { code: '22P02' } });
    expect(await direct.rows(sql`select ${'a'} as kept`, KEPT)).toEqual([{ kept: 'a' }]);
  });
});
