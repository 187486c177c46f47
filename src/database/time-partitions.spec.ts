import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { rowsIn } from './by-index.js';
import { createPartitions, dropPartitions, gapsIn, type Partition, partitionsOf } from './time-partitions.js';

const at = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const part = (from: string, to: string): Partition => ({
  name: from,
  from: from === '' ? Number.NEGATIVE_INFINITY : at(from),
  to: at(to),
});
const days = (gaps: ReturnType<typeof gapsIn>) =>
  gaps.map(({ from, to }) => [from, to].map((instant) => new Date(instant).toISOString().slice(0, 10)).join(' '));

describe('gaps between partitions', () => {
  it('are the UTC days that have none, including the day of the last instant', () => {
    const present = [part('2026-02-27', '2026-02-28'), part('2026-03-01', '2026-03-02')];
    expect(days(gapsIn(present, 'day', at('2026-02-27') + 5, at('2026-03-02') + 1))).toEqual([
      '2026-02-28 2026-03-01',
      '2026-03-02 2026-03-03',
    ]);
  });

  it('are the UTC months that have none; one that is covered in part begins where that ends', () => {
    expect(days(gapsIn([part('', '2026-12-10')], 'month', at('2025-01-31'), at('2027-02-01')))).toEqual([
      '2026-12-10 2027-01-01',
      '2027-01-01 2027-02-01',
    ]);
    expect(days(gapsIn([], 'month', at('2026-12-31'), at('2027-01-01')))).toEqual(['2026-12-01 2027-01-01']);
  });
});

describe('partitions', () => {
  const database = migratedDatabase();
  const table = { name: 'request_log', period: 'day' } as const;
  const partitions = () => partitionsOf(rowsIn(database().tables), table);

  it('are created after those that exist, and each row goes into that of its day; repeated, nothing changes', async () => {
    const [first] = await partitions();
    if (!first) throw new Error('the migrations leave one partition');
    expect(first).toMatchObject({ name: 'request_records', from: Number.NEGATIVE_INFINITY });
    expect(first.to).toBeGreaterThan(Date.now());
    await Promise.all([1, 2].map(() => createPartitions(database().tables, table, 0, first.to)));
    const created = (await partitions()).slice(1);
    expect(created.map(({ from }) => from)).toEqual(created.map((_, day) => first.to + day * 86_400_000));
    expect(created.length).toBe(14);
    await database().rows(sql`insert into request_log
      select 'app_a', ${new Date(first.to).toISOString()}::timestamptz + n * interval '24 hours', 'req', 'op', 200, 1, '{}' from generate_series(-1, 2) n`);
    expect(await database().rows(sql`select tableoid::regclass::text as name from request_log order by at`)).toEqual(
      [first, ...created].slice(0, 4).map(({ name }) => ({ name })),
    );
    await createPartitions(database().tables, table, 0, first.to);
    expect(await partitions()).toHaveLength(15);
  });

  it('are dropped when all their rows are older', async () => {
    const [first, second] = await partitions();
    if (!first || !second) throw new Error('they were created');
    expect(await dropPartitions(database().tables, table, second.to - 1)).toEqual({
      dropped: ['request_records'],
      busy: [],
    });
    expect(await database().rows(sql`select count(*)::int as rows from request_log`)).toEqual([{ rows: 3 }]);
    expect((await partitions())[0]).toEqual(second);
  });
});
