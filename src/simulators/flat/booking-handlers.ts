import type { SimulatedBooking } from '../bookings.js';
import type { Directive, Inventory, SimulatedAnswer, SimulatedRental, SimulatedRequest } from '../world.js';
import { done, FlatError } from './answers.js';
import type { FlatContext } from './context.js';
import { type FlatQuote, requote } from './quotes.js';
import { type BookingQuestion, bookingQuestion, jsonOf, readQuestion, rentalOf } from './rental-reader.js';
import { epochSeconds, freeUntilMs, lateFee } from './vehicle-writer.js';

const STATES = {
  confirmed: 1,
  on_request: 2,
  rejected: 3,
  cancelled: 4,
  held: 2,
  released: 4,
} as const satisfies Readonly<Record<SimulatedBooking['status'], number>>;

/** POST /rest/bookings. */
export function answerBook({ body, directive }: SimulatedRequest, context: FlatContext): SimulatedAnswer {
  const number = context.ledger.freshNumber((digits) => String(Number(digits) + 1));
  return answerMade(
    context.ledger.put(bookingOf(number, readQuestion(jsonOf(body), bookingQuestion), context, directive)),
    directive,
    context,
  );
}

/** PUT /rest/bookings/{no}: replaces the complete booking, at today's price. */
export function answerChange(
  { body, directive }: SimulatedRequest,
  context: FlatContext,
  number: string,
): SimulatedAnswer {
  const before = livingBooking(number, context);
  const changed = bookingOf(number, readQuestion(jsonOf(body), bookingQuestion), context, directive);
  return answerMade(
    context.ledger.put({ ...changed, reference: before.reference, createdAt: before.createdAt }),
    directive,
    context,
  );
}

/** GET /rest/bookings/{no}. */
export function answerBooking(
  _request: SimulatedRequest,
  { ledger, inventory }: FlatContext,
  number: string,
): SimulatedAnswer {
  const booking = ledger.byConfirmation(number);
  if (!booking) throw new FlatError('noBooking', 'unknown booking');
  return done({ booking: bookingJson(booking, inventory) });
}

/** GET /rest/bookings?agent_ref=. */
export function answerBookings({ query }: SimulatedRequest, { ledger, inventory }: FlatContext): SimulatedAnswer {
  const reference = query.get('agent_ref');
  if (!reference) throw new FlatError('badRequest', 'agent_ref: is missing');
  return done({ bookings: ledger.byReference(reference).map((booking) => bookingJson(booking, inventory)) });
}

/** DELETE /rest/bookings/{no}. Free until the rate's time, then for its fee. */
export function answerCancel({ directive }: SimulatedRequest, context: FlatContext, number: string): SimulatedAnswer {
  const booking = livingBooking(number, context);
  context.ledger.put({ ...booking, status: 'cancelled' });
  if (directive.verb === 'empty') return done({});
  return done({ no: Number(number), st: STATES.cancelled, fee_cents: feeNow(booking, context), cur: booking.currency });
}

function answerMade(booking: SimulatedBooking, { verb }: Directive, { inventory }: FlatContext): SimulatedAnswer {
  return done(verb === 'empty' ? {} : { booking: bookingJson(booking, inventory) });
}

function livingBooking(number: string, { ledger }: FlatContext): SimulatedBooking {
  const booking = ledger.byConfirmation(number);
  if (!booking) throw new FlatError('noBooking', 'unknown booking');
  if (booking.status === 'cancelled' || booking.status === 'rejected')
    throw new FlatError('over', 'the booking is cancelled or rejected');
  return booking;
}

function bookingOf(
  number: string,
  question: BookingQuestion,
  context: FlatContext,
  directive: Directive,
): SimulatedBooking {
  const rental = rentalOf(question, context, directive);
  const quote = directive.verb === 'sold_out' ? undefined : requote(rental, question, context, directive);
  if (!quote) throw new FlatError('soldOut', 'the car is sold out');
  if (quote.total > question.max_cents) throw new FlatError('dearer', 'the price is higher than max_cents');
  return {
    confirmation: number,
    reference: question.agent_ref,
    status: quote.onRequest ? 'on_request' : 'confirmed',
    brand: context.brand,
    firstName: question.first,
    lastName: question.last,
    email: question.mail,
    phone: question.tel,
    pickupCode: rental.pickup.code,
    dropoffCode: rental.dropoff.code,
    pickupDate: rental.pickupDate,
    dropoffDate: rental.dropoffDate,
    sippCode: quote.offer.car.sippCode,
    rateCode: String(question.grp),
    prepaid: quote.prepaid,
    age: question.age,
    countryCode: question.home,
    currency: quote.offer.price.currency,
    total: quote.total,
    extras: quote.picked.filter(({ kind }) => kind === 'A').map(({ id, qty }) => ({ code: String(id), quantity: qty })),
    coverages: quote.picked.filter(({ kind }) => kind === 'C').map(({ id }) => String(id)),
    flight: question.flight,
    remark: question.note,
    createdAt: context.now(),
  };
}

function bookingJson(booking: SimulatedBooking, inventory: Inventory): object {
  const pickup = inventory.locationByCode(booking.pickupCode);
  const dropoff = inventory.locationByCode(booking.dropoffCode);
  return {
    no: Number(booking.confirmation),
    agent_ref: booking.reference,
    st: STATES[booking.status],
    total_cents: booking.total,
    cur: booking.currency,
    from_ts: pickup && epochSeconds(booking.pickupDate, pickup),
    from_tz: pickup?.timeZone,
    to_ts: dropoff && epochSeconds(booking.dropoffDate, dropoff),
    to_tz: dropoff?.timeZone,
    acriss: booking.sippCode,
    addons: booking.extras.map(({ code, quantity }) => ({ id: Number(code), n: quantity })),
    covers: booking.coverages.map(Number),
  };
}

/** The cancellation fee at this moment; the full total if the car can no longer be priced. */
function feeNow(booking: SimulatedBooking, context: FlatContext): number {
  if (booking.status === 'on_request') return 0;
  const quote = quoteAgain(booking, context);
  if (!quote) return booking.total;
  const freeUntil = freeUntilMs(quote);
  return freeUntil !== undefined && context.ledger.now() <= freeUntil ? 0 : lateFee({ ...quote, total: booking.total });
}

function quoteAgain(booking: SimulatedBooking, { inventory }: FlatContext): FlatQuote | undefined {
  const pickup = inventory.locationByCode(booking.pickupCode);
  const dropoff = inventory.locationByCode(booking.dropoffCode);
  if (!pickup || !dropoff) return undefined;
  const { pickupDate, dropoffDate, age, prepaid } = booking;
  const rental: SimulatedRental = { pickup, dropoff, pickupDate, dropoffDate, age };
  const offer = inventory.carsFor(rental).find(({ car }) => car.sippCode === booking.sippCode);
  return offer && { rental, offer, prepaid, paid: offer.price, picked: [], total: booking.total, onRequest: false };
}
