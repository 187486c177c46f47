import { describe, expect, it } from '@jest/globals';
import { ODD_TEXT } from '../representations/fixtures/odd-text.js';
import { skippedRow, supplierRow } from './supplier-row.js';
import { supplierRowWire } from './vehicles.wire.js';

const supplier = { id: ODD_TEXT, name: ODD_TEXT };
const outcome = { supplier, failedBrands: [], durationMs: 12.5, shared: false };
const written = (view: object): unknown => JSON.parse(JSON.stringify(view));

describe('a row of suppliers[]', () => {
  it('has the number of offers and leaves out members that do not apply', () => {
    const row = written(supplierRow({ ...outcome, kind: 'answered', items: [1, 2] }));
    expect(row).toEqual({ supplier: ODD_TEXT, outcome: 'answered', offers: 2, duration_ms: 12.5 });
    expect(supplierRowWire.parse(row)).toEqual(row);
  });

  it('has the cause if there are no offers, and says if the call was shared', () => {
    expect(written(supplierRow({ ...outcome, kind: 'empty', items: [], filtered: 3, shared: true }))).toEqual({
      supplier: ODD_TEXT,
      outcome: 'empty',
      offers: 0,
      filtered: 3,
      duration_ms: 12.5,
      shared: true,
    });
    expect(supplierRow({ ...outcome, kind: 'failed', items: [], cause: 'timeout' }).cause).toBe('timeout');
  });

  it.each([
    ['with its announced end', Date.UTC(2031, 0, 2), { until: '2031-01-02T00:00:00.000Z' }],
    ['without an announced end', undefined, {}],
  ])('of a supplier in maintenance is skipped, %s', (_case, untilMs, until) => {
    const row = written(skippedRow(supplier, untilMs));
    expect(row).toEqual({
      supplier: ODD_TEXT,
      outcome: 'skipped',
      cause: 'maintenance',
      offers: 0,
      duration_ms: 0,
      ...until,
    });
    expect(supplierRowWire.parse(row)).toEqual(row);
  });

  it('does not match the wire schema without a duration', () => {
    const row = written(supplierRow({ ...outcome, kind: 'empty', items: [], durationMs: Number.NaN }));
    expect(supplierRowWire.safeParse(row).success).toBe(false);
  });
});
