import { expect, it } from '@jest/globals';
import type { BookingKey, BookRequest, SupplierBooking } from '../model/bookings.js';
import { SupplierError } from '../model/supplier.js';
import { KitBookings } from './kit-bookings.js';

const request = (reference: string) =>
  ({
    brand: 'Uno',
    reference,
    driver: { firstName: 'Ada', lastName: 'Sampleton' },
    ref: { rate: 'r' },
  }) as unknown as BookRequest;
const confirmed = (confirmationNumber: string): SupplierBooking => ({
  status: 'confirmed',
  confirmationNumber,
  ref: {},
});
const made = (number: string) => ({ items: [confirmed(number)], ms: 1 });
const failed = (error: SupplierError) => ({ error, ms: 1 });

/** The bookings of a kit for a supplier with these bookings by reference, and what was cancelled. */
function kitOf(shown: Readonly<Record<string, readonly SupplierBooking[]>>, findsByReference = true) {
  const cancelled: (string | undefined)[] = [];
  const played = async (operation: string, _play: unknown, key: BookingKey) => {
    if (operation === 'retrieve') return { items: shown[key.reference] ?? [], ms: 1 };
    cancelled.push(key.confirmationNumber);
    return key.confirmationNumber === 'stays' ? failed(new SupplierError('rejected', 'no')) : { items: [], ms: 1 };
  };
  const adapter = { retrieve: async () => undefined, booking: { findsByReference } };
  const bookings = new KitBookings({ adapter, played } as unknown as ConstructorParameters<typeof KitBookings>[0]);
  return { bookings, cancelled };
}

it('every booking that was requested is cancelled, whatever the case made of it, or reported', async () => {
  const { bookings, cancelled } = kitOf({ lost: [confirmed('late'), { ...confirmed('old'), status: 'cancelled' }] });
  for (const [reference, ended] of [
    ['ok', made('one')],
    ['kept', made('stays')],
    ['refused', failed(new SupplierError('rejected', 'sold out', true, { refusal: 'sold_out' }))],
    ['lost', failed(new SupplierError('timeout', 'no answer'))],
    ['gone', failed(new SupplierError('timeout', 'no answer'))],
  ] as const) {
    bookings.requested(request(reference));
    bookings.requested(request(reference), ended);
  }
  // A case that ends before its call does.
  bookings.requested(request('open'));
  expect(await bookings.clearUp()).toEqual(['stays']);
  expect(cancelled).toEqual(['one', 'stays', 'late']);
});

it('a booking whose outcome is unknown is reported if the supplier cannot be asked', async () => {
  const { bookings } = kitOf({}, false);
  bookings.requested(request('kit_1'), failed(new SupplierError('timeout', 'no answer')));
  expect(await bookings.clearUp()).toEqual(['kit_1 (it is not known whether it was booked)']);
});
