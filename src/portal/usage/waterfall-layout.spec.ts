import { describe, expect, it } from '@jest/globals';
import type { CallRecord, RequestRecord, TraceRecord } from '../../records/request-record.js';
import { callRows, gatewayMs, gatewayRow, scaleOf } from './waterfall-layout.js';

const call = (more: Partial<CallRecord> = {}): CallRecord => ({
  supplier: 'alpine',
  operation: 'searchVehicles',
  outcome: 'answered',
  timeoutMs: 800,
  startMs: 5,
  endMs: 60,
  exchanges: [[5, 6, 50, 55]],
  ...more,
});
const record = (trace: Partial<TraceRecord>, durationMs = 70): RequestRecord => ({
  applicationId: 'app_a',
  at: 0,
  requestId: 'req_1',
  operation: 'searchVehicles',
  status: 200,
  durationMs,
  trace: { budgetMs: 5_000, admittedMs: 2, answeredMs: 65, calls: [], skipped: [], entries: [], ...trace },
});
const text = (row: readonly { kind: string; from: number; to: number }[]): string =>
  row.map(({ kind, from, to }) => `${kind} ${from}-${to}`).join(', ');

describe('callRows', () => {
  it.each([
    ['a call that answers', call(), ['queue 5-6, wait 6-50, receive 50-55, map 55-60']],
    [
      'one that times out',
      call({ outcome: 'failed', endMs: 805, exchanges: [[5, 6, null, null]] }),
      ['queue 5-6, wait 6-805'],
    ],
    [
      'one that never got a connection',
      call({ outcome: 'failed', endMs: 805, exchanges: [[5, null, null, null]] }),
      ['queue 5-805'],
    ],
    [
      'one that is cut off by the end of the request',
      call({ outcome: 'open', endMs: undefined, exchanges: [[5, 6, 50, null]] }),
      ['queue 5-6, wait 6-50, receive 50-70'],
    ],
    ['one without an exchange', call({ exchanges: [] }), ['map 5-60']],
    [
      'one with two exchanges, each with a line of its own',
      call({
        exchanges: [
          [5, 6, 20, 21],
          [21, 22, 50, 55],
        ],
      }),
      ['queue 5-6, wait 6-20, receive 20-21', 'queue 21-22, wait 22-50, receive 50-55, map 55-60'],
    ],
  ])('of %s', (_what, given, expected) => {
    expect(callRows(given as CallRecord, 70).map(text)).toEqual(expected);
  });
});

describe('gatewayRow', () => {
  it('is the time without open supplier calls: checking, planning, merging, sending', () => {
    const given = record({ calls: [call(), call({ endMs: 40 })] });
    expect(text(gatewayRow(given))).toBe('check 0-2, own 2-5, own 60-65, send 65-70');
    expect(gatewayMs(given)).toBe(15);
  });

  it('shows work between two calls, such as storing a booking', () => {
    const calls = [call({ endMs: 20 }), call({ startMs: 30, endMs: 60 })];
    expect(text(gatewayRow(record({ calls })))).toBe('check 0-2, own 2-5, own 20-30, own 60-65, send 65-70');
  });

  it('counts a shared call only from the start of this request', () => {
    expect(text(gatewayRow(record({ calls: [call({ startMs: -20, shared: true })] })))).toBe(
      'check 0-2, own 60-65, send 65-70',
    );
  });

  it('is only checking if a guard rejected the request', () => {
    expect(text(gatewayRow(record({ admittedMs: undefined, answeredMs: undefined }, 3)))).toBe('check 0-3');
  });
});

describe('scaleOf', () => {
  it('includes a near deadline and leaves out a distant one', () => {
    expect(scaleOf(record({ calls: [call({ timeoutMs: 85 })] })).endMs).toBeCloseTo(91.8);
    expect(scaleOf(record({ calls: [call({ timeoutMs: 800 })] })).endMs).toBeCloseTo(71.4);
  });

  it.each([
    [70, [0, 20, 40, 60]],
    [812, [0, 200, 400, 600, 800]],
    [4_000, [0, 1_000, 2_000, 3_000, 4_000]],
    [0, [0, 0.5, 1]],
  ])('has a few round ticks for %d ms', (durationMs, ticks) => {
    expect(scaleOf(record({}, durationMs)).ticks).toEqual(ticks);
  });
});
