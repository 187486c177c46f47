import { describe, expect, it } from '@jest/globals';
import { RequestTrace } from './request-trace.js';

const begin = (trace: RequestTrace, supplier: string, brand?: string, startedAt = 100) =>
  trace.begin({
    supplier,
    brand,
    operation: 'searchVehicles',
    timeoutMs: 4_000,
    startedAt,
    exchanges: [],
    warnings: { list: [] },
    shared: false,
  });
const end = (supplier: string, brand?: string, durationMs = 20) =>
  ({ supplier, brand, outcome: 'answered', cause: undefined, items: 3, durationMs }) as const;

describe('the trace of a request', () => {
  it('records the end of the call of the same supplier and brand', () => {
    const trace = new RequestTrace();
    const [avis, budget] = [begin(trace, 'abg', 'Avis'), begin(trace, 'abg', 'Budget', 110)];
    trace.end(end('abg', 'Budget', 30));
    expect([avis.outcome, avis.endedAt]).toEqual(['open', undefined]);
    expect([budget.outcome, budget.items, budget.endedAt]).toEqual(['answered', 3, 140]);
  });

  it('records each end once: a second call of a supplier ends on its own', () => {
    const trace = new RequestTrace();
    begin(trace, 'alpine');
    trace.end(end('alpine'));
    begin(trace, 'alpine', undefined, 500);
    trace.end({ ...end('alpine'), outcome: 'failed', cause: 'timeout' });
    expect(trace.calls.map(({ outcome, endedAt }) => [outcome, endedAt])).toEqual([
      ['answered', 120],
      ['failed', 520],
    ]);
  });

  it('ignores the end of a call that it does not have', () => {
    const trace = new RequestTrace();
    trace.end(end('alpine'));
    expect(trace.calls).toEqual([]);
  });
});
