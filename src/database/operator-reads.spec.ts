import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { OperatorReads } from './operator-reads.js';
import { TableChanges } from './table-changes.js';

const database = migratedDatabase();

it('asks once for all, and gives each read its rows in order; none is an empty list', async () => {
  const statements: unknown[] = [];
  const counting = {
    changes: database().changes,
    rows: <T>(statement: Parameters<ReturnType<typeof database>['rows']>[0]) => {
      statements.push(statement);
      return database().rows<T>(statement);
    },
  };
  const reads = new OperatorReads(counting, 500, pino({ level: 'silent' }));
  const applied: unknown[] = [];
  const rows = sql`select n, 'é"' || n as text, n > 1 as "isMore" from generate_series(1, 2) n order by n desc`;
  reads.add({ statement: rows, apply: (found) => applied.push(found) });
  reads.add({ statement: sql`select 1 as n where false`, apply: (found) => applied.push(found) });
  await reads.start();
  reads.stop();
  expect(applied).toEqual([
    [
      { n: 2, text: 'é"2', isMore: true },
      { n: 1, text: 'é"1', isMore: false },
    ],
    [],
  ]);
  expect(statements).toHaveLength(1);
});

it('says that nothing was read, and does not apply anything', async () => {
  const reads = new OperatorReads(
    { rows: () => Promise.reject(new Error('down')), changes: new TableChanges(true) },
    500,
    pino({ level: 'silent' }),
  );
  const seen: string[] = [];
  reads.add({ statement: sql`select 1`, apply: () => seen.push('applied'), unread: () => seen.push('unread') });
  await reads.start();
  reads.stop();
  expect(seen).toEqual(['unread']);
});
