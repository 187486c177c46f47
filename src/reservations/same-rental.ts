import { isDeepStrictEqual } from 'node:util';
import type { CheckedPrice } from '../offers/price-check.service.js';
import { isOtherPayment } from '../representations/payment-terms.js';
import type { RentalView } from '../representations/rental-view.js';
import { termsOfView, worseTerms } from '../representations/shown-terms.js';
import { ApiError } from '../status/api-error.js';
import type { SupplierRef } from '../suppliers/outcome.js';
import { earliestInstantAtPickup } from './rental-moments.js';
import type { Reservation } from './reservation.js';

/** The parts of a view that a PATCH must not change. */
type Compared = Pick<RentalView, 'vehicle' | 'pickup' | 'dropoff' | 'rate' | 'price'>;

/**
 * Throws ApiError 400 (cause offer_changed) naming each difference if what the supplier now prices is not the booked
 * rental: another vehicle class, another location or another way of payment, or terms that are `worse` (from
 * worseThanBooked). Extras and coverages can't change those.
 */
export function refuseOtherRental(
  booked: Compared,
  priced: Compared,
  { id, name }: SupplierRef,
  worse: readonly string[] = [],
): void {
  const differences = [
    ...differencesOf(booked, priced).map(([what, before, after]) => `${what} would change from ${before} to ${after}`),
    ...worse,
  ];
  if (differences.length === 0) return;
  const details = `${name} no longer offers this change for the booked rental: ${differences.join(', ')}. Nothing was changed. Keep the reservation as it is, or cancel it and create a new one.`;
  throw ApiError.of('invalid_request', details, { cause: 'offer_changed', supplier: id });
}

/**
 * The booked terms that are worse in the price of other extras or coverages, in words for the caller. `at` is in epoch
 * milliseconds. A free cancellation that may have expired by now isn't lost by the change, and a deposit may depend on the coverages.
 * What was paid by a card is never more after a change (paidBefore).
 */
export function worseThanBooked(
  { rental, view, payment }: Pick<Reservation, 'rental' | 'view' | 'payment'>,
  { offer, request, convert }: Pick<CheckedPrice, 'offer' | 'request' | 'convert'>,
  at: number,
): readonly string[] {
  const { freeUntil, deposit, dueNow, ...others } = termsOfView(view);
  const deadline = view.cancellation.free_until;
  const isFree = deadline !== undefined && earliestInstantAtPickup(rental.pickup, deadline) > at;
  const isPaidByCard = payment.type === 'card' && dueNow !== 0;
  const isSameCover = isDeepStrictEqual(new Set(rental.coverages), new Set(request.coverages));
  const shown = {
    ...others,
    ...(isFree && freeUntil !== undefined && { freeUntil }),
    ...(isSameCover && deposit !== undefined && { deposit }),
    ...(!isPaidByCard && dueNow !== undefined && { dueNow }),
  };
  const lacksLocal = !view.lists_local && others.local === undefined;
  const compared = { before: rental, now: request, total: rental.total };
  const choices = {
    ...compared,
    isSamePrice: false,
    isSameAge: true,
    isBooked: true,
    lacksLocal,
    ...(convert && { convert }),
  };
  return worseTerms(shown, offer, choices);
}

type Difference = readonly [what: string, before: string, after: string];

function differencesOf(booked: Compared, priced: Compared): readonly Difference[] {
  const compared: readonly Difference[] = [
    ['the vehicle class', ...classesOf(booked.vehicle, priced.vehicle)],
    ['the pickup location', codeOf(booked.pickup), codeOf(priced.pickup)],
    ['the dropoff location', codeOf(booked.dropoff), codeOf(priced.dropoff)],
    ['the payment', ...paymentsOf(booked, priced)],
  ];
  return compared.filter(([, before, after]) => before !== after);
}

/** The ways of payment; equal if the renter must not pay in another way. */
function paymentsOf(booked: Compared, priced: Compared): readonly [string, string] {
  const [before, after] = [booked.price.due_now, priced.price.due_now];
  const isMoreDue = before.currency !== after.currency || Number(after.amount) > Number(before.amount);
  const [shown, now] = [booked.rate.payment, priced.rate.payment];
  return isOtherPayment(shown, now, isMoreDue) ? [shown, now] : ['', ''];
}

/** The codes of the classes in the most exact form that both have, as a supplier may leave out one; equal if they share none. */
function classesOf(booked: Compared['vehicle'], priced: Compared['vehicle']): readonly [string, string] {
  for (const form of ['sipp_code', 'class_code'] as const) {
    const [before, after] = [booked[form], priced[form]];
    if (before !== undefined && after !== undefined) return [before, after];
  }
  return ['', ''];
}

/** The supplier's code, because a location_id changes with the gateway's keys. */
function codeOf({ location }: Compared['pickup']): string {
  return location.code;
}
