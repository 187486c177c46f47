import { type SQL, sql } from 'drizzle-orm';
import type { Run } from '../../src/database/by-index.js';
import type { Database } from '../../src/database/database.js';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** The same database, and how many rows the reads through its `rows` have scanned in tables and indexes. */
export interface CountingRows {
  readonly database: Database;
  /** In all reads so far. Reads are repeated for it. */
  read(): Promise<number>;
  /** In one read at most. */
  most(): Promise<number>;
}

/** Counts what statements read, whatever they return: a plan that is slow for millions of rows reads many of thousands. */
export function countingRows(database: Database): CountingRows {
  const reads: SQL[] = [];
  const rows: Database['rows'] = (statement, planning) => {
    reads.push(statement);
    return database.rows(statement, planning);
  };
  const counts = (): Promise<readonly number[]> => Promise.all(reads.map((statement) => rowsOf(database, statement)));
  return {
    database: { ...database, rows },
    read: async () => (await counts()).reduce((sum, count) => sum + count, 0),
    most: async () => Math.max(...(await counts())),
  };
}

async function rowsOf(database: Database, statement: SQL): Promise<number> {
  const text = statement.queryChunks.map((chunk) => (chunk as { value?: unknown }).value ?? '').join(' ');
  if (!/^\s*(select|with)\b/i.test(text)) return 0;
  return await rowsScanned(database.rows, statement);
}

/** Carries a statement out, and returns how many rows it scanned in tables and indexes. */
export async function rowsScanned(run: Run, statement: SQL): Promise<number> {
  const [explained] = await run<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
    sql`explain (analyze, format json) ${statement}`,
  );
  const [root] = explained?.['QUERY PLAN'] ?? [];
  return root ? scanned(root.Plan) : 0;
}

function scanned(plan: Plan): number {
  const own = plan['Node Type'].endsWith('Scan')
    ? plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0))
    : 0;
  return (plan.Plans ?? []).reduce((sum, part) => sum + scanned(part), own);
}
