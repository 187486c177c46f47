import { describe, expect, it } from '@jest/globals';
import { Evidence, MAX_CALLS } from './evidence.js';

function world() {
  const clock = { ms: 12_345 };
  return { clock, evidence: new Evidence(1_000, () => clock.ms) };
}

describe('Evidence', () => {
  it('counts calls without a question one by one', () => {
    const { evidence } = world();
    for (const health of ['good', 'good', 'slow', 'failed', 'failed', 'failed'] as const) evidence.add(health);
    expect(evidence.totals()).toEqual({ calls: 6, questions: 6, failed: 3, slow: 1 });
  });

  it('counts a repeated question once, by the share of its calls that failed or were slow', () => {
    const { evidence } = world();
    for (const health of ['good', 'failed', 'failed', 'slow'] as const) evidence.add(health, 1);
    evidence.add('failed', 2);
    expect(evidence.totals()).toEqual({ calls: 5, questions: 2, failed: 1.5, slow: 0.25 });
  });

  it('forgets a call after the length of its window', () => {
    const { evidence, clock } = world();
    evidence.add('failed', 1);
    clock.ms += 600;
    evidence.add('good', 1);
    clock.ms += 399;
    expect(evidence.totals()).toEqual({ calls: 2, questions: 1, failed: 0.5, slow: 0 });
    clock.ms += 1;
    expect(evidence.totals()).toEqual({ calls: 1, questions: 1, failed: 0, slow: 0 });
    clock.ms += 3_600_000;
    expect(evidence.totals()).toEqual({ calls: 0, questions: 0, failed: 0, slow: 0 });
  });

  it('keeps a limited number of calls, the latest', () => {
    const { evidence } = world();
    for (let call = 0; call < MAX_CALLS; call += 1) evidence.add('failed');
    for (let call = 0; call < MAX_CALLS - 1; call += 1) evidence.add('good', call % 7);
    expect(evidence.totals()).toMatchObject({ calls: MAX_CALLS, questions: 8 });
    expect(evidence.totals().failed).toBeCloseTo(1);
  });

  it('stays exact over many calls', () => {
    const { evidence, clock } = world();
    for (let call = 0; call < 200_000; call += 1) {
      evidence.add((['good', 'slow', 'failed'] as const)[(call * 7) % 3] ?? 'good', (call * 31) % 113);
      clock.ms += call % 5;
    }
    const { questions, failed, slow } = evidence.totals();
    const again = world();
    expect(failed + slow).toBeLessThanOrEqual(questions + 1e-6);
    for (let call = 199_000; call < 200_000; call += 1) {
      again.evidence.add((['good', 'slow', 'failed'] as const)[(call * 7) % 3] ?? 'good', (call * 31) % 113);
      again.clock.ms += call % 5;
    }
    expect(again.evidence.totals().failed).toBeCloseTo(failed, 6);
  });
});
