import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { Turns } from '../../config/turns.js';
import { HeavyViews } from './heavy-views.js';

claim(
  'API4',
  'Each account has one page at a time that reads many records, whichever it is; another waits 2 s, then gets 429.',
  async () => {
    // Each Nest module has an instance of its own.
    const reports = { turns: new Turns() };
    const views = new HeavyViews({ reports });
    const otherViews = new HeavyViews({ reports });
    let running = 0;
    const read = async () => {
      running += 1;
      expect(running).toBe(1);
      await sleep(20);
      running -= 1;
      return 'page';
    };
    const all = [views, otherViews, views].map((some) => some.run('acc_a', read));
    expect(await Promise.all(all)).toEqual(['page', 'page', 'page']);
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const slow = views.run('acc_a', () => promise);
    expect(await views.run('acc_b', read)).toBe('page');
    await expect(otherViews.run('acc_a', read)).rejects.toMatchObject({ status: 429 });
    end();
    await slow;
    expect(await views.run('acc_a', read)).toBe('page');
  },
);

it('a statement that the database stopped is explained, and lets the next view start', async () => {
  const views = new HeavyViews({ reports: { turns: new Turns() } });
  const stopped = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const failing = views.run('acc_a', () => Promise.reject(stopped));
  await expect(failing).rejects.toMatchObject({ status: 503, message: expect.stringContaining('shorter period') });
  expect(await views.run('acc_a', async () => 'next')).toBe('next');
});
