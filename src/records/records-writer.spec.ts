import { beforeEach, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import type { Config } from '../config/config.module.js';
import { configSchema } from '../config/config.schema.js';
import { metrics } from '../metrics/metrics.js';
import type { RecordPartitions } from './record-partitions.js';
import type { Recorder } from './recorder.service.js';
import { RecordsRepository } from './records.repository.js';
import { RecordsWriter } from './records-writer.service.js';
import type { RequestRecord } from './request-record.js';

const database = migratedDatabase();
beforeEach(async () => {
  await database().rows(sql`delete from request_log`);
});

const record = (requestId: string, more: Partial<RequestRecord> = {}): RequestRecord => ({
  applicationId: 'app_a',
  at: Date.now(),
  requestId,
  operation: 'searchVehicles',
  status: 200,
  durationMs: 12,
  trace: { budgetMs: 5_000, calls: [], skipped: [], entries: [] },
  ...more,
});

/** Writes the records as a gateway does that stops. Returns what waits for the next attempt, and what was logged. */
async function write(records: readonly RequestRecord[], repository?: RecordsRepository, turnSecond?: () => void) {
  const waiting = [...records];
  const logged: unknown[] = [];
  await writerOf(waiting, repository, undefined, logged, { turnSecond }).onApplicationShutdown();
  return { waiting, logged };
}

/** A writer that takes records from `waiting`, and gives them back to it. */
function writerOf(
  waiting: RequestRecord[],
  repository = new RecordsRepository(database(), SANDBOX),
  partitions = { maintain: async () => [] } as unknown as RecordPartitions,
  logged: unknown[] = [],
  {
    backgroundWork = true,
    turnSecond = () => undefined,
  }: { readonly backgroundWork?: boolean; readonly turnSecond?: (() => void) | undefined } = {},
): RecordsWriter {
  const recorder = {
    turnSecond,
    takeUsage: () => [],
    takeSuppliers: () => [],
    takeRecords: (count: number) => waiting.splice(0, count),
    giveBack: (back: readonly RequestRecord[]) => waiting.unshift(...back),
  };
  const log = (...line: unknown[]): number => logged.push(line);
  const logger = { error: log, warn: log, info: log };
  return new RecordsWriter(
    recorder as unknown as Recorder,
    repository,
    partitions,
    { backgroundWork, records: { perApplication: 10 } } as Config,
    logger as unknown as Logger,
  );
}

const SANDBOX = configSchema.parse({});
const stored = async (): Promise<string[]> =>
  (await database().rows<{ id: string }>(sql`select request_id as id from request_log order by 1`)).map(({ id }) => id);
async function refused(): Promise<number> {
  const text = await metrics.getSingleMetricAsString('forecourt_request_records_total');
  return Number(/fate="refused"\} (\d+)/.exec(text)?.[1] ?? 0);
}

it('reports requests that cannot be recorded, and writes the others', async () => {
  const { waiting, logged } = await write([record('req_other')], undefined, () => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  expect([waiting, logged.length, await stored()]).toEqual([[], 1, ['req_other']]);
});

it('a request with a value that the database refuses is dropped alone, counted and logged without the value', async () => {
  const before = await refused();
  const ids = Array.from({ length: 300 }, (_, index) => `good-${String(index).padStart(3, '0')}`);
  const records = ids.map((id) => record(id));
  records.splice(7, 0, record('secret\u0000'));
  records.splice(150, 0, record('too-slow', { durationMs: 3e9 }));
  records.splice(250, 0, record('half\ud800'));
  const { waiting, logged } = await write(records);
  expect(await stored()).toEqual(ids);
  expect([waiting, (await refused()) - before]).toEqual([[], 3]);
  expect(logged.length).toBe(3);
  expect(JSON.stringify(logged)).toMatch(/22P05.*22003/);
  expect(JSON.stringify(logged)).not.toContain('secret');
});

it('requests wait for the next attempt if the database is unavailable, in their order and without those already stored', async () => {
  const repository = new RecordsRepository(database(), SANDBOX);
  let attempts = 0;
  const failing = {
    keep: async (records: readonly RequestRecord[]) => {
      attempts += 1;
      if (attempts === 3) throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
      await repository.keep(records);
    },
  };
  const { waiting } = await write(
    ['a', 'b', 'c\u0000', 'd'].map((id) => record(id)),
    failing as unknown as RecordsRepository,
  );
  expect(waiting.map(({ requestId }) => requestId)).toEqual(['c\u0000', 'd']);
  expect(await stored()).toEqual(['a', 'b']);
});

/** A writer all of whose deletions fail, and the deletions that it tried. */
function failingRetention(backgroundWork: boolean) {
  const ran: string[] = [];
  const failing = async () => {
    throw new Error('canceling statement due to statement timeout');
  };
  const repository = {
    keep: async () => undefined,
    forgetBeyond: async (application: string) => {
      ran.push(application);
      await failing();
    },
    forgetGateways: async () => {
      ran.push('gateways');
    },
  };
  const writer = writerOf([record('a')], repository as unknown as RecordsRepository, undefined, [], { backgroundWork });
  return { writer, ran };
}

it('each step of the retention runs even if an earlier one fails', async () => {
  const { writer, ran } = failingRetention(true);
  await writer.onApplicationShutdown();
  await expect(writer.prune()).rejects.toThrow('statement timeout');
  expect(ran).toEqual(['app_a', 'gateways']);
});

it('logs one error when partitions end within days because none can be created, and another when it happens again', async () => {
  const logged: unknown[] = [];
  let coveredUntil = Date.now() + 3 * 86_400_000;
  const done = () => ({
    table: 'request_log',
    coveredUntil,
    dropped: [],
    busy: [],
    failure: new Error('no permission'),
  });
  const partitions = { maintain: async () => [done()] } as unknown as RecordPartitions;
  const writer = writerOf([], undefined, partitions, logged);
  await writer.maintain();
  await writer.maintain();
  expect(logged).toMatchObject([
    [{ table: 'request_log', why: 'no permission' }, expect.stringMatching(/gw migrate apply/)],
  ]);
  coveredUntil += 86_400_000 * 9;
  await writer.maintain();
  coveredUntil -= 86_400_000 * 9;
  await writer.maintain();
  expect(logged).toHaveLength(2);
});

it('without background work, nothing of other gateways is deleted', async () => {
  const { writer, ran } = failingRetention(false);
  await writer.onApplicationShutdown();
  await expect(writer.prune()).rejects.toThrow('statement timeout');
  expect(ran).toEqual(['app_a']);
});
