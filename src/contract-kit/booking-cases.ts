import { isDeepStrictEqual } from 'node:util';
import {
  type BookedExtra,
  type BookRequest,
  type ChosenExtra,
  isSameCode,
  quantityBooked,
  type SupplierBooking,
} from '../model/bookings.js';
import { currencyDigits, formatAmount, type Money } from '../model/money.js';
import { airportByIata } from '../places/places.js';
import { type Bench } from './bench.js';
import { describeError, must } from './breach.js';
import { asRecorded, type ContractCase } from './case.js';
import { failureOf } from './ended.js';
import { pass } from './fault-server.js';
import { OPTION_KINDS } from './offer-choice.js';
import { judgePrice } from './price-rules.js';
import { ODD_CURRENCY_PLACES } from './rental-places.js';

/** The life of a booking, from creation to cancellation, at a supplier that really keeps it. */
export const BOOKING_CASES: readonly ContractCase[] = [
  {
    id: 'lifecycle',
    guarantee: 'book → read → cancel → read: the supplier has exactly the requested booking, then no active one',
    operations: ['book'],
    run: lifecycle,
  },
  {
    id: 'changes',
    guarantee: 'the adapter makes each kind of change that it declares, and the booking keeps its identity',
    operations: ['modify'],
    run: changes,
  },
  {
    id: 'options',
    guarantee: 'chosen extras and coverages are priced at the advertised cost and booked',
    operations: ['book'],
    notApplicable: ({ adapter: { booking }, config, simulated }) =>
      booking?.takesExtras || booking?.takesCoverages
        ? asRecorded({ config, simulated })
        : 'the adapter accepts neither extras nor coverages',
    run: options,
  },
  {
    id: 'cancel_twice',
    guarantee: 'cancelling a cancelled booking succeeds',
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
      'for a booking unknown to the supplier, retrieve returns an empty list and cancel is refused as not_found',
    operations: ['retrieve', 'cancel'],
    run: async (bench, operation) => {
      const { key, booking } = await bench.subject.sharedBooking();
      const unknownKey = {
        ...key,
        reference: 'kit_unknown',
        confirmationNumber: scrambled(booking.confirmationNumber ?? ''),
      };
      if (operation === 'retrieve') {
        const items = await bench.found('retrieve', unknownKey);
        must(items.length === 0, 'retrieve found a booking under a number that does not exist');
        return;
      }
      const error = failureOf(await bench.played('cancel', pass, unknownKey));
      must(
        error.fault === 'rejected' && error.refusal === 'not_found',
        `got ${describeError(error)}; expected rejected not_found`,
      );
    },
  },
  {
    id: 'refusal',
    guarantee: 'booking a car that is sold out is refused as sold_out, and nothing is booked',
    operations: ['book'],
    simulated: true,
    run: async (bench) => {
      const request = await bench.subject.bookRequest();
      const error = failureOf(await bench.played('book', pass, request, { directive: 'sold_out' }));
      must(
        error.fault === 'rejected' && error.refusal === 'sold_out',
        `got ${describeError(error)}; expected rejected sold_out`,
      );
      const stand = (await bench.booked(request.reference)).filter(
        ({ status }) => status === 'confirmed' || status === 'on_request',
      );
      must(stand.length === 0, 'the supplier refused the booking but made it');
    },
  },
  {
    id: 'exact_money',
    guarantee: "amounts use the currency's number of digits: the booked total equals the quoted one to the minor unit",
    operations: ['book'],
    simulated: true,
    notApplicable: asRecorded,
    run: exactMoney,
  },
];

async function lifecycle(bench: Bench): Promise<void> {
  const { offer, request, booking, key } = await bench.subject.book();
  const { sippCode } = offer.vehicle;
  must(booking.status === 'confirmed', `the booking of an available car is ${booking.status}; expected confirmed`);
  must(
    booking.reference === undefined || booking.reference === request.reference,
    'the booking does not have the reference that was sent',
  );
  await judgeBook(bench, request, 'confirmed', sippCode);
  const [read] = await bench.found('retrieve', key);
  must(
    read !== undefined && read.status === 'confirmed',
    `right after booking, the status read is ${read?.status ?? 'unknown'}; expected confirmed`,
  );
  must(read.confirmationNumber === booking.confirmationNumber, 'the booking read has another confirmation number');
  must(
    read.pickupDate === undefined || read.pickupDate === request.pickupDate,
    'the booking read has another pickup time',
  );
  if (bench.adapter.booking?.findsByReference) {
    const { confirmationNumber: _number, ...byReference } = key;
    const found = await bench.found('retrieve', byReference);
    must(
      found.length === 1 && found[0]?.confirmationNumber === booking.confirmationNumber,
      'the booking was not found by its reference',
    );
  }
  await bench.found('cancel', key);
  await judgeBook(bench, request, 'cancelled', sippCode);
  const after = await bench.found('retrieve', key);
  must(
    after.every(({ status }) => status === 'cancelled') && (after.length > 0 || !bench.simulated),
    `after cancellation, the status read is ${after[0]?.status ?? 'unknown'}; expected cancelled`,
  );
}

/**
 * Checks the simulator's record: one booking with the reference, exactly as requested. Does nothing for a real
 * supplier.
 */
