import { UnsignedCalls } from './unsigned-calls.js';

it('20 calls of a network within a minute make it wait for the rest of the minute, and no other network', () => {
  let now = 0;
  const attempts = new UnsignedCalls(() => now);
  for (let count = 0; count < 19; count += 1) attempts.add('192.0.2.1');
  expect(attempts.waitSeconds('192.0.2.1')).toBe(0);
  now = 20_000;
  attempts.add('192.0.2.1');
  expect([attempts.waitSeconds('192.0.2.1'), attempts.waitSeconds('192.0.2.2')]).toEqual([40, 0]);
  now = 60_000;
  expect(attempts.waitSeconds('192.0.2.1')).toBe(0);
  attempts.add('192.0.2.1');
  expect(attempts.waitSeconds('192.0.2.1')).toBe(0);
});

it('remembers 10,000 networks', () => {
  const attempts = new UnsignedCalls(() => 0);
  for (let count = 0; count < 20; count += 1) attempts.add('192.0.2.1');
  for (let count = 0; count < 9_999; count += 1) attempts.add(`10.0.${count >> 8}.${count & 255}`);
  expect(attempts.waitSeconds('192.0.2.1')).toBe(60);
  attempts.add('198.51.100.1');
  expect(attempts.waitSeconds('192.0.2.1')).toBe(0);
});
