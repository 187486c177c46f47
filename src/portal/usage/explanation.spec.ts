import { describe, expect, it } from '@jest/globals';
import type { CallRecord, RequestRecord, TraceRecord } from '../../records/request-record.js';
import { story } from './explanation.js';

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
const told = (status: number, trace: Partial<TraceRecord>): readonly string[] => {
  const whole = { budgetMs: 8_000, calls: [], skipped: [], entries: [], ...trace };
  const record: RequestRecord = {
    applicationId: 'app_a',
    at: 0,
    requestId: 'r',
    operation: 'searchVehicles',
    status,
    durationMs: 70,
    trace: whole,
  };
  return story(record, (supplier) => supplier.toUpperCase());
};

describe('the story of a request', () => {
  it.each([
    ['a whole answer', 200, { calls: [call('a'), call('b')] }, ['All 2 suppliers that were asked answered.']],
    [
      'a partial one',
      206,
      {
        calls: [call('a'), call('b', { outcome: 'failed', cause: 'timeout' }), call('c', { outcome: 'empty' })],
        skipped: ['d'],
      },
      [
        '3 suppliers were asked; 1 answered in full.',
        'B did not answer before the deadline of 4,000 ms.',
        'C answered with nothing that fits.',
        'D got no call: in maintenance.',
      ],
    ],
    [
      'brands that failed alike, in one sentence',
      206,
      {
        calls: ['x', 'y']
          .map((brand) => call('a', { brand, outcome: 'failed', cause: 'bad_payload' }))
          .concat(call('b')),
      },
      ['2 suppliers were asked; 1 answered in full.', 'A (x) and A (y) sent an invalid response.'],
    ],
    [
      'a car sold out after its price check',
      404,
      {
        calls: [
          call('a', { operation: 'priceCheck' }),
          call('a', { operation: 'book', outcome: 'failed', cause: 'sold_out' }),
        ],
      },
      ['One supplier was asked.', 'A has no car left for this offer.'],
    ],
    [
      'a budget that was over',
      408,
      { calls: [call('a', { outcome: 'open' }), call('b', { outcome: 'open' })] },
      [
        'The 8,000 ms that this request had were over.',
        '2 suppliers were asked; none answered in full.',
        'A and B had not ended when the time was up.',
      ],
    ],
    [
      'a caller that left',
      499,
      { calls: [call('a', { outcome: 'open' })] },
      [
        'The connection was closed from your side before the whole answer was out.',
        'One supplier was asked.',
        'A had not ended when you left.',
      ],
    ],
    [
      'timeout_ms',
      206,
      { calls: [call('a'), call('b', { outcome: 'open' })] },
      [expect.any(String), 'B had not ended when the answer was made, for timeout_ms was over.'],
    ],
    [
      'a shared call',
      200,
      { calls: [call('a', { shared: true })] },
      [
        'One supplier was asked, and it answered.',
        'A had the same question from another request already: one call served both.',
      ],
    ],
    [
      'a replay',
      201,
      { replayed: true },
      ['The answer is that of an earlier request with the same Idempotency-Key: nothing was done twice.'],
    ],
    ['a refusal', 400, {}, ['Refused before any supplier was asked.']],
    ['a limit', 429, {}, ['A limit of the application was used up, so nothing was done. The call costs nothing.']],
    ['reading a reservation', 200, {}, ['Answered without asking a supplier.']],
  ] as const)('of %s', (_what, status, trace, sentences) => {
    expect(told(status, trace as Partial<TraceRecord>)).toEqual(sentences);
  });
});
