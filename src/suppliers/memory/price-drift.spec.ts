import { describe, expect, it } from '@jest/globals';
import { PriceDrift } from './price-drift.js';

const HOUR_MS = 3_600_000;

/** A drift on a clock that the test sets, and price checks of new offers, of which every `changedEach`th changed. */
function drifting() {
  const clock = { now: 0 };
  const drift = new PriceDrift(() => clock.now);
  let offer = 0;
  const check = (times: number, fromMemory: boolean, changedEach = Infinity): void => {
    for (let at = 1; at <= times; at += 1) {
      offer += 1;
      drift.checked({ offer, fromMemory, changed: at % changedEach === 0 });
    }
  };
  return { clock, drift, check };
}

describe('the lifetime of a supplier’s answers', () => {
  it('is the configured one while offers from memory change their price as often as fresh ones', () => {
    const { drift, check } = drifting();
    check(4_000, false, 20);
    for (let batches = 0; batches < 10; batches += 1) {
      check(400, true, 20);
      check(400, false, 20);
    }
    expect(drift.lifetimeShare).toBe(1);
  });

  it('is halved when the prices of offers from memory change in 0.5 % more of their checks', () => {
    const { drift, check } = drifting();
    check(400, true, 201);
    expect(drift.lifetimeShare).toBe(1);
    check(400, true, 133);
    expect(drift.lifetimeShare).toBe(0.5);
  });

  it('is halved before 400 checks when that is certain, down to a sixteenth', () => {
    const { drift, check } = drifting();
    check(3, true, 1);
    expect(drift.lifetimeShare).toBe(0.5);
    check(300, true, 1);
    expect(drift.lifetimeShare).toBe(1 / 16);
  });

  it('recovers with price checks that show no change', () => {
    const { drift, check } = drifting();
    check(6, true, 1);
    expect(drift.lifetimeShare).toBe(0.25);
    check(400, true);
    expect(drift.lifetimeShare).toBe(0.375);
    check(1_200, true);
    expect(drift.lifetimeShare).toBe(1);
  });

  it('recovers with time if there are few price checks', () => {
    const { clock, drift, check } = drifting();
    check(30, true, 1);
    clock.now = HOUR_MS - 1;
    expect(drift.lifetimeShare).toBe(1 / 16);
    clock.now = 3 * HOUR_MS;
    expect(drift.lifetimeShare).toBe((1 / 16) * 1.5 ** 3);
    clock.now = 10 * HOUR_MS;
    expect(drift.lifetimeShare).toBe(1);
  });

  it('does not depend on how often one offer is checked', () => {
    const { drift } = drifting();
    for (let times = 0; times < 1_000; times += 1) drift.checked({ offer: 1, fromMemory: true, changed: true });
    expect(drift.lifetimeShare).toBe(1);
  });
});
