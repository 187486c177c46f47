import { describe, expect, it } from '@jest/globals';
import type { CallRecord, RequestRecord, TraceRecord } from '../../records/request-record.js';
import { explanation } from './explanation.js';

const call = (supplier: string, more: Partial<CallRecord> = {}): CallRecord => ({
  supplier,
  operation: 'searchVehicles',
  outcome: 'answered',
  timeoutMs: 4_000,
  startMs: 1,
  endMs: 60,
  exchanges: [],
  ...more,
});
const explain = (status: number, trace: Partial<TraceRecord>): readonly string[] => {
  const fullTrace = { budgetMs: 8_000, calls: [], skipped: [], entries: [], ...trace };
  const record: RequestRecord = {
    applicationId: 'app_a',
    at: 0,
    requestId: 'r',
    operation: 'searchVehicles',
    status,
    durationMs: 70,
    trace: fullTrace,
  };
  return explanation(record, (supplier) => supplier.toUpperCase());
};

describe('the explanation of a request', () => {
  it.each([
    ['a complete response', 200, { calls: [call('a'), call('b')] }, ['All 2 suppliers answered.']],
    [
      'a partial response',
      206,
      {
        calls: [call('a'), call('b', { outcome: 'failed', cause: 'timeout' }), call('c', { outcome: 'empty' })],
        skipped: ['d'],
      },
      [
        '3 suppliers were called; 1 answered in full.',
        'B did not answer before the deadline of 4,000 ms.',
        'C had no matching results.',
        'D received no call: in maintenance.',
      ],
    ],
    [
      'brands that failed the same way, in one sentence',
      206,
      {
        calls: ['x', 'y']
          .map((brand) => call('a', { brand, outcome: 'failed', cause: 'bad_payload' }))
          .concat(call('b')),
      },
      ['2 suppliers were called; 1 answered in full.', 'A (x) and A (y) sent an invalid response.'],
    ],
    [
      'a car that sold out after its price check',
      404,
      {
        calls: [
          call('a', { operation: 'priceCheck' }),
          call('a', { operation: 'book', outcome: 'failed', cause: 'sold_out' }),
        ],
      },
      ['One supplier was called.', 'A has no car left for this offer.'],
    ],
    [
      'an exceeded time budget',
      408,
      { calls: [call('a', { outcome: 'open' }), call('b', { outcome: 'open' })] },
      [
        'The time budget of 8,000 ms was exceeded.',
        '2 suppliers were called; none answered in full.',
        'A and B had not finished when the time ran out.',
      ],
    ],
    [
      'a client that disconnected',
      499,
      { calls: [call('a', { outcome: 'open' })] },
      [
        'Your client closed the connection before the complete response was sent.',
        'One supplier was called.',
        'A had not finished when you disconnected.',
      ],
    ],
    [
      'timeout_ms',
      206,
      { calls: [call('a'), call('b', { outcome: 'open' })] },
      [expect.any(String), 'B had not finished when timeout_ms was reached.'],
    ],
    [
      'a shared call',
      200,
      { calls: [call('a', { shared: true })] },
      ['One supplier was called, and it answered.', 'A already had an identical request: one call served both.'],
    ],
    [
      'an answer from memory beside a call',
      206,
      {
        calls: [call('a', { ageSeconds: 12 }), call('b', { outcome: 'empty', ageSeconds: 7 }), call('c')],
      },
      [
        '3 suppliers were searched; 2 answered in full.',
        "A wasn't called: its answer in memory was 12 s old.",
        "B wasn't called: its answer in memory was 7 s old and had no matching results.",
      ],
    ],
    [
      'answers from memory only',
      200,
      { calls: [call('a', { ageSeconds: 12 })] },
      ['Answered from memory: no supplier was called.', "A wasn't called: its answer in memory was 12 s old."],
    ],
    [
      'a replay',
      201,
      { replayed: true },
      ['The response repeats that of an earlier request with the same Idempotency-Key. Nothing was done twice.'],
    ],
    ['a refusal', 400, {}, ['The request was rejected before any supplier was called.']],
    [
      'a limit',
      429,
      {},
      ["The request exceeded a rate limit, so it wasn't processed. It doesn't count toward your quota."],
    ],
    ['reading a reservation', 200, {}, ['Answered without calling a supplier.']],
  ] as const)('of %s', (_what, status, trace, sentences) => {
    expect(explain(status, trace as Partial<TraceRecord>)).toEqual(sentences);
  });
});