async function judgeBook(
  bench: Bench,
  request: BookRequest,
  status: 'confirmed' | 'cancelled',
  sippCode?: string,
): Promise<void> {
  if (!bench.simulated) return;
  const booked = await bench.booked(request.reference);
  const [row] = booked;
  must(
    row !== undefined && booked.length === 1,
    `the supplier has ${booked.length} bookings with the reference; expected 1`,
  );
  const { driver, arrival, total } = request;
  for (const [what, has, right] of [
    ['first name', row.firstName.toLowerCase(), driver.firstName.toLowerCase()],
    ['last name', row.lastName.toLowerCase(), driver.lastName.toLowerCase()],
    ['email address', row.email, driver.email],
  ])
    must(has === right, `the supplier did not receive the renter's ${what}`);
  for (const [what, has, right] of [
    ['status', row.status, status],
    ['pickup', row.pickupDate, request.pickupDate],
    ['return', row.dropoffDate, request.dropoffDate],
    ['car', row.sippCode, sippCode ?? row.sippCode],
    ['total', `${row.total} ${row.currency}`, `${total.amountMinor} ${total.currency}`],
    ['number of extras', count(row.extras), count(request.extras)],
    ['coverages', row.coverages.length, request.coverages.length],
    ['flight', row.flight?.replace(' ', ''), arrival && arrival.carrierCode + arrival.flightNumber],
  ]) {
    // A supplier with recorded answers does not know times that its calls left out.
    if (has !== '' || asRecorded(bench) === undefined)
      must(has === right, `the supplier recorded ${what} ${has}; expected ${right}`);
  }
  // A dialect without a field for the reference may also put it here.
  must(
    request.remark === undefined || row.remark?.includes(request.remark) === true,
    'the supplier did not record the remark',
  );
}

function count(extras: readonly ChosenExtra[]): number {
  return extras.reduce((sum, { quantity }) => sum + quantity, 0);
}

function isListed(booked: readonly BookedExtra[], chosen: readonly ChosenExtra[]): boolean {
  const isStated = ({ code, quantity }: ChosenExtra) => {
    const rows = booked.filter((extra) => isSameCode(extra.code, code));
    return rows.length > 0 && (quantityBooked(rows) ?? quantity) === quantity;
  };
  return chosen.every(isStated) && booked.every(({ code }) => chosen.some((extra) => isSameCode(extra.code, code)));
}

async function changes(bench: Bench): Promise<void> {
  must(bench.subject.changes.length > 0, 'the adapter has modify, but booking.changes is empty');
  const recorded = asRecorded(bench) !== undefined;
  for (const kind of bench.subject.changes) {
    // Recorded answers do not compute the prices of options.
    if (recorded && (kind === 'extras' || kind === 'coverages')) continue;
    const made = await bench.subject.book();
    const request = await bench.subject.changed(made, kind);
    const [changed] = await bench.found('modify', request);
    must(
      changed?.status === 'confirmed',
      `after a change of ${kind}, the booking is ${changed?.status}; expected confirmed`,
    );
    // A supplier that makes a new booking for a change says by our reference that it is the same one.
    const isRenumbered = changed.confirmationNumber !== undefined && changed.reference === request.reference;
    const { confirmationNumber } = isRenumbered ? changed : made.booking;
    const key = { ...made.key, ref: { ...request.ref, ...changed.ref }, confirmationNumber };
    const [read] = await bench.found('retrieve', key);
    must(
      read !== undefined && read.status === 'confirmed',
      `after a change of ${kind}, the status read is ${read?.status ?? 'unknown'}; expected confirmed`,
    );
    must(sameNumber(changed, key) && sameNumber(read, key), `a change of ${kind} changed the confirmation number`);
    if (kind === 'rental') {
      must(
        read.dropoffDate === undefined || read.dropoffDate === request.dropoffDate,
        'the booking read does not have the new return time',
      );
    }
    await judgeBook(bench, request, 'confirmed');
    await bench.found('cancel', key);
  }
}

function sameNumber(
  { confirmationNumber }: SupplierBooking,
  expected: Pick<SupplierBooking, 'confirmationNumber'>,
): boolean {
  return confirmationNumber === expected.confirmationNumber;
}

async function options(bench: Bench): Promise<void> {
  const { takesExtras, takesCoverages } = bench.adapter.booking ?? {};
  const plain = await bench.subject.priced(bench.subject.rental(await bench.subject.offer()));
  for (const kind of OPTION_KINDS) {
    if (!(kind === 'extras' ? takesExtras : takesCoverages)) continue;
    const { chosen, cost } = await bench.subject.option(kind);
    const { request, key } = await bench.subject.book({ chosen });
    const more = request.total.amountMinor - plain.price.total.amountMinor;
    // A real supplier may charge tax on options.
    must(
      bench.simulated ? more === cost : more >= cost,
      `the chosen ${kind} cost ${cost}, but the total rose by ${more} (minor units)`,
    );
    await judgeBook(bench, request, 'confirmed');
    const [read] = await bench.found('retrieve', key);
    must(
      read?.extras === undefined || isListed(read.extras, request.extras),
      'the booking read does not have the booked extras',
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
      `the search returned ${said(offer.price.total)}, the price check ${said(request.total)}`,
    );
    await judgeBook(bench, request, 'confirmed', offer.vehicle.sippCode);
    await bench.found('cancel', key);
  }
  must(
    seen.has(0) && seen.has(3),
    `found no car at ${ODD_CURRENCY_PLACES.join(', ')} priced in a currency ${seen.has(0) ? 'with three digits' : 'without cents'}`,
  );
}

function said(total: Money): string {
  return `${formatAmount(total)} ${total.currency}`;
}

/** A different number in the same format. */
function scrambled(number: string): string {
  return number.replace(/\d/g, (digit) => String((Number(digit) + 5) % 10));
}
