import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { CountStorage } from './count-storage.js';

const database = migratedDatabase('service_counts', 'usage_batches');
const MINUTE = Math.floor(Date.now() / 60_000);
const today = (): number => new Date().setUTCHours(0, 0, 0, 0);
const row = (calls: number, failed: number, minute = MINUTE) => ({
  ...{ part: 'api', operation: 'search', minute },
  ...{ calls, failed },
});
const sandbox = () => new CountStorage(database(), 'sandbox');

it('adds the counts of several gateways up, by minute and by day', async () => {
  const [one, other] = [sandbox(), sandbox()];
  await one.add({ number: 1, rows: [row(5, 1), row(2, 0)] });
  await other.add({ number: 1, rows: [row(3, 3)] });
  await one.add({ number: 2, rows: [row(1, 0)] });
  const sum = { part: 'api', operation: 'search', calls: 11, failed: 4 };
  expect(await one.minutes(0)).toEqual([{ ...sum, at: MINUTE * 60_000 }]);
  expect(await one.days()).toMatchObject([sum]);
  expect(await new CountStorage(database(), 'production').days()).toEqual([]);
});

it('counts a batch once that is sent twice because its first answer was lost', async () => {
  const storage = sandbox();
  const batch = { number: 1, rows: [row(5, 1)] };
  await storage.add(batch);
  await storage.add(batch);
  expect(await storage.days()).toMatchObject([{ calls: 5, failed: 1 }]);
});

it('keeps minutes for two hours and days for 90, today included', async () => {
  const storage = sandbox();
  const minutesAgo = (minutes: number) => row(1, 0, MINUTE - minutes);
  await storage.add({ number: 1, rows: [0, 117, 123, 89 * 1_440, 91 * 1_440].map(minutesAgo) });
  await storage.prune();
  expect((await storage.minutes(0)).length).toBe(2);
  const days = (await storage.days()).map(({ at }) => (today() - at) / 86_400_000);
  expect(days.filter((day) => day > 1)).toEqual([89]);
  expect(await database().rows(sql`select 1 from service_counts where at < now() - interval '91 days'`)).toEqual([]);
});
