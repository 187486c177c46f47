import { sql } from 'drizzle-orm';
import { byIndex } from '../../src/database/by-index.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { describeWith } from '../support/binaries.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

describeWith('initdb')('reading by index from PostgreSQL', () => {
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

  test('a sort that remains is not compiled, which would take a second', async () => {
    const [{ 'QUERY PLAN': plan } = { 'QUERY PLAN': undefined }] = await byIndex(database.reports.tables)<{
      readonly 'QUERY PLAN': readonly object[];
    }>(sql`explain (analyze, format json) select * from audit_events where action || subject = 'x' order by reason`);
    expect(JSON.stringify(plan)).toContain('Sort');
    expect(plan?.[0]).not.toHaveProperty('JIT');
  });
});
