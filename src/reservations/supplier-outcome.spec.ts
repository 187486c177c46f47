import { describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import type { SupplierBooking } from '../model/bookings.js';
import { type Fault, SupplierError } from '../model/supplier.js';
import { checkedBooking, outcomeOf, refRepeatsCard, repeatsCard } from './supplier-outcome.js';

const COUNTER = { type: 'counter' } as const;

describe('the outcome of a writing call (ruling 15)', () => {
  it('is done with its result', async () => {
    expect(await outcomeOf(Promise.resolve(7))).toEqual({ kind: 'done', result: 7 });
  });

  it.each<[Fault, 'not_done' | 'unknown']>([
    ['rejected', 'not_done'],
    ['throttled', 'not_done'],
    ['auth', 'not_done'],
    ['timeout', 'unknown'],
    ['unavailable', 'unknown'],
    ['bad_payload', 'unknown'],
    ['cancelled', 'unknown'],
  ])('%s after sending: %s; before sending: not done', async (fault, kind) => {
    const sent = new SupplierError(fault, 'no', true);
    const unsent = new SupplierError(fault, 'no', false);
    expect(await outcomeOf(Promise.reject(sent))).toEqual({ kind, error: sent });
    expect(await outcomeOf(Promise.reject(unsent))).toEqual({ kind: 'not_done', error: unsent });
  });

  it('rethrows internal errors', async () => {
    await expect(outcomeOf(Promise.reject(new TypeError('bug')))).rejects.toThrow('bug');
  });
});

describe('the booking in an answer', () => {
  it.each<[SupplierBooking['status'], string | undefined, boolean]>([
    ['confirmed', 'CN1', true],
    ['on_request', 'CN1', true],
    ['rejected', undefined, true],
    ['confirmed', undefined, false],
    ['on_request', undefined, false],
    ['cancelled', 'CN1', false],
    ['held', undefined, false],
    ['held', 'CN1', false],
  ])('%s with number %s is accepted: %s', (status, confirmationNumber, believed) => {
    const booking: SupplierBooking = {
      status,
      ref: {},
      ...(confirmationNumber === undefined ? {} : { confirmationNumber }),
    };
    if (believed) expect(checkedBooking(booking, 'res_1', COUNTER)).toBe(booking);
    else
      expect(() => checkedBooking(booking, 'res_1', COUNTER)).toThrow(
        expect.objectContaining({ fault: 'bad_payload', sent: true }),
      );
  });

  it('a request with our reference needs no number if the supplier finds it by that', () => {
    const request: SupplierBooking = { status: 'on_request', ref: {}, reference: 'res_1' };
    expect(checkedBooking(request, 'res_1', COUNTER, true)).toBe(request);
    const { reference: _none, ...unnamed } = request;
    for (const [booking, findsByReference] of [
      [request, false],
      [unnamed, true],
      [{ ...request, status: 'confirmed' }, true],
      [{ ...request, confirmationNumber: 'x'.repeat(65) }, true],
    ] as const)
      expect(() => checkedBooking(booking, 'res_1', COUNTER, findsByReference)).toThrow(SupplierError);
  });

  it('an empty number counts as missing', () => {
    expect(() => checkedBooking({ status: 'confirmed', ref: {}, confirmationNumber: '' }, 'res_1', COUNTER)).toThrow(
      SupplierError,
    );
  });

  const CARD = { number: '4111111111111111', expiryMonth: 12, expiryYear: 2031, holder: 'Ada Sample' };
  claim.each<[string, Partial<SupplierBooking>]>([
    ['the confirmation number', { confirmationNumber: CARD.number }],
    ['the confirmation number, with blanks', { confirmationNumber: '4111 1111-1111 1111' }],
    ['what later calls send', { ref: { key: `x${CARD.number}y` } }],
  ])(
    'card-data',
    'A booking in which a supplier repeats the card number is not stored: its outcome is unknown.',
    '%s',
    (_case, more) => {
      const booking: SupplierBooking = { status: 'confirmed', ref: {}, confirmationNumber: 'AB12', ...more };
      expect(() => checkedBooking(booking, 'res_1', { type: 'card', card: CARD })).toThrow(SupplierError);
      expect(checkedBooking({ ...booking, ref: {}, confirmationNumber: 'AB-1111' }, 'res_1', COUNTER)).toBeDefined();
    },
  );
});

claim.each<[string, boolean]>([
  ['4111111111111111', true],
  ['4111 1111-1111 1111', true],
  ['{"key":"x4111111111111111y"}', true],
  ['4012888888881881', false],
  ['AB-1111', false],
])(
  'card-data',
  'A card number that a supplier repeats later, with the last four digits of the card that was used, is not stored.',
  '%s: %s',
  (text, expected) => {
    expect(repeatsCard(text, { lastFour: '1111' })).toBe(expected);
    expect(repeatsCard(text, {})).toBe(false);
  },
);

it.each<[SupplierBooking['ref'], boolean]>([
  [{ booking: '4111|1111|1111|1111' }, true],
  [{ booking: 'B1', former: '41111111|11111111' }, true],
  [{ booking: 'B1', replacedNumbers: 'AB12|4111 1111 1111 1111' }, true],
  [{ booking: 'B1', replacedNumbers: '41111111|11111111|AB12' }, false],
  [{ booking: 'B1' }, false],
])('what later calls send repeats a card number, but former numbers together do not: %j: %s', (ref, expected) => {
  expect(refRepeatsCard(ref, { lastFour: '1111' })).toBe(expected);
  expect(refRepeatsCard(ref, {})).toBe(false);
});
