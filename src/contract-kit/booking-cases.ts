import { isDeepStrictEqual } from 'node:util';
import type { BookRequest, ChosenExtra, SupplierBooking } from '../model/bookings.js';
import { currencyDigits, formatAmount, type Money } from '../model/money.js';
import { airportByIata } from '../places/places.js';
import { type Bench } from './bench.js';
import { must, told } from './breach.js';
import { asRecorded, type ContractCase } from './case.js';
import { failureOf } from './ended.js';
import { pass } from './fault-server.js';
import { OPTION_KINDS } from './offer-choice.js';
import { judgePrice } from './price-rules.js';
import { ODD_CURRENCY_PLACES } from './rental-places.js';

/** A booking from its beginning to its end, at a supplier that really keeps it. */
export const BOOKING_CASES: readonly ContractCase[] = [
  {
    id: 'lifecycle',
    guarantee:
      'book → read → cancel → read: the supplier has exactly the booking that was asked for, then none that stands',
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
    id: 'options',
    guarantee: 'extras and coverages that were chosen are priced at what they were said to cost, and booked',
    operations: ['book'],
    unfit: ({ adapter: { booking }, config, simulated }) =>
      booking?.takesExtras || booking?.takesCoverages
        ? asRecorded({ config, simulated })
        : 'the adapter takes no extras and no coverages',
    run: options,
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
    guarantee:
      'a booking that the supplier does not know is an empty list, and refused as not_found where it shall be cancelled',
    operations: ['retrieve', 'cancel'],
    run: async (bench, operation) => {
      const { key, booking } = await bench.subject.standing();
      const nobodys = {
        ...key,
        reference: 'kit_nobody',
        confirmationNumber: scrambled(booking.confirmationNumber ?? ''),
      };
      if (operation === 'retrieve') {
        const items = await bench.found('retrieve', nobodys);
        must(items.length === 0, 'found a booking under a number that nobody has');
        return;
      }
      const error = failureOf(await bench.played('cancel', pass, nobodys));
      must(
        error.fault === 'rejected' && error.refusal === 'not_found',
        `is ${told(error)}; right would be rejected not_found`,
      );
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
      must(
        error.fault === 'rejected' && error.refusal === 'sold_out',
        `is ${told(error)}; right would be rejected sold_out`,
      );
      const stand = (await bench.booked(request.reference)).filter(
        ({ status }) => status === 'confirmed' || status === 'on_request',
      );
      must(stand.length === 0, 'the supplier has booked what it refused');
    },
  },
  {
    id: 'exact_money',
    guarantee: "an amount has its currency's digits: what was priced is, to the minor unit, what the supplier books",
    operations: ['book'],
    simulated: true,
    unfit: asRecorded,
    run: exactMoney,
  },
];

async function lifecycle(bench: Bench): Promise<void> {
  const { offer, request, booking, key } = await bench.subject.book();
  const { sippCode } = offer.vehicle;
  must(booking.status === 'confirmed', `an available car was booked as ${booking.status}`);
  must(
    booking.reference === undefined || booking.reference === request.reference,
    'the booking has another reference than ours',
  );
  await judgeBook(bench, request, 'confirmed', sippCode);
  const [read] = await bench.found('retrieve', key);
  must(
    read !== undefined && read.status === 'confirmed',
    `the booking reads as ${read?.status ?? 'unknown'} right after it was made`,
  );
  must(read.confirmationNumber === booking.confirmationNumber, 'the booking reads under another number');
  must(
    read.pickupDate === undefined || read.pickupDate === request.pickupDate,
    'the booking reads with another pickup time',
  );
  if (bench.adapter.booking?.findsByReference) {
    const { confirmationNumber: _number, ...byReference } = key;
    const found = await bench.found('retrieve', byReference);
    must(
      found.length === 1 && found[0]?.confirmationNumber === booking.confirmationNumber,
      'the booking is not found by our reference',
    );
  }
  await bench.found('cancel', key);
  await judgeBook(bench, request, 'cancelled', sippCode);
  const after = await bench.found('retrieve', key);
  must(
    after.every(({ status }) => status === 'cancelled') && (after.length > 0 || !bench.simulated),
    `the booking reads as ${after[0]?.status ?? 'unknown'} after it was cancelled`,
  );
}

