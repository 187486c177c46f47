import { describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { configSchema } from '../config/config.schema.js';
import { createLogger } from '../config/logger.js';
import { BackgroundTasks } from './background-tasks.js';

const tasksOn = (databaseUrl?: string) =>
  new BackgroundTasks(createLogger('silent'), configSchema.parse({ databaseUrl }));

/** When each of `count` tasks began, in milliseconds after the first was added. */
async function startsOf(tasks: BackgroundTasks, count: number): Promise<readonly number[]> {
  const starts: number[] = [];
  const addedAt = performance.now();
  for (let task = 0; task < count; task += 1) {
    tasks.run('test', async () => {
      starts.push(performance.now() - addedAt);
    });
  }
  // What runs in the turn that added them sends the response.
  expect(starts).toEqual([]);
  await Promise.resolve();
  expect(starts).toEqual([]);
  await tasks.onApplicationShutdown();
  return starts;
}

describe('BackgroundTasks', () => {
  it('begin after the response, and a shutdown waits for them', async () => {
    expect(await startsOf(tasksOn('postgresql://127.0.0.1/x'), 3)).toHaveLength(3);
  });

  claim(
    ['portal', 'V6.3.8'],
    "With the embedded database, emails about accounts are written at a random time after the response, so the next response doesn't show whether an address has an account.",
    async () => {
      const starts = await startsOf(tasksOn(), 40);
      expect(starts).toHaveLength(40);
      expect(Math.min(...starts)).toBeGreaterThan(240);
      expect(Math.max(...starts) - Math.min(...starts)).toBeGreaterThan(300);
    },
  );
});
