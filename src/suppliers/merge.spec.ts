import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { merge } from './merge.js';
import { type CallOutcome, foldCalls } from './outcome.js';

const one = { id: 'one', name: 'One Rent' };
const two = { id: 'two', name: 'Two Cars' };
const three = { id: 'three', name: 'Three' };
type Ref = typeof one;

const answered = (supplier: Ref, brand?: string): CallOutcome<string> => ({
  kind: 'answered',
  supplier,
  ...(brand ? { brand } : {}),
  items: [supplier.id],
  durationMs: 5,
  shared: false,
});
const empty = (supplier: Ref, brand?: string): CallOutcome<string> => ({
  kind: 'empty',
  supplier,
  ...(brand ? { brand } : {}),
  durationMs: 5,
  shared: false,
});
const failed = (supplier: Ref, brand?: string): CallOutcome<string> => ({
  kind: 'failed',
  supplier,
  ...(brand ? { brand } : {}),
  cause: 'timeout',
  durationMs: 9,
  shared: false,
});

function result(calls: readonly CallOutcome<string>[]): string {
  try {
    const { partial, problems } = merge(foldCalls(calls));
    return `${partial ? 206 : 200} ${problems.map((problem) => `${problem.reason}:${problem.supplier}${problem.brand ? `/${problem.brand}` : ''}`).join(' ')}`.trim();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.status} ${error.problems.map((problem) => `${problem.reason}${problem.supplier ? `:${problem.supplier}` : ''}`).join(' ')}`;
  }
}

describe('merge decides 200, 206, 404 and 500 (rulings 1 and 5)', () => {
  it.each([
    ['all answered', [answered(one), answered(two)], '200'],
    ['one failed', [answered(one), failed(two)], '206 supplier_failure:two'],
    ['one empty', [empty(one), answered(two)], '206 no_supplier_results:one'],
    [
      'one failed, one empty',
      [failed(one), answered(two), empty(three)],
      '206 supplier_failure:one no_supplier_results:three',
    ],
    [
      'some failed, the rest empty, no data',
      [failed(one), empty(two)],
      '206 supplier_failure:one no_supplier_results:two',
    ],
    ['all empty', [empty(one), empty(two)], '404 no_results'],
    ['all failed', [failed(one), failed(two)], '500 supplier_failure:one supplier_failure:two'],
    ['a single supplier answered', [answered(one)], '200'],
    ['a single supplier empty', [empty(one)], '404 no_results'],
    ['a single supplier failed', [failed(one)], '500 supplier_failure:one'],
    [
      'one brand of a supplier failed',
      [answered(one, 'A'), failed(one, 'B'), answered(two)],
      '206 supplier_failure:one/B',
    ],
    ['one brand of a supplier empty', [answered(one, 'A'), empty(one, 'B'), answered(two)], '200'],
    [
      'all brands of a supplier failed',
      [failed(one, 'A'), failed(one, 'B'), answered(two)],
      '206 supplier_failure:one',
    ],
    ['brands of the only supplier failed or empty', [failed(one, 'A'), empty(one, 'B')], '500 supplier_failure:one'],
  ] as const)('%s', (_title, calls, expected) => {
    expect(result(calls)).toBe(expected);
  });

  it('uses the display name of the supplier and never quotes its messages', () => {
    const { problems } = merge(foldCalls([answered(one), failed(two)]));
    expect(problems[0]).toEqual({
      reason: 'supplier_failure',
      supplier: 'two',
      cause: 'timeout',
      details: 'Two Cars failed to fulfill the request: it did not answer in time.',
    });
  });

  it('keeps supplier order regardless of which answered first', () => {
    const outcomes = foldCalls([answered(one, 'A'), answered(two), answered(one, 'B')]);
    expect(outcomes.map((outcome) => outcome.supplier.id)).toEqual(['one', 'two']);
    expect(outcomes[0]?.items).toEqual(['one', 'one']);
  });
});

it('says for how many offers no exchange rate is known, where offers were removed by filters', () => {
  const removed = { ...empty(one), filtered: 3, unconverted: 2 } as CallOutcome<string>;
  const { problems } = merge(foldCalls([removed, answered(two)]));
  expect(problems[0]?.details).toBe(
    'One Rent has 3 offers, but none matches the filters. No exchange rate into the requested currency is known for the prices of 2 offers.',
  );
  expect(() => merge(foldCalls([removed, { ...removed, supplier: two }]))).toThrow(/prices of 4 offers/);
});