/** The supplier's own book: one booking of the reference, and all of it as asked for. Nothing to see where the supplier is real. */
async function judgeBook(
  bench: Bench,
  request: BookRequest,
  status: 'confirmed' | 'cancelled',
  sippCode?: string,
): Promise<void> {
  if (!bench.simulated) return;
  const booked = await bench.booked(request.reference);
  const [row] = booked;
  must(row !== undefined && booked.length === 1, `the supplier's book has ${booked.length} bookings of the reference`);
  const { driver, arrival, total } = request;
  for (const [what, has, right] of [
    ['first name', row.firstName.toLowerCase(), driver.firstName.toLowerCase()],
    ['last name', row.lastName.toLowerCase(), driver.lastName.toLowerCase()],
    ['e-mail address', row.email, driver.email],
  ])
    must(has === right, `the supplier did not get the ${what} of the renter`);
  for (const [what, has, right] of [
    ['status', row.status, status],
    ['pickup', row.pickupDate, request.pickupDate],
    ['return', row.dropoffDate, request.dropoffDate],
    ['car', row.sippCode, sippCode ?? row.sippCode],
    ['total', `${row.total} ${row.currency}`, `${total.amountMinor} ${total.currency}`],
    ['pieces of extras', count(row.extras), count(request.extras)],
    ['coverages', row.coverages.length, request.coverages.length],
    ['flight', row.flight?.replace(' ', ''), arrival && arrival.carrierCode + arrival.flightNumber],
  ]) {
    // Of times that its calls did not name, a supplier of recorded answers knows none.
    if (has !== '' || asRecorded(bench) === undefined)
      must(has === right, `the supplier's book says ${what} ${has}, not ${right}`);
  }
  // A dialect without a place for our reference may put it there as well.
  must(
    request.remark === undefined || row.remark?.includes(request.remark) === true,
    "the supplier's book has not the remark",
  );
}

function count(extras: readonly ChosenExtra[]): number {
  return extras.reduce((sum, { quantity }) => sum + quantity, 0);
}

async function changes(bench: Bench): Promise<void> {
  must(bench.subject.changes.length > 0, 'the adapter has modify, but booking.changes names nothing that it changes');
  const recorded = asRecorded(bench) !== undefined;
  for (const kind of bench.subject.changes) {
    // Their prices would have to be computed.
    if (recorded && (kind === 'extras' || kind === 'coverages')) continue;
    const made = await bench.subject.book();
    const request = await bench.subject.changed(made, kind);
    const [changed] = await bench.found('modify', request);
    must(changed?.status === 'confirmed', `after a change of ${kind} the booking is ${changed?.status}`);
    const key = { ...made.key, ref: { ...request.ref, ...changed.ref } };
    const [read] = await bench.found('retrieve', key);
    must(
      read !== undefined && read.status === 'confirmed',
      `after a change of ${kind} the booking reads as ${read?.status ?? 'unknown'}`,
    );
    must(
      sameNumber(changed, made.booking) && sameNumber(read, made.booking),
      `a change of ${kind} gave the booking another number`,
    );
    if (kind === 'rental') {
      must(
        read.dropoffDate === undefined || read.dropoffDate === request.dropoffDate,
        'the new return time does not read',
      );
    }
    await judgeBook(bench, request, 'confirmed');
    await bench.found('cancel', key);
  }
}

function sameNumber({ confirmationNumber }: SupplierBooking, before: SupplierBooking): boolean {
  return confirmationNumber === before.confirmationNumber;
}

async function options(bench: Bench): Promise<void> {
  const { takesExtras, takesCoverages } = bench.adapter.booking ?? {};
  const plain = await bench.subject.priced(bench.subject.rental(await bench.subject.offer()));
  for (const kind of OPTION_KINDS) {
    if (!(kind === 'extras' ? takesExtras : takesCoverages)) continue;
    const { chosen, cost } = await bench.subject.option(kind);
    const { request, key } = await bench.subject.book({ chosen });
    const more = request.total.amountMinor - plain.price.total.amountMinor;
    // A real supplier may tax what it adds.
    must(
      bench.simulated ? more === cost : more >= cost,
      `${kind} of ${cost} were chosen, and the total is ${more} more (minor units)`,
    );
    await judgeBook(bench, request, 'confirmed');
    const [read] = await bench.found('retrieve', key);
    must(
      read?.extras === undefined || count(read.extras) === count(request.extras),
      'the booking reads with other extras than were booked',
    );
    await bench.found('cancel', key);
  }
}

async function exactMoney(bench: Bench): Promise<void> {
  const seen = new Set<number>();
  for (const place of ODD_CURRENCY_PLACES) {
    const airport = airportByIata(place);
    if (!airport) continue;
    const search = bench.subject.vehicles({ at: airport });
    const offers = await bench.found('searchVehicles', search);
    const offer = offers.find(
      ({ rate, status, price }) =>
        status === 'available' && rate.payment === 'pay_later' && !seen.has(currencyDigits(price.total.currency)),
    );
    if (!offer) continue;
    seen.add(currencyDigits(offer.price.total.currency));
    judgePrice(offer);
    const { request, key } = await bench.subject.book({ offer, search });
    must(
      isDeepStrictEqual(request.total, offer.price.total),
      `found at ${said(offer.price.total)}, priced at ${said(request.total)}`,
    );
    await judgeBook(bench, request, 'confirmed', offer.vehicle.sippCode);
    await bench.found('cancel', key);
  }
  must(
    seen.has(0) && seen.has(3),
    `no car was found at ${ODD_CURRENCY_PLACES.join(', ')} in a currency ${seen.has(0) ? 'with three digits' : 'without cents'}`,
  );
}

function said(total: Money): string {
  return `${formatAmount(total)} ${total.currency}`;
}

/** Another number of the same form. */
function scrambled(number: string): string {
  return number.replace(/\d/g, (digit) => String((Number(digit) + 5) % 10));
}
