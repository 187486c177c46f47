import { expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { PagePlaces } from './page-places.js';

claim('API4', 'A burst of pages of one account is made four at a time, and holds up no page of another.', async () => {
  const places = new PagePlaces(4, 1_000);
  let [busy, most] = [0, 0];
  const page = async () => {
    const leave = await places.enter('acc_a');
    busy += 1;
    most = Math.max(most, busy);
    await new Promise(setImmediate);
    busy -= 1;
    leave();
  };
  const burst = Promise.all(Array.from({ length: 50 }, page));
  (await places.enter('acc_b'))();
  expect(busy).toBe(4);
  await burst;
  expect([most, busy]).toEqual([4, 0]);
});

it('a page that gets no place in time gets 429, and the next one that waits its place', async () => {
  const places = new PagePlaces(1, 30);
  const leave = await places.enter('acc_a');
  await expect(places.enter('acc_a')).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
  const next = places.enter('acc_a');
  leave();
  (await next)();
  (await places.enter('acc_a'))();
});
