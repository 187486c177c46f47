import { describe, expect, it } from '@jest/globals';
import { behaviorOf } from './latency.js';

const counts = Array.from({ length: 4_000 }, (_, index) => index);
const percentile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

describe('latency', () => {
  it('is log-normal with the configured median and sigma', () => {
    const delays = counts.map((count) => behaviorOf(1, count, { medianMs: 100, sigma: 0.5 }).delayMs);
    expect(Math.abs(percentile(delays, 0.5) - 100)).toBeLessThan(5);
    expect(Math.abs(percentile(delays, 0.99) - 320)).toBeLessThan(35);
  });

  it('does not exceed its maximum', () => {
    const delays = counts.map((count) => behaviorOf(1, count, { medianMs: 100, sigma: 0.5, maxMs: 150 }).delayMs);
    expect(Math.max(...delays)).toBe(150);
  });

  it('is zero for a median of 0', () => {
    expect(behaviorOf(1, 0, { medianMs: 0, sigma: 2 })).toEqual({ delayMs: 0 });
  });

  it('depends only on seed and count', () => {
    const latency = { medianMs: 10, sigma: 1 };
    expect(behaviorOf(5, 17, latency)).toEqual(behaviorOf(5, 17, latency));
    expect(behaviorOf(5, 17, latency)).not.toEqual(behaviorOf(6, 17, latency));
    expect(behaviorOf(5, 17, latency)).not.toEqual(behaviorOf(5, 18, latency));
  });
});

describe('chaos', () => {
  it('occurs at the configured rates, and never by default', () => {
    const latency = { medianMs: 0, sigma: 0 };
    const chaos = { errorRate: 0.1, timeoutRate: 0.05, garbageRate: 0.05, resetRate: 0.1 };
    const faults = counts.map((count) => behaviorOf(9, count, latency, chaos).fault);
    const share = (fault: string) => faults.filter((other) => other === fault).length / counts.length;
    expect(Math.abs(share('error') - 0.1)).toBeLessThan(0.02);
    expect(Math.abs(share('timeout') - 0.05)).toBeLessThan(0.015);
    expect(Math.abs(share('garbage') - 0.05)).toBeLessThan(0.015);
    expect(Math.abs(share('reset') - 0.1)).toBeLessThan(0.02);
    expect(counts.every((count) => behaviorOf(9, count, latency).fault === undefined)).toBe(true);
  });
});
