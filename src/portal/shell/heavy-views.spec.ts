import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { HeavyViews } from './heavy-views.js';

claim(
  'API4',
  'Each account has one page at a time that reads many records; another waits 2 s, then gets 429.',
  async () => {
    const views = new HeavyViews();
    let running = 0;
    const read = async () => {
      running += 1;
      expect(running).toBe(1);
      await sleep(20);
      running -= 1;
      return 'page';
    };
    expect(await Promise.all([1, 2, 3].map(() => views.run('acc_a', read)))).toEqual(['page', 'page', 'page']);
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const slow = views.run('acc_a', () => promise);
    expect(await views.run('acc_b', read)).toBe('page');
    await expect(views.run('acc_a', read)).rejects.toMatchObject({ status: 429 });
    end();
    await slow;
    expect(await views.run('acc_a', read)).toBe('page');
  },
);

it('a statement that the database stopped is explained, and lets the next view start', async () => {
  const views = new HeavyViews();
  const stopped = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const failing = views.run('acc_a', () => Promise.reject(stopped));
  await expect(failing).rejects.toMatchObject({ status: 503, message: expect.stringContaining('shorter period') });
  expect(await views.run('acc_a', async () => 'next')).toBe('next');
});
