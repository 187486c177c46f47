import { expect, test } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import type { TracedEntry } from '../metrics/request-trace.js';
import { type ErrorFilter, ErrorGroups } from './error-groups.js';

const database = migratedDatabase('request_log');
/** Yesterday at 21:20 UTC. */
const AT = (Math.floor(Date.now() / 86_400_000 - 1) * 1_440 + 1_280) * 60_000;
const failed = (supplier: string, cause: string): TracedEntry => ({ reason: 'supplier_failure', supplier, cause });
const read = (filter: ErrorFilter = {}, ids = ['app_a'], count = 9) =>
  new ErrorGroups(database()).read(ids, filter, count);

async function add(
  requestId: string,
  after: number,
  status: number,
  entries: readonly TracedEntry[],
  { applicationId = 'app_a', operation = 'searchVehicles' } = {},
): Promise<void> {
  const trace = JSON.stringify({ budgetMs: 5_000, calls: [], skipped: [], entries });
  await database().rows(sql`insert into request_log values (${applicationId}, ${new Date(AT + after).toISOString()}::timestamptz,
    ${requestId}, ${operation}, ${status}, 10, ${trace})`);
}

/** Requests of one millisecond each, the first at AT, the trace of each `every`th with an entry. */
async function addMany(count: number, every: number): Promise<void> {
  const entry = { reason: 'supplier_failure', supplier: 'bravo', cause: 'timeout' };
  const [clean, bad] = [[], [entry]].map((entries) => JSON.stringify({ calls: [], entries }));
  await database().rows(sql`insert into request_log select 'app_a', ${new Date(AT).toISOString()}::timestamptz + n * interval '1 ms',
    'many-' || n, 'searchVehicles', 200, 1, (case when n % ${every}::int = 0 then ${bad} else ${clean} end)::json
    from generate_series(0, ${count - 1}::int) n`);
}

test('errors are grouped by reason, cause, supplier and field, the most frequent first, each with its newest request', async () => {
  await add('one', 1, 206, [failed('bravo', 'timeout'), { reason: 'no_supplier_results', supplier: 'alpine' }]);
  // A supplier has an entry per brand; a POST with errors is a 200.
  await add('two', 2, 200, [
    { ...failed('bravo', 'timeout'), brand: 'X' },
    { ...failed('bravo', 'timeout'), brand: 'Y' },
  ]);
  await add('three', 3, 206, [failed('bravo', 'unavailable'), failed('dune', 'timeout')]);
  await add('four', 4, 400, [{ reason: 'invalid_format', field: 'pickup_date' }]);
  await add('five', 5, 499, []);
  await add('six', 6, 499, []);
  await add('seven', 7, 200, []);
  const { groups, found, since } = await read();
  const text = groups.map(
    ({ reason, cause, supplier, field, requests, newest }) =>
      `${[reason, cause, supplier, field].filter(Boolean).join(' ')}: ${requests}, ${newest.requestId} ${newest.status} ${newest.at - AT}`,
  );
  expect(text).toEqual([
    ': 2, six 499 6',
    'supplier_failure timeout bravo: 2, two 200 2',
    'invalid_format pickup_date: 1, four 400 4',
    expect.stringMatching(/^supplier_failure \w+ \w+: 1, three 206 3$/),
    expect.stringMatching(/^supplier_failure \w+ \w+: 1, three 206 3$/),
  ]);
  expect([found, since]).toEqual([5, undefined]);
  expect(await read({}, ['app_a'], 2)).toMatchObject({ groups: { length: 2 }, found: 5 });
});

test.each([
  [{ supplier: 'dune' }, ['late']],
  [{ operation: 'readSearch' }, ['early']],
  [{ status: [400, 499] }, []],
  [{ from: AT + 2 }, ['late']],
  [{ to: AT + 2 }, ['early']],
  [{ from: 9e14 }, []],
  [{ supplier: "x' or true --" }, []],
] as const)('filtered by %j', async (filter, expected) => {
  await add('early', 1, 206, [failed('bravo', 'timeout')], { operation: 'readSearch' });
  await add('late', 2, 206, [failed('dune', 'timeout')]);
  const { groups } = await read(filter as ErrorFilter);
  expect(groups.map(({ newest }) => newest.requestId)).toEqual(expected);
});

claim('API1', 'Errors are grouped only from requests of the account’s own applications.', async () => {
  await add('foreign', 1, 206, [failed('bravo', 'timeout')], { applicationId: 'app_b' });
  expect((await read()).groups).toEqual([]);
  expect((await read({}, [])).groups).toEqual([]);
  expect((await read({}, ['app_a', 'app_b'])).groups).toHaveLength(1);
});

claim(
  'API4',
  'For groups of errors, 1,000 requests are searched and 250 with errors are read, however many there are.',
  async () => {
    await addMany(3_000, 10);
    expect(await read()).toMatchObject({ groups: [{ requests: 100 }], since: AT + 2_000 });
    expect(await read({ to: AT + 500 })).toMatchObject({ groups: [{ requests: 50 }], since: undefined });
    await database().rows(sql`delete from request_log`);
    await addMany(900, 2);
    expect(await read()).toMatchObject({ groups: [{ requests: 250 }], since: AT + 400 });
  },
);
