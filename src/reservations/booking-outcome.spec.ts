import { expect, it } from '@jest/globals';
import type { SupplierBooking } from '../model/bookings.js';
import { SupplierError } from '../model/supplier.js';
import type { Supplier } from '../suppliers/registry.js';
import { concluded } from './booking-outcome.js';
import { changeMove } from './change-outcome.js';
import { reservationIn, samplePersonal } from './fixtures/sample-reservation.js';

const supplierWith = (findsByReference: boolean) =>
  ({ id: 'uno', name: 'Uno Cars', connection: { adapter: { booking: { findsByReference } } } }) as Supplier;
const reservation = reservationIn('pending');
const booked: SupplierBooking = {
  status: 'confirmed',
  confirmationNumber: 'CN1',
  reference: reservation.id,
  ref: { booking: 'B1' },
};

/** What is stored of a booking that was answered as made for other dates. */
function patchOf(stated: SupplierBooking, findsByReference = true) {
  const error = new SupplierError('bad_payload', 'other dates', true, { booked: stated });
  return concluded({ kind: 'unknown', error }, reservation, supplierWith(findsByReference), 1, 2).move;
}

it('keeps the number of a booking with our reference that is not the requested one, and its outcome is unknown', () => {
  expect(patchOf(booked)).toMatchObject({
    to: 'unknown',
    patch: { confirmationNumber: 'CN1', rental: { ref: { booking: 'B1' } }, nextCheckAt: 2 },
  });
});

it.each<[string, Partial<SupplierBooking>]>([
  ['another reference', { reference: 'res_other' }],
  ['an empty reference', { reference: '' }],
  ['no reference', { reference: undefined }],
  ['no usable number', { confirmationNumber: '' }],
])('keeps nothing of a booking with %s', (_what, stated) => {
  expect(patchOf({ ...booked, ...stated }).patch).toEqual({ nextCheckAt: 2, sentUntil: 1 });
});

it.each<[string, string]>([
  // Together, the first two would be the number of a card.
  ['41111111|11111111|AB12', 'B1 41111111|11111111|AB12'],
  ['AB12|4111111111111111', 'B1 undefined'],
])('keeps the former numbers of a booking paid by card unless one is that of the card: %s', (replacedNumbers, kept) => {
  const paid = { ...reservation, payment: { type: 'card' as const, lastFour: '1111' } };
  const result = { ...booked, ref: { booking: 'B1', replacedNumbers } };
  const before = { ...paid, rental: { ...paid.rental, ref: { booking: 'B1' } } };
  const { move } = concluded({ kind: 'done', result }, before, supplierWith(true), 1, 2);
  expect(`${move.patch?.rental?.ref.booking} ${move.patch?.rental?.ref.replacedNumbers}`).toBe(kept);
});

it('keeps the number of a booking without a reference if the supplier finds bookings by number only', () => {
  const { reference: _none, ...unnamed } = booked;
  const known = { confirmationNumber: 'CN1', rental: { ref: { booking: 'B1' } } };
  expect(patchOf(unnamed, false)).toMatchObject({ to: 'unknown', patch: known });
  expect(patchOf({ ...unnamed, reference: 'res_other' }, false).patch).toEqual({ nextCheckAt: 2, sentUntil: 1 });
});

it.each([
  ['counter', true, true, 'booked, but the supplier needs a card to finish it'],
  ['voucher', true, true, 'booked, but the supplier needs a card to finish it'],
  ['card', true, undefined, 'booked'],
  ['counter', false, undefined, 'booked'],
  ['counter', undefined, undefined, 'booked'],
] as const)('of a booking paid with %s that needs a card (%s) shows that: %s', (type, needed, shown, reason) => {
  const result = { ...booked, ...(needed !== undefined && { creditCardRequired: needed }) };
  const before = { ...reservation, payment: { type } };
  const { move } = concluded({ kind: 'done', result }, before, supplierWith(false), 1, 2);
  expect(move).toMatchObject({ to: 'confirmed', reason });
  expect(move.patch?.view?.requirements.credit_card_required).toBe(shown);
  if (shown) expect(move.patch?.view).toMatchObject({ vehicle: reservation.view.vehicle });
});

it.each([
  ['counter', 'extras', undefined, true],
  ['counter', 'extras', false, undefined],
  ['card', 'extras', undefined, undefined],
  ['counter', 'rental', undefined, undefined],
] as const)(
  'a card that is missing (%s) stays so after a change of %s that states %s: %s',
  (type, kind, needed, shown) => {
    const { view, rental } = reservation;
    const wanting = { ...view, requirements: { ...view.requirements, credit_card_required: true } };
    const before = { ...reservation, payment: { type }, view: wanting };
    const result = { ...booked, ...(needed !== undefined && { creditCardRequired: needed }) };
    const change = { kinds: [kind], rental, view, personal: samplePersonal };
    const { patch } = changeMove({ kind: 'done', result }, before, change, 1, 1);
    expect(patch?.view?.requirements.credit_card_required).toBe(shown);
  },
);
