import { describe, expect, it } from '@jest/globals';
import { PriceDrift } from './price-drift.js';

const HOUR_MS = 3_600_000;

/** A drift on a clock that the test sets, and price checks of new offers, of which every `changedEach`th changed. */
function drifting() {
  const clock = { now: 0 };
  const drift = new PriceDrift(() => clock.now);
  let offer = 0;
  const check = (times: number, fromMemory: boolean, changedEach = Infinity, account = 'acc_1'): void => {
    for (let at = 1; at <= times; at += 1) {
      offer += 1;
      drift.checked({ offer, account, fromMemory, changed: at % changedEach === 0 });
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
    expect(drift.lifetimeShareOf('acc_1')).toBe(1);
  });

  it('is halved when the prices of offers from memory change in 0.5 % more of their checks', () => {
    const { drift, check } = drifting();
    check(400, true, 201);
    expect(drift.lifetimeShareOf('acc_1')).toBe(1);
    check(400, true, 133);
    expect(drift.lifetimeShareOf('acc_1')).toBe(0.5);
  });

  it('is halved before 400 checks when that is certain, down to a sixteenth', () => {
    const { drift, check } = drifting();
    check(3, true, 1);
    expect(drift.lifetimeShareOf('acc_1')).toBe(0.5);
    check(300, true, 1);
    expect(drift.lifetimeShareOf('acc_1')).toBe(1 / 16);
  });

  it('recovers with price checks that show no change', () => {
    const { drift, check } = drifting();
    check(6, true, 1);
    expect(drift.lifetimeShareOf('acc_1')).toBe(0.25);
    check(400, true);
    expect(drift.lifetimeShareOf('acc_1')).toBe(0.375);
    check(1_200, true);
    expect(drift.lifetimeShareOf('acc_1')).toBe(1);
  });

  it('recovers with time if there are few price checks', () => {
    const { clock, drift, check } = drifting();
    check(30, true, 1);
    clock.now = HOUR_MS - 1;
    expect(drift.lifetimeShareOf('acc_1')).toBe(1 / 16);
    clock.now = 3 * HOUR_MS;
    expect(drift.lifetimeShareOf('acc_1')).toBe((1 / 16) * 1.5 ** 3);
    clock.now = 10 * HOUR_MS;
    expect(drift.lifetimeShareOf('acc_1')).toBe(1);
  });

  it('does not depend on how often one offer is checked', () => {
    const { drift } = drifting();
    for (let times = 0; times < 1_000; times += 1)
      drift.checked({ offer: 1, account: 'acc_1', fromMemory: true, changed: true });
    expect(drift.lifetimeShareOf('acc_1')).toBe(1);
  });

  it('is shortened by one account only for itself', () => {
    const { drift, check } = drifting();
    check(300, true, 1, 'acc_2');
    expect([drift.lifetimeShareOf('acc_2'), drift.lifetimeShareOf('acc_1')]).toEqual([1 / 16, 1]);
    expect(drift.shortestShare).toBe(1 / 16);
    check(1, true, 1, 'acc_3');
    check(1, true, 1, 'acc_4');
    expect(drift.lifetimeShareOf('acc_1')).toBe(0.5);
  });

  it('is shortened for all if the prices of several accounts change, each of which sees few', () => {
    const { drift, check } = drifting();
    for (const account of ['acc_2', 'acc_3', 'acc_4']) check(1, true, 1, account);
    expect(drift.lifetimeShareOf('acc_1')).toBe(0.5);
  });

  it('is that of all for accounts that were not seen for long', () => {
    const { drift, check } = drifting();
    check(3, true, 1, 'acc_2');
    for (let at = 0; at < 1_000; at += 1) check(1, true, Infinity, `acc_other_${at}`);
    expect(drift.lifetimeShareOf('acc_2')).toBe(1);
  });
});
