import { expect, it } from '@jest/globals';
import { LineRing } from './line-ring.js';

const line = (name: string, length = 100, spans = 4) => ({ text: name.padEnd(length), spans });
const names = (lines: readonly { text: string }[]) => lines.map(({ text }) => text.trim());

it('returns traces in order, up to a number of spans and always complete ones', () => {
  const ring = new LineRing(1_000_000);
  for (const name of ['a', 'b', 'c', 'd']) expect(ring.add(line(name))).toBe(0);
  expect(ring.spans).toBe(16);
  expect(names(ring.take(5))).toEqual(['a', 'b']);
  expect(names(ring.take(100))).toEqual(['c', 'd']);
  expect([ring.take(100), ring.spans]).toEqual([[], 0]);
});

it('drops the oldest traces when there is no room, and returns how many spans they had', () => {
  // A line of 100 characters counts 300 bytes.
  const ring = new LineRing(900);
  for (const name of ['a', 'b', 'c']) expect(ring.add(line(name))).toBe(0);
  expect(ring.add(line('d', 100, 7))).toBe(4);
  expect(ring.add(line('e', 350))).toBe(15);
  expect(names(ring.take(100))).toEqual(['e']);
});

it('drops a trace that is larger than itself', () => {
  const ring = new LineRing(900);
  expect(ring.add(line('a', 1_000, 5))).toBe(5);
  expect([ring.spans, ring.take(1)]).toEqual([0, []]);
});

it('has no more than it counts after many traces', () => {
  const ring = new LineRing(30_000);
  let dropped = 0;
  for (let at = 0; at < 10_000; at += 1) dropped += ring.add(line(String(at), 100, 1));
  expect([ring.spans, dropped]).toEqual([100, 9_900]);
  expect(names(ring.take(2))).toEqual(['9900', '9901']);
});
