import { describe, expect, it } from '@jest/globals';
import { SupplierError } from '../../model/supplier.js';
import { type AbgErrorCode, abgErrorCodes } from './errors.js';
import { readRows } from './reply.js';

/** The outcome of a search: `none` for empty, otherwise the fault. */
function faultOf(answer: { readonly status: number; readonly body: string }): string {
  try {
    const { rows } = readRows({ status: answer.status, headers: {}, body: Buffer.from(answer.body) }, 'vehicles');
    return rows.length === 0 ? 'none' : 'rows';
  } catch (error) {
    if (error instanceof SupplierError) return error.fault;
    throw error;
  }
}

describe('the error table', () => {
  it('has each code once', () => {
    expect(new Set(abgErrorCodes.map((row) => row.code)).size).toBe(abgErrorCodes.length);
  });

  const cases = abgErrorCodes.flatMap((row) => row.http.map((http) => [row.code, http, row.outcome, row] as const));
  const wrapped = (row: AbgErrorCode): string =>
    JSON.stringify({ status: { errors: [{ code: row.code, message: 'm', reason: 'r', details: 'd' }] } });
  const flat = (row: AbgErrorCode): string =>
    JSON.stringify({ errors: [{ code: row.code, message: 'm', reason: 'r', details: 'd' }] });

  it.each(cases)('%s with status %i is %s, wrapped or flat, also inside a 200', (_code, status, outcome, row) => {
    const expected = outcome === 'empty' ? 'none' : outcome;
    for (const answer of [
      { status, body: wrapped(row) },
      { status, body: flat(row) },
      { status: 200, body: wrapped(row) },
    ]) {
      expect(faultOf(answer)).toBe(expected);
    }
  });

  it('classifies exactly the codes that mean "nothing there" as empty', () => {
    const empty = abgErrorCodes.filter((row) => row.outcome === 'empty').map((row) => row.code);
    expect(empty.sort()).toEqual(
      ['14261', '14381', '203', '205', '22224', '223', '225', '226', '227', '242', '500708', '609'].sort(),
    );
  });
});
