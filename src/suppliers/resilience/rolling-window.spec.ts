import { describe, expect, it } from '@jest/globals';
import { RollingWindow } from './rolling-window.js';

function world() {
  const clock = { ms: 12_345 };
  return { clock, window: new RollingWindow(1_000, () => clock.ms) };
}

describe('RollingWindow', () => {
  it('counts failed and slow calls separately', () => {
    const { window } = world();
    for (const health of ['good', 'good', 'slow', 'failed', 'failed', 'failed'] as const) window.add(health);
    expect(window.counts()).toEqual({ calls: 6, failed: 3, slow: 1 });
  });

  it('forgets a call after its length, give or take a tenth, but not earlier', () => {
    const { window, clock } = world();
    window.add('failed');
    clock.ms += 899;
    expect(window.counts().calls).toBe(1);
    clock.ms += 202;
    expect(window.counts()).toEqual({ calls: 0, failed: 0, slow: 0 });
  });

  it('forgets older calls and keeps newer ones', () => {
    const { window, clock } = world();
    for (let call = 0; call < 10; call += 1) {
      window.add('good');
      clock.ms += 100;
    }
    expect(window.counts().calls).toBe(9);
    clock.ms += 400;
    expect(window.counts().calls).toBe(5);
  });

  it('is empty after a pause much longer than its length, and continues counting', () => {
    const { window, clock } = world();
    window.add('slow');
    clock.ms += 3_600_000;
    window.add('good');
    expect(window.counts()).toEqual({ calls: 1, failed: 0, slow: 0 });
  });
});
