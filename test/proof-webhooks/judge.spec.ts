import { expect, it } from '@jest/globals';
import { type Arrival, judge, quantile } from './judge.js';

const DUE = new Map([
  ['res_a', ['created', 'confirmed', 'cancelled']],
  ['res_b', ['created', 'failed']],
]);
const arrival = (text: string, at: number): Arrival => {
  const [reservation = '', type = '', id = `${reservation}-${type}`] = text.split(' ');
  return { id, reservation: `res_${reservation}`, type, at };
};
const verdict = (...texts: readonly string[]) => judge(DUE, texts.map(arrival));
const faults = (...texts: readonly string[]) =>
  verdict(...texts).faults.map(({ kind, reservation, types }) => `${kind} ${reservation} ${types.join()}`);

it('finds nothing in complete and ordered events, mixed between reservations', () => {
  expect(verdict('a created', 'b created', 'a confirmed', 'b failed', 'a cancelled')).toEqual({
    events: 5,
    duplicates: 0,
    faults: [],
  });
});

it('counts an event that arrives again, and does not judge when', () => {
  expect(verdict('a created', 'a confirmed', 'a created', 'a cancelled', 'b created', 'b failed', 'b created')).toEqual(
    {
      events: 5,
      duplicates: 2,
      faults: [],
    },
  );
});

it.each([
  ['an event that is missing', ['a created', 'a cancelled', 'b created', 'b failed'], ['lost res_a confirmed']],
  ['a reservation that is missing', ['b created', 'b failed'], ['lost res_a created,confirmed,cancelled']],
  [
    'two events in the wrong order',
    ['a confirmed', 'a created', 'a cancelled', 'b created', 'b failed'],
    ['swapped res_a confirmed,created,cancelled'],
  ],
  [
    'a wrong order beside a loss',
    ['a cancelled', 'a created', 'b created', 'b failed'],
    ['lost res_a confirmed', 'swapped res_a cancelled,created'],
  ],
  [
    'an event of another kind',
    ['a created', 'a confirmed', 'a cancelled', 'b created', 'b failed', 'b cancelled'],
    ['unexpected res_b cancelled'],
  ],
  [
    'an event under two ids',
    ['a created', 'a created other', 'a confirmed', 'a cancelled', 'b created', 'b failed'],
    ['unexpected res_a created'],
  ],
  [
    'a reservation that does not exist',
    ['c created', 'a created', 'a confirmed', 'a cancelled', 'b created', 'b failed'],
    ['unexpected res_c created'],
  ],
])('finds %s', (_what, texts, found) => {
  expect(faults(...texts)).toEqual(found);
});

it('computes quantiles by the nearest rank', () => {
  expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3);
  expect(
    quantile(
      Array.from({ length: 100 }, (_, index) => index + 1),
      0.95,
    ),
  ).toBe(95);
  expect(quantile([], 0.95)).toBe(0);
});
