import { airportByIata } from '../../places/places.js';
import type { SupplierBooking } from '../booking-models.js';
import { currencyDigits, formatAmount } from '../money.js';
import { type Bench } from './bench.js';
import { must, told } from './breach.js';
import { type ContractCase } from './case.js';
import { failureOf } from './ended.js';
import { pass } from './fault-server.js';
import { ODD_CURRENCY_PLACES, RENTER } from './subject.js';

/** A booking from its beginning to its end, at a supplier that really keeps it. */
export const BOOKING_CASES: readonly ContractCase[] = [
  {
    id: 'lifecycle',
    guarantee: 'book → read → cancel → read: the supplier has exactly the booking that was asked for, then none that stands',
    operations: ['book'],
    run: lifecycle,
  },
  {
    id: 'changes',
    guarantee: 'each kind of change that the adapter declares is made, and the booking is still one and the same',
    operations: ['modify'],
    run: changes,
  },
  {
    id: 'cancel_twice',
    guarantee: 'cancelling what is cancelled is a success',
    operations: ['cancel'],
    run: async (bench) => {
      const { key } = await bench.subject.book();
      await bench.found('cancel', key);
      await bench.found('cancel', key);
    },
  },
  {
    id: 'unknown_booking',
    guarantee: 'a booking that the supplier does not know is an empty list, and refused as not_found where it shall be cancelled',
    operations: ['retrieve', 'cancel'],
    run: async (bench, operation) => {
      const { key, booking } = await bench.subject.standing();
      const nobodys = { ...key, reference: 'kit_nobody', confirmationNumber: scrambled(booking.confirmationNumber ?? '') };
      if (operation === 'retrieve') {
        const items = await bench.found('retrieve', nobodys);
        must(items.length === 0, 'found a booking under a number that nobody has');
        return;
      }
      const error = failureOf(await bench.played('cancel', pass, nobodys));
      must(error.fault === 'rejected' && error.refusal === 'not_found', `is ${told(error)}; right would be rejected not_found`);
    },
  },
  {
    id: 'refusal',
    guarantee: 'a car that is gone is refused as sold_out, and nothing is booked',
    operations: ['book'],
    simulated: true,
    run: async (bench) => {
      const request = await bench.subject.bookRequest();
      const error = failureOf(await bench.played('book', pass, request, { directive: 'sold_out' }));
      must(error.fault === 'rejected' && error.refusal === 'sold_out', `is ${told(error)}; right would be rejected sold_out`);
      const stand = (await bench.booked(request.reference)).filter(({ status }) => status === 'confirmed' || status === 'on_request');
      must(stand.length === 0, 'the supplier has booked what it refused');
    },
  },
  {
    id: 'exact_money',
    guarantee: "an amount has its currency's digits: what was priced is, to the minor unit, what the supplier books",
    operations: ['book'],
    simulated: true,
    worldly: true,
    run: exactMoney,
  },
];

async function lifecycle(bench: Bench): Promise<void> {
  const { request, booking, key } = await bench.subject.book();
  must(booking.status === 'confirmed', `an available car was booked as ${booking.status}`);
  must(booking.reference === undefined || booking.reference === request.reference, 'the booking has another reference than ours');
  await judgeBook(bench, request.reference, 'confirmed');
  const [read] = await bench.found('retrieve', key);
  must(read !== undefined && read.status === 'confirmed', `the booking reads as ${read?.status ?? 'unknown'} right after it was made`);
  must(read.confirmationNumber === booking.confirmationNumber, 'the booking reads under another number');
  must(read.pickupDate === undefined || read.pickupDate === request.pickupDate, 'the booking reads with another pickup time');
  if (bench.adapter.booking?.findsByReference) {
    const { confirmationNumber: _number, ...byReference } = key;
    const found = await bench.found('retrieve', byReference);
    must(found.length === 1 && found[0]?.confirmationNumber === booking.confirmationNumber, 'the booking is not found by our reference');
  }
  await bench.found('cancel', key);
  await judgeBook(bench, request.reference, 'cancelled');
  const after = await bench.found('retrieve', key);
  must(
    after.every(({ status }) => status === 'cancelled'),
    `the booking reads as ${after[0]?.status} after it was cancelled`,
  );
}

/** The supplier's own book; nothing to see where it is real. */
async function judgeBook(bench: Bench, reference: string, status: 'confirmed' | 'cancelled'): Promise<void> {
  if (!bench.simulated) return;
  const booked = await bench.booked(reference);
  must(booked.length === 1, `the supplier's book has ${booked.length} bookings of the reference`);
  const [{ lastName, ...row } = { lastName: '', status: '' }] = booked;
  must(lastName.toLowerCase() === RENTER.lastName.toLowerCase(), 'the supplier did not get the name of the renter');
  must(row.status === status, `the supplier's book says ${row.status}, not ${status}`);
}

async function changes(bench: Bench): Promise<void> {
  must(bench.subject.changes.length > 0, 'the adapter has modify, but booking.changes names nothing that it changes');
  for (const kind of bench.subject.changes) {
    const made = await bench.subject.book();
    const request = await bench.subject.changed(made, kind);
    const [changed] = await bench.found('modify', request);
    must(changed?.status === 'confirmed', `after a change of ${kind} the booking is ${changed?.status}`);
    const key = { ...made.key, ref: { ...request.ref, ...changed.ref } };
    const [read] = await bench.found('retrieve', key);
    must(read !== undefined && read.status === 'confirmed', `after a change of ${kind} the booking reads as ${read?.status ?? 'unknown'}`);
    must(sameNumber(changed, made.booking) && sameNumber(read, made.booking), `a change of ${kind} gave the booking another number`);
    if (kind === 'rental') {
      must(read.dropoffDate === undefined || read.dropoffDate === request.dropoffDate, 'the new return time does not read');
    }
    await judgeBook(bench, request.reference, 'confirmed');
    await bench.found('cancel', key);
  }
}

function sameNumber({ confirmationNumber }: SupplierBooking, before: SupplierBooking): boolean {
  return confirmationNumber === before.confirmationNumber;
}

async function exactMoney(bench: Bench): Promise<void> {
  const seen = new Set<number>();
  for (const place of ODD_CURRENCY_PLACES) {
    const airport = airportByIata(place);
    if (!airport) continue;
    const search = bench.subject.vehicles(airport);
    const offers = await bench.found('searchVehicles', search);
    const offer = offers.find(
      ({ rate, status, price }) =>
        status === 'available' && rate.payment === 'pay_later' && !seen.has(currencyDigits(price.total.currency)),
    );
    if (!offer) continue;
    seen.add(currencyDigits(offer.price.total.currency));
    const { request, key } = await bench.subject.book(offer, search);
    const [row] = await bench.booked(request.reference);
    const said = `${formatAmount(request.total)} ${request.total.currency}`;
    must(
      row?.currency === request.total.currency && row.total === request.total.amountMinor,
      `priced at ${said}, booked at ${row?.total} minor units of ${row?.currency}`,
    );
    await bench.found('cancel', key);
  }
  must(seen.has(0) || seen.has(3), 'no place of the list has a currency without cents, or with three digits of them');
}

/** Another number of the same form. */
function scrambled(number: string): string {
  return number.replace(/\d/g, (digit) => String((Number(digit) + 5) % 10));
}
