import { expect, it } from '@jest/globals';
import { SupplierError } from '../model/supplier.js';
import { changeResult } from './change-result.js';
import { reservationIn, samplePersonal } from './fixtures/sample-reservation.js';

const before = reservationIn('confirmed');
const pending = reservationIn('modify_pending');
const refused = { kind: 'not_done', error: new SupplierError('timeout', 'not sent', false) } as const;
const changed = { ...before, personal: { ...samplePersonal, remark: 'changed' } };

it('is a refusal if it was stored and nothing has changed', () => {
  expect(changeResult(refused, before, pending, { ...before, version: 9 })).toEqual({
    kind: 'refused',
    error: refused.error,
  });
});

it('is the change if a reconciler made it, although this gateway could not send it', () => {
  expect(changeResult(refused, before, pending, changed)).toEqual({ kind: 'changed', reservation: changed });
});

it('is not the change if its outcome was unclear and a reconciler found that it was not made', () => {
  const found = { ...before, version: 9 };
  expect(changeResult({ kind: 'unknown', error: refused.error }, before, pending, found)).toEqual({
    kind: 'unknown',
    reservation: found,
  });
});

it('is unknown while a refusal is not stored, or a reconciler works on it', () => {
  expect(changeResult(refused, before, pending, undefined)).toEqual({ kind: 'unknown', reservation: pending });
  const unclear = reservationIn('unknown');
  expect(changeResult(refused, before, pending, unclear)).toEqual({ kind: 'unknown', reservation: unclear });
});
