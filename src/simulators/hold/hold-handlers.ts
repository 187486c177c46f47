import { type Money, parseMoney, UnreadableAmountError } from '../../model/money.js';
import type { SimulatedBooking } from '../bookings.js';
import type { Directive, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { json, moneyJson, noContent, Problem } from './answers.js';
import { bookingJson } from './booking-writer.js';
import type { HoldContext } from './context.js';
import { type Quote, requote } from './quotes.js';
import { type HoldBody, holdBody, readBody } from './rental-reader.js';

const HOLD_MS = 600_000;

/**
 * POST /v1/holds: reserves a car at its price for ten minutes. The same reference returns the same hold while it is
 * active.
 */
export function answerHold({ body, directive }: SimulatedRequest, context: HoldContext): SimulatedAnswer {
  const order = readBody(body, holdBody);
  const living = context.ledger.byReference(order.reference).find(({ status }) => status === 'held');
  if (living) return json(200, holdJson(living, directive, context));
  if (directive.verb === 'sold_out') throw new Problem('SOLD_OUT', 'The car is sold out.');
  const quote = requote(order.rateId, order.driver.age, order, context, directive);
  if (!quote) throw new Problem('SOLD_OUT', 'The car is sold out.');
  refuseDearer(order, quote);
  return json(201, holdJson(context.ledger.put(holdOf(order, quote, context)), directive, context));
}

/** POST /v1/holds/{id}/confirm: makes the booking, or returns it if the hold is already confirmed. */
export function answerConfirm(
  { directive }: SimulatedRequest,
  { ledger, ...context }: HoldContext,
  id: string,
): SimulatedAnswer {
  const hold = holdById(id, ledger);
  const booked = ledger.byConfirmation(numberOf(id));
  if (booked) return json(200, { booking: bookingJson(booked) });
  if (hold.status !== 'held') throw new Problem('HOLD_EXPIRED', 'The hold has expired or was released.');
  if (directive.verb === 'sold_out') throw new Problem('SOLD_OUT', 'The car broke down and no other is available.');
  const booking = ledger.put({
    ...hold,
    confirmation: numberOf(id),
    status: isOnRequest(hold, directive, { ...context, ledger }) ? 'on_request' : 'confirmed',
    createdAt: context.now(),
    expiresAt: undefined,
  });
  ledger.put({ ...hold, status: 'released' });
  return json(200, directive.verb === 'empty' ? {} : { booking: bookingJson(booking) });
}

/** DELETE /v1/holds/{id}: releases the car. Succeeds also if the hold has expired. */
export function answerRelease(_request: SimulatedRequest, { ledger }: HoldContext, id: string): SimulatedAnswer {
  const hold = holdById(id, ledger);
  if (ledger.byConfirmation(numberOf(id))) throw new Problem('HOLD_CONFIRMED', 'Cancel the booking instead.');
  if (hold.status === 'held') ledger.put({ ...hold, status: 'released' });
  return noContent();
}

/** Hold H0123456789 becomes booking D0123456789, so that confirming it twice makes one booking. */
function numberOf(holdId: string): string {
  return `D${holdId.slice(1)}`;
}

function holdById(id: string, ledger: HoldContext['ledger']): SimulatedBooking {
  const hold = id.startsWith('H') ? ledger.byConfirmation(id) : undefined;
  if (!hold) throw new Problem('NOT_FOUND', 'Unknown hold.');
  return hold;
}

function refuseDearer({ expectedTotal }: HoldBody, { total, offer }: Quote): void {
  if (!expectedTotal) return;
  const { currency } = offer.price;
  const expected = expectedTotal.currency === currency ? expectedMoney(expectedTotal.amount, currency) : undefined;
  if (!expected || total > expected.amountMinor) {
    throw new Problem('PRICE_CHANGED', 'The price is now higher than expectedTotal.');
  }
}

/** Throws Problem INVALID_REQUEST for an amount that can't be read in the currency. */
function expectedMoney(amount: string, currency: string): Money | undefined {
  try {
    return parseMoney(amount, currency);
  } catch (error) {
    if (error instanceof UnreadableAmountError) throw new Problem('INVALID_REQUEST', `expectedTotal: ${error.message}`);
    throw error;
  }
}

function holdOf(order: HoldBody, { rental, offer, prepaid, total }: Quote, context: HoldContext): SimulatedBooking {
  const { driver, flight, remark, extras, protections } = order;
  return {
    confirmation: context.ledger.freshNumber((digits) => `H${digits}`),
    reference: order.reference,
    status: 'held',
    brand: context.brand,
    firstName: driver.firstName,
    lastName: driver.lastName,
    email: driver.email,
    phone: driver.phone,
    pickupCode: rental.pickup.code,
    dropoffCode: rental.dropoff.code,
    pickupDate: rental.pickupDate,
    dropoffDate: rental.dropoffDate,
    sippCode: offer.car.sippCode,
    rateCode: order.rateId,
    prepaid,
    age: driver.age,
    countryCode: driver.country,
    currency: offer.price.currency,
    total,
    extras,
    coverages: protections,
    flight: flight && flight.carrier + flight.number,
    remark,
    createdAt: context.now(),
    expiresAt: context.now() + HOLD_MS,
  };
}

function holdJson(hold: SimulatedBooking, directive: Directive, context: HoldContext): object {
  return {
    holdId: hold.confirmation,
    reference: hold.reference,
    status: isOnRequest(hold, directive, context) ? 'on_request' : 'held',
    total: moneyJson(hold.total, hold.currency),
    expiresAt: new Date(hold.expiresAt ?? 0).toISOString(),
  };
}

/** Whether the car is only available on request, from the inventory, because the ledger does not store it. */
function isOnRequest({ rateCode, age }: SimulatedBooking, directive: Directive, context: HoldContext): boolean {
  return requote(rateCode, age, { extras: [], protections: [] }, context, directive)?.onRequest === true;
}
