import { describe, expect, it } from '@jest/globals';
import {
  MADE_AT,
  PAIRS,
  reservationIn,
  samplePersonal,
  sampleRental,
  sampleReservation,
} from './fixtures/sample-reservation.js';
import { bookingKey, bookRequest, moved } from './reservation.js';
import { canMove } from './states.js';

describe('moved', () => {
  const move = { to: 'confirmed', actor: 'gateway', reason: 'booked', at: MADE_AT + 5 } as const;

  it('returns the next version with the new state and history row, without modifying the old one', () => {
    const before = sampleReservation();
    const copy = structuredClone(before);
    expect(moved(before, move)).toEqual({
      ...before,
      state: 'confirmed',
      version: 2,
      updatedAt: MADE_AT + 5,
      history: [
        ...before.history,
        { from: 'pending', to: 'confirmed', at: MADE_AT + 5, actor: 'gateway', reason: 'booked' },
      ],
    });
    expect(before).toEqual(copy);
  });

  it('sets the members of the patch and removes those that are undefined', () => {
    const before = reservationIn('pending', {}, { nextCheckAt: MADE_AT, checks: 3 });
    const after = moved(before, {
      ...move,
      patch: { confirmationNumber: 'CN1', nextCheckAt: undefined, personal: undefined, checks: 0 },
    });
    expect(after).toMatchObject({ confirmationNumber: 'CN1', checks: 0 });
    expect('nextCheckAt' in after || 'personal' in after).toBe(false);
  });

  it.each(PAIRS)('%s → %s only if the transition table allows it', (from, to) => {
    const before = sampleReservation({ state: from });
    const run = () => moved(before, { ...move, to });
    if (canMove(from, to)) expect(run().state).toBe(to);
    else expect(run).toThrow(`from ${from} to ${to}`);
  });
});

describe('the data of a supplier request', () => {
  const seller = { config: { id: 'uno', brands: ['Uno'], loyaltyPrograms: {} } };

  it('a booking has the reservation id, rental, renter and payment, but no voucher outside the payment', () => {
    const { driver, additionalDrivers, arrival, remark } = samplePersonal;
    const payment = { type: 'voucher', voucher: 'VOUCHER-33' } as const;
    expect(bookRequest('res_1', sampleRental, samplePersonal, payment, seller)).toEqual({
      ...sampleRental,
      reference: 'res_1',
      driver,
      additionalDrivers,
      arrival,
      remark,
      payment,
    });
  });

  it('a booking has the memberships of the supplier, and those without a program, but none of other programs', () => {
    const loyalty = [{ program: 'MilesOne', number: '1' }, { number: '2' }, { program: 'uno', number: '3' }];
    const personal = { ...samplePersonal, driver: { ...samplePersonal.driver, loyalty } };
    expect(bookRequest('res_1', sampleRental, personal, { type: 'counter' }, seller).driver.loyalty).toEqual([
      { number: '2' },
      { program: 'uno', number: '3' },
    ]);
  });

  it('arrival and remark are absent if not given', () => {
    const { driver, additionalDrivers } = samplePersonal;
    const request = bookRequest('res_1', sampleRental, { driver, additionalDrivers }, { type: 'counter' }, seller);
    expect('arrival' in request || 'remark' in request).toBe(false);
  });

  it('a key identifies the booking by both numbers, the renter and the pickup', () => {
    const reservation = reservationIn('confirmed', { confirmationNumber: 'CN1' });
    const { brand, ref, pickup, pickupDate } = sampleRental;
    expect(bookingKey(reservation)).toEqual({
      brand,
      ref,
      pickup,
      pickupDate,
      reference: reservation.id,
      confirmationNumber: 'CN1',
      firstName: 'Ada',
      lastName: 'Sample',
    });
  });

  it('a key has no number before it is known, and no names after erasure', () => {
    const { personal: _erased, ...reservation } = sampleReservation();
    expect(bookingKey(reservation)).toMatchObject({ firstName: '', lastName: '' });
    expect('confirmationNumber' in bookingKey(reservation)).toBe(false);
  });
});
