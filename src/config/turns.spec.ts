import { expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { TurnMissedError, Turns } from './turns.js';

claim('API4', 'A burst of pages of one account is made four at a time, and holds up no page of another.', async () => {
  const turns = new Turns(4, 1_000);
  let [busy, most] = [0, 0];
  const page = () =>
    turns.run('acc_a', async () => {
      busy += 1;
      most = Math.max(most, busy);
      await new Promise(setImmediate);
      busy -= 1;
    });
  const burst = Promise.all(Array.from({ length: 50 }, page));
  expect(await turns.run('acc_b', async () => busy)).toBe(4);
  await burst;
  expect([most, busy]).toEqual([4, 0]);
});

it('work that gets no turn in time is refused, the next takes its place, and so it does after a failure', async () => {
  const turns = new Turns(1, 30);
  const { promise, reject } = Promise.withResolvers<void>();
  const first = turns.run('acc_a', () => promise);
  await expect(turns.run('acc_a', async () => 'late')).rejects.toThrow(TurnMissedError);
  const next = turns.run('acc_a', async () => 'next');
  reject(new Error('failed'));
  await expect(first).rejects.toThrow('failed');
  expect(await next).toBe('next');
  expect(await turns.run('acc_a', async () => 'later')).toBe('later');
});
