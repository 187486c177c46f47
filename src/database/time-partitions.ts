import { sql } from 'drizzle-orm';
import { type Run, rowsIn } from './by-index.js';
import type { Tables } from './database.js';
import { databaseFault } from './database-fault.js';

/** A table that is partitioned by the UTC days or months of a column (decision 0042). */
export interface PartitionedTable {
  readonly name: 'request_log' | 'usage_counters' | 'supplier_usage';
  readonly period: 'day' | 'month';
}

/** A partition, with the instants of its rows: from `from` until before `to`, epoch milliseconds. */
export interface Partition {
  readonly name: string;
  /** -Infinity = there is no lower limit. */
  readonly from: number;
  readonly to: number;
}

/** A span of time without a partition, epoch milliseconds: from `from` until before `to`. */
export type Gap = Omit<Partition, 'name'>;

const DAY_MS = 86_400_000;

/** How far ahead partitions are created, so that gateways which may not create any need `gw migrate apply` only now and then. */
const AHEAD_MS = { day: 14 * DAY_MS, month: 62 * DAY_MS };

/** When partitions end sooner than this, creating them has failed for days. */
export const LEAST_AHEAD_MS = 5 * DAY_MS;

/**
 * Dropping a partition needs the table alone. While it waits, new statements wait behind it, so it gives up soon and is
 * tried again later.
 */
const DROP_WAIT_MS = 30;
/** Creating one lets rows be read and written meanwhile. */
const CREATE_WAIT_MS = 1_000;
/** A lock of the transaction, so that it works through a pooler; another number than that of migrations. */
const LOCK = sql`pg_advisory_xact_lock(20260, 2)`;

/** The partitions of a table, oldest first. */
export async function partitionsOf(run: Run, { name }: PartitionedTable): Promise<readonly Partition[]> {
  const rows = await run<{ name: string; from: number | null; to: number }>(sql.raw(partitionsQuery(name)));
  return rows.map((row) => ({ name: row.name, from: row.from ?? Number.NEGATIVE_INFINITY, to: row.to }));
}

/** The SQL that reads `name`, `from` and `to` of the partitions of a table, oldest first; `from` is null without a lower limit. */
export function partitionsQuery(table: PartitionedTable['name']): string {
  const bound = (word: 'FROM' | 'TO') =>
    `(extract(epoch from substring(pg_get_expr(c.relpartbound, c.oid) from '${word} \\(''([^'']+)''\\)')::timestamptz) * 1000)::float8`;
  return `select c.relname as name, ${bound('FROM')} as from, ${bound('TO')} as to
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = '${table}'::regclass order by 3`;
}

/**
 * Creates the partitions that a table lacks between `from` and two weeks (days) or two months (months) after `now`, epoch
 * milliseconds. Gateways may do it concurrently. Rejects with the driver's error, 42501 if the user may not create tables.
 */
export async function createPartitions(
  tables: Tables,
  table: PartitionedTable,
  from: number,
  now: number,
): Promise<void> {
  const until = now + AHEAD_MS[table.period];
  if (gapsIn(await partitionsOf(rowsIn(tables), table), table.period, from, until).length === 0) return;
  await tables.transaction(async (tx) => {
    await tx.execute(sql`select set_config('lock_timeout', ${String(CREATE_WAIT_MS)}, true), ${LOCK}`);
    const present = await partitionsOf(rowsIn(tx), table);
    for (const gap of gapsIn(present, table.period, from, until)) await createPartition(tx, table.name, gap);
  });
}

/** Attached when it is complete: creating it as a partition would lock the table. */
async function createPartition(tx: Tables, table: PartitionedTable['name'], { from, to }: Gap): Promise<void> {
  const name = sql.identifier(`${table}_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`);
  const literal = (instant: number) => sql.raw(`'${new Date(instant).toISOString()}'`);
  await tx.execute(sql`create table ${name} (like ${sql.identifier(table)} including all)`);
  await tx.execute(
    sql`alter table ${sql.identifier(table)} attach partition ${name} for values from (${literal(from)}) to (${literal(to)})`,
  );
}

/**
 * Drops the partitions whose rows are all from before `before`, epoch milliseconds. Returns their names, and those that
 * other statements kept in use: try them again later. Rejects with the driver's error.
 */
export async function dropPartitions(
  tables: Tables,
  table: PartitionedTable,
  before: number,
): Promise<{ readonly dropped: readonly string[]; readonly busy: readonly string[] }> {
  const [dropped, busy]: [string[], string[]] = [[], []];
  for (const { name, to } of await partitionsOf(rowsIn(tables), table)) {
    if (to > before) break;
    ((await dropPartition(tables, name)) ? dropped : busy).push(name);
  }
  return { dropped, busy };
}

/** One statement, so that the lock is held only while the server works, however busy this process is. */
async function dropPartition(tables: Tables, name: string): Promise<boolean> {
  try {
    await tables.execute(
      sql.raw(`do $$ begin
        perform set_config('lock_timeout', '${DROP_WAIT_MS}', true);
        execute format('drop table if exists %I', '${name}');
      end $$`),
    );
    return true;
  } catch (error) {
    if (databaseFault(error) === 'locked') return false;
    throw error;
  }
}

/**
 * The periods between two instants that no partition covers, oldest first. Periods are UTC days or months; one that a
 * partition covers in part begins where that partition ends.
 */
export function gapsIn(
  partitions: readonly Partition[],
  period: PartitionedTable['period'],
  from: number,
  until: number,
): readonly Gap[] {
  const gaps: Gap[] = [];
  for (let start = startOf(period, from); start < until; start = nextOf(period, start)) {
    const end = nextOf(period, start);
    const inside = partitions.filter((one) => one.from < end && one.to > start);
    const free = Math.max(start, ...inside.map(({ to }) => to));
    if (free < end) gaps.push({ from: free, to: end });
  }
  return gaps;
}

function startOf(period: PartitionedTable['period'], instant: number): number {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), period === 'day' ? date.getUTCDate() : 1);
}

function nextOf(period: PartitionedTable['period'], start: number): number {
  const date = new Date(start);
  return period === 'day' ? start + DAY_MS : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
