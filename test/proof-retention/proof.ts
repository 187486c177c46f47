import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { rowsIn } from '../../src/database/by-index.js';
import type { Database } from '../../src/database/database.js';
import { createPartitions, dropPartitions, type Partition, partitionsOf } from '../../src/database/time-partitions.js';
import { RECORD_TABLES, RecordPartitions } from '../../src/records/record-partitions.js';
import type { RetentionWorld } from './world.js';

/** The largest tables of those with partitions: one per day and one per month. */
const FILLED = RECORD_TABLES.filter(({ name }) => name !== 'supplier_usage');

const DAY_MS = 86_400_000;
const KEPT = { day: 7 * DAY_MS, month: 400 * DAY_MS };
const LENGTH = { day: DAY_MS, month: 31 * DAY_MS };
/** Bookings in progress at a time. */
const BOOKERS = 3;
/** Between two bookings, so that they wait for retention rather than for each other. */
const PAUSE_MS = 150;

export interface RetentionOptions {
  /** Rows that retention removes, of both tables together. */
  readonly rows: number;
  /** Old partitions per table; each one is dropped in a window of its own. */
  readonly rounds: number;
  /** Length of a window, with or without retention. */
  readonly windowMs: number;
}

/** What was measured. Times in milliseconds. */
export interface RetentionRun {
  readonly rowsRemoved: number;
  /** The duration of the slowest round, which removes one partition of each table, on the clock of this process. */
  readonly slowestRoundMs: number;
  /** How long dropping each partition took, with the wait for the lock, on the server's clock. Nothing waited longer for its lock. */
  readonly dropsMs: readonly number[];
  /** How often a partition was in use, so that dropping it was tried again. */
  readonly postponed: number;
  /** Durations of bookings in windows without retention, and in those with it. */
  readonly without: readonly number[];
  readonly during: readonly number[];
}

/** Fills old partitions, then removes them one after the other while cars are booked. */
export async function runRetention(
  { database, book }: RetentionWorld,
  { rows, rounds, windowMs }: RetentionOptions,
  tell: (line: string) => void,
): Promise<RetentionRun> {
  const now = Date.now();
  const old: (readonly Partition[])[] = [];
  // One after the other, because creating partitions waits only a second for those of another table.
  for (const table of FILLED) old.push(await fillOld(database, table, now, rounds, rows / 2));
  tell(`${await countOld(database, now)} old rows in ${old.flat().length} partitions`);
  await watchDrops(database);
  let postponed = 0;
  let number = 0;
  const window = () => bookFor(windowMs, () => book(number++));
  await window();
  const [without, during, roundsMs]: [number[], number[], number[]] = [[], [], []];
  const before = await countOld(database, now);
  for (let round = 0; round < rounds; round += 1) {
    without.push(...(await window()));
    const retention = async () => {
      const startedAt = performance.now();
      postponed += await maintain(database, round, old, now);
      roundsMs.push(performance.now() - startedAt);
    };
    during.push(...(await Promise.all([window(), retention()]))[0]);
    tell(`round ${round + 1} of ${rounds}: retention took ${Math.round(roundsMs.at(-1) ?? 0)} ms`);
  }
  return {
    rowsRemoved: before - (await countOld(database, now)),
    slowestRoundMs: Math.max(...roundsMs),
    dropsMs: await dropTimes(database),
    postponed,
    without,
    during,
  };
}

/**
 * Retention as a gateway does it: removes the oldest partition of each table that is left. Returns how often one was in use,
 * so that it was tried again.
 */
async function maintain(
  database: Database,
  round: number,
  old: readonly (readonly Partition[])[],
  now: number,
): Promise<number> {
  const [days, usageDays] = old.map((partitions) => Math.floor((now - (partitions[round]?.to ?? 0)) / DAY_MS));
  const config = { environment: 'sandbox', records: { days, usageDays } } as ConstructorParameters<
    typeof RecordPartitions
  >[1];
  for (let tries = 0; tries < 100; tries += 1) {
    const done = await new RecordPartitions(database, config).maintain(now);
    const failure = done.find((table) => table.failure !== undefined)?.failure;
    if (failure !== undefined) throw failure;
    if (done.every(({ busy }) => busy.length === 0)) return tries;
  }
  throw new Error('a partition was always in use');
}

