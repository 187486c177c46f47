import { expect, it } from '@jest/globals';
import { TailSampler } from './tail-sampler.js';

const settings = { slowMs: 3_000, share: 0.01, callersPerSecond: 2 };
const quick = { status: 200, durationMs: 20, isSampled: false };

it.each([
  [{ ...quick, status: 206 }, 'partial'],
  [{ ...quick, status: 500 }, 'error'],
  [{ ...quick, status: 503 }, 'error'],
  [{ ...quick, durationMs: 3_000 }, 'slow'],
  [{ ...quick, status: 404, durationMs: 3_000 }, 'slow'],
  [{ ...quick, isSampled: true }, 'caller'],
  [{ ...quick, durationMs: 2_999 }, undefined],
  [{ ...quick, status: 404 }, undefined],
  [{ ...quick, status: 429 }, undefined],
])('%j is kept because of: %s', (request, reason) => {
  const sampler = new TailSampler(settings, undefined, () => 0.01);
  expect(sampler.reasonToKeep(request)).toBe(reason);
});

it('keeps the share of the rest', () => {
  let next = 0;
  const sampler = new TailSampler(settings, undefined, () => (next++ % 1_000) / 1_000);
  const kept = Array.from({ length: 10_000 }, () => sampler.reasonToKeep(quick));
  expect(kept.filter((reason) => reason === 'share')).toHaveLength(100);
});

it('keeps so many requests per second because of callers; further ones count as not sampled', () => {
  let now = 5_000;
  const sampler = new TailSampler(
    settings,
    () => now,
    () => 1,
  );
  const ask = () => sampler.reasonToKeep({ ...quick, isSampled: true });
  expect([ask(), ask(), ask(), ask()]).toEqual(['caller', 'caller', undefined, undefined]);
  expect(sampler.reasonToKeep({ ...quick, status: 206, isSampled: true })).toBe('partial');
  now += 1_000;
  expect([ask(), ask(), ask()]).toEqual(['caller', 'caller', undefined]);
});
