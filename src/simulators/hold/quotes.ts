import { isOpenAt } from '../opening-hours.js';
import type { Directive, Inventory, SimulatedCarOffer, SimulatedPrice, SimulatedRental } from '../world.js';
import { Problem } from './answers.js';
import type { HoldContext } from './context.js';
import { EXTRA_CODES, PROTECTION_CODES } from './equipment-codes.js';
import { readRateId } from './rates.js';
import type { Chosen } from './rental-reader.js';

/** A chosen extra or protection. `amount` is for all pieces and the entire rental, minor units. */
export interface QuotedOption {
  readonly type: 'extra' | 'protection';
  readonly code: string;
  readonly name: string;
  readonly quantity: number;
  readonly amount: number;
}

/** One car with one payment type and its price. `total` = `paid.total` + the options. */
export interface Quote {
  readonly rental: SimulatedRental;
  readonly offer: SimulatedCarOffer;
  readonly prepaid: boolean;
  readonly paid: Pick<SimulatedPrice, 'base' | 'charges' | 'total'>;
  readonly options: readonly QuotedOption[];
  readonly total: number;
  readonly onRequest: boolean;
}

const NOTHING_CHOSEN: Chosen = { extras: [], protections: [] };
const OLD_ENOUGH_FOR_ANY_CAR = 99;

/** The part of a directive that affects the rental: `price` changes every base price. */
export function pricePercentOf(directive: Directive): Pick<SimulatedRental, 'pricePercent'> {
  return directive.verb === 'price' ? { pricePercent: directive.percent } : {};
}

/**
 * Every car with each payment type, without options, in the inventory's order. Throws Problem STATION_CLOSED if that is
 * why there are none.
 */
export function quotesFor(rental: SimulatedRental, { inventory }: HoldContext, directive: Directive): readonly Quote[] {
  const offers = inventory.carsFor(rental).filter(({ minAge }) => minAge <= rental.age);
  if (offers.length === 0) refuseIfClosed(rental);
  return offers.flatMap((offer) => {
    const atDesk = quoteOf(rental, offer, false, NOTHING_CHOSEN, inventory, directive);
    return offer.price.prepaid
      ? [atDesk, quoteOf(rental, offer, true, NOTHING_CHOSEN, inventory, directive)]
      : [atDesk];
  });
}

/**
 * The current price of a rate with the chosen options; undefined if the car is no longer available. Throws Problem
 * RATE_EXPIRED, STATION_CLOSED, DRIVER_NOT_ELIGIBLE or EXTRA_NOT_AVAILABLE.
 */
export function requote(
  rateId: string,
  age: number,
  chosen: Chosen,
  context: HoldContext,
  directive: Directive,
): Quote | undefined {
  const { classCode, prepaid, ...where } = readRateId(rateId, context);
  const { inventory } = context;
  const rental: SimulatedRental = { ...where, age, ...pricePercentOf(directive) };
  const find = (asked: SimulatedRental) => inventory.carsFor(asked).find(({ car }) => car.classCode === classCode);
  const offer = find(rental);
  if (!offer || offer.minAge > age) {
    refuseIfClosed(rental);
    if (find({ ...rental, age: OLD_ENOUGH_FOR_ANY_CAR }))
      throw new Problem('DRIVER_NOT_ELIGIBLE', 'The driver is too young for this car.');
    return undefined;
  }
  if (prepaid && !offer.price.prepaid) return undefined;
  return quoteOf(rental, offer, prepaid, chosen, inventory, directive);
}

function quoteOf(
  rental: SimulatedRental,
  offer: SimulatedCarOffer,
  prepaid: boolean,
  chosen: Chosen,
  inventory: Inventory,
  directive: Directive,
): Quote {
  const paid = (prepaid ? offer.price.prepaid : undefined) ?? offer.price;
  const options = [...extrasOf(rental, offer, chosen, inventory), ...protectionsOf(rental, offer, chosen, inventory)];
  return {
    rental,
    offer,
    prepaid,
    paid,
    options,
    total: options.reduce((sum, option) => sum + option.amount, paid.total),
    onRequest: offer.car.onRequest || directive.verb === 'on_request',
  };
}

function extrasOf(
  rental: SimulatedRental,
  { price }: SimulatedCarOffer,
  chosen: Chosen,
  inventory: Inventory,
): readonly QuotedOption[] {
  return chosen.extras.map(({ code, quantity }) => {
    const extra = inventory.extras(rental.pickup).find(({ equipType }) => EXTRA_CODES[equipType] === code);
    if (!extra || quantity > extra.maxQuantity)
      throw new Problem('EXTRA_NOT_AVAILABLE', `${quantity} × ${code} is not available.`);
    const amount = Math.min(extra.perDay * price.days, extra.maxPerRental) * quantity;
    return { type: 'extra', code, name: extra.name, quantity, amount };
  });
}

function protectionsOf(
  rental: SimulatedRental,
  { car, price }: SimulatedCarOffer,
  chosen: Chosen,
  inventory: Inventory,
): readonly QuotedOption[] {
  return chosen.protections.map((code) => {
    const sold = inventory
      .coverages(rental.pickup, car)
      .find(({ coverageType }) => PROTECTION_CODES[coverageType] === code);
    if (!sold) throw new Problem('EXTRA_NOT_AVAILABLE', `${code} is not available.`);
    return {
      type: 'protection',
      code,
      name: sold.name,
      quantity: 1,
      amount: sold.included ? 0 : sold.perDay * price.days,
    };
  });
}

function refuseIfClosed({ pickup, dropoff, pickupDate, dropoffDate }: SimulatedRental): void {
  if (!isOpenAt(pickup.hours, pickupDate)) throw new Problem('STATION_CLOSED', `${pickup.code} is closed at pickup.`);
  if (!dropoff.afterHoursReturn && !isOpenAt(dropoff.hours, dropoffDate)) {
    throw new Problem('STATION_CLOSED', `${dropoff.code} is closed at the time of return.`);
  }
}