/** Notes on the server's clock when a statement that drops a table begins, before it waits for the lock, and ends. */
async function watchDrops(database: Database): Promise<void> {
  await database.tables.execute(sql`create table proof_drops (event text, at timestamptz)`);
  await database.tables.execute(sql`create function note_drop() returns event_trigger language plpgsql as $$
    begin insert into proof_drops values (tg_event, clock_timestamp()); end $$`);
  for (const event of ['ddl_command_start', 'ddl_command_end'])
    await database.tables.execute(
      sql.raw(`create event trigger note_${event} on ${event} when tag in ('DROP TABLE') execute function note_drop()`),
    );
}

/** How long each drop took, in milliseconds, in order. */
async function dropTimes(database: Database): Promise<readonly number[]> {
  const rows = await database.rows<{ ms: number }>(sql`select ms from (
    select event, (extract(epoch from at - lag(at) over (order by at)) * 1000)::float8 as ms from proof_drops) noted
    where event = 'ddl_command_end'`);
  return rows.map(({ ms }) => ms);
}

/** Replaces the first partition by `rounds` old ones with rows, and those that new rows need. */
async function fillOld(
  database: Database,
  table: (typeof RECORD_TABLES)[number],
  now: number,
  rounds: number,
  rows: number,
): Promise<readonly Partition[]> {
  const { name, period } = table;
  const limit = now - KEPT[period];
  // One that the gateway uses just then is tried again: it would take the place of those to be filled.
  while ((await dropPartitions(database.tables, table, Number.POSITIVE_INFINITY)).busy.length > 0) await wait(10);
  await createPartitions(database.tables, table, limit - rounds * LENGTH[period], now);
  const old = (await partitionsOf(rowsIn(database.tables), table)).filter(({ to }) => to <= limit).slice(-rounds);
  const part = sql.raw(String(Math.ceil(rows / rounds / PARTS)));
  for (const { from, to } of old) {
    const at = sql.raw(`to_timestamp(${from / 1_000}) + n * ${(to - from) / 1_000 / rows}::float8 * interval '1 s'`);
    for (let count = 0; count < PARTS; count += 1)
      await database.rows(
        name === 'request_log'
          ? sql`insert into request_log select 'app_' || n % 100, ${at}, 'req_' || n, 'searchVehicles', 200, 12, ${TRACE}
              from generate_series(1, ${part}) n`
          : sql`insert into usage_counters select 'app_' || n % 100 || '_' || ${sql.raw(String(count))}, ${at}, 'searchVehicles', 200, 1, 12
              from generate_series(1, ${part}) n`,
      );
  }
  return old;
}

/** Statements per partition, so that each stays within the time limit of statements. */
const PARTS = 10;
const TRACE = JSON.stringify({ budgetMs: 5_000, calls: [], skipped: [], entries: [] });

async function countOld(database: Database, now: number): Promise<number> {
  const at = (keptMs: number) => sql.raw(`to_timestamp(${(now - keptMs) / 1_000})`);
  const [row] = await database.rows<{ rows: number }>(sql`select (
    (select count(*) from request_log where at < ${at(KEPT.day)}) + (select count(*) from usage_counters where minute < ${at(KEPT.month)}))::int as rows`);
  return row?.rows ?? Number.NaN;
}

async function bookFor(windowMs: number, book: () => Promise<number>): Promise<number[]> {
  const end = performance.now() + windowMs;
  const took: number[] = [];
  await Promise.all(
    Array.from({ length: BOOKERS }, async () => {
      while (performance.now() < end) {
        took.push(await book());
        await wait(PAUSE_MS);
      }
    }),
  );
  return took;
}
