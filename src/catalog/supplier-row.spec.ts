import { describe, expect, it } from '@jest/globals';
import { ODD_TEXT } from '../representations/fixtures/odd-text.js';
import { supplierRow } from './supplier-row.js';
import { supplierRowWire } from './vehicles.wire.js';

const supplier = { id: ODD_TEXT, name: ODD_TEXT };
const told = { supplier, failedBrands: [], durationMs: 12.5, shared: false };
const written = (view: object): unknown => JSON.parse(JSON.stringify(view));

describe('a row of suppliers[]', () => {
  it('says how many offers a supplier has, and leaves out what does not apply', () => {
    const row = written(supplierRow({ ...told, kind: 'answered', items: [1, 2] }));
    expect(row).toEqual({ supplier: ODD_TEXT, outcome: 'answered', offers: 2, duration_ms: 12.5 });
    expect(supplierRowWire.parse(row)).toEqual(row);
  });

  it('says why a supplier has none, and that a call was shared', () => {
    expect(written(supplierRow({ ...told, kind: 'empty', items: [], filtered: 3, shared: true }))).toEqual({
      supplier: ODD_TEXT,
      outcome: 'empty',
      offers: 0,
      filtered: 3,
      duration_ms: 12.5,
      shared: true,
    });
    expect(supplierRow({ ...told, kind: 'failed', items: [], cause: 'timeout' }).cause).toBe('timeout');
  });

  it('does not fit the wire shape without a duration', () => {
    const row = written(supplierRow({ ...told, kind: 'empty', items: [], durationMs: Number.NaN }));
    expect(supplierRowWire.safeParse(row).success).toBe(false);
  });
});
