import { isOpenAt } from '../opening-hours.js';
import type { Directive, SimulatedCarOffer, SimulatedPrice, SimulatedRental } from '../world.js';
import { FlatError } from './answers.js';
import type { FlatContext } from './context.js';
import type { PriceQuestion } from './rental-reader.js';

/** A chosen option: a cover or an addon. `cents` is for all pieces and the entire rental. */
export interface PickedOption {
  readonly kind: 'A' | 'C';
  readonly id: number;
  readonly title: string;
  readonly qty: number;
  readonly cents: number;
}

/** One car with one payment type. `total` = `paid.total` + the chosen options, minor units. */
export interface FlatQuote {
  readonly rental: SimulatedRental;
  readonly offer: SimulatedCarOffer;
  readonly prepaid: boolean;
  readonly paid: Pick<SimulatedPrice, 'base' | 'charges' | 'total'>;
  readonly picked: readonly PickedOption[];
  readonly total: number;
  readonly onRequest: boolean;
}

const OLD_ENOUGH_FOR_ANY_CAR = 99;

/** The number of a car: its ACRISS code read in base 36. */
export function groupOf({ car }: SimulatedCarOffer): number {
  return Number.parseInt(car.sippCode, 36);
}

/** Every car with each payment type. Throws FlatError 2002 if there are none because a depot is closed. */
export function quotesFor(
  rental: SimulatedRental,
  { inventory }: FlatContext,
  directive: Directive,
): readonly FlatQuote[] {
  const offers = inventory.carsFor(rental).filter(({ minAge }) => minAge <= rental.age);
  if (offers.length === 0) refuseIfClosed(rental);
  return offers.flatMap((offer) => {
    const later = quoteOf(rental, offer, false, [], directive);
    return offer.price.prepaid ? [later, quoteOf(rental, offer, true, [], directive)] : [later];
  });
}

/** The current price of one car; undefined if it is no longer available. Throws FlatError 2002, 3003 or 3004. */
export function requote(
  rental: SimulatedRental,
  question: PriceQuestion,
  context: FlatContext,
  directive: Directive,
): FlatQuote | undefined {
  const find = (asked: SimulatedRental) =>
    context.inventory.carsFor(asked).find((offer) => groupOf(offer) === question.grp);
  const offer = find(rental);
  const prepaid = question.pay === 1;
  if (!offer || offer.minAge > rental.age) {
    refuseIfClosed(rental);
    if (find({ ...rental, age: OLD_ENOUGH_FOR_ANY_CAR }))
      throw new FlatError('tooYoung', 'the driver is too young for this car');
    return undefined;
  }
  if (prepaid && !offer.price.prepaid) return undefined;
  return quoteOf(rental, offer, prepaid, pickedOf(rental, offer, question, context), directive);
}

function quoteOf(
  rental: SimulatedRental,
  offer: SimulatedCarOffer,
  prepaid: boolean,
  picked: readonly PickedOption[],
  directive: Directive,
): FlatQuote {
  const paid = (prepaid ? offer.price.prepaid : undefined) ?? offer.price;
  return {
    rental,
    offer,
    prepaid,
    paid,
    picked,
    total: picked.reduce((sum, { cents }) => sum + cents, paid.total),
    onRequest: offer.car.onRequest || directive.verb === 'on_request',
  };
}

function pickedOf(
  rental: SimulatedRental,
  { car, price }: SimulatedCarOffer,
  { addons, covers }: PriceQuestion,
  { inventory }: FlatContext,
): readonly PickedOption[] {
  const chosenAddons = addons.map((text): PickedOption => {
    const [id, qty = 1] = text.split(':').map(Number);
    const addon = inventory.extras(rental.pickup).find(({ equipType }) => equipType === id);
    if (!addon || qty > addon.maxQuantity) throw new FlatError('noAddon', `addon ${id} is not available ${qty} times`);
    const cents = Math.min(addon.perDay * price.days, addon.maxPerRental) * qty;
    return { kind: 'A', id: addon.equipType, title: addon.name, qty, cents };
  });
  const chosenCovers = covers.map((id): PickedOption => {
    const cover = inventory.coverages(rental.pickup, car).find(({ coverageType }) => String(coverageType) === id);
    if (!cover) throw new FlatError('noAddon', `cover ${id} is not available`);
    const cents = cover.included ? 0 : cover.perDay * price.days;
    return { kind: 'C', id: cover.coverageType, title: cover.name, qty: 1, cents };
  });
  return [...chosenAddons, ...chosenCovers];
}

function refuseIfClosed({ pickup, dropoff, pickupDate, dropoffDate }: SimulatedRental): void {
  const open = isOpenAt(pickup.hours, pickupDate) && (dropoff.afterHoursReturn || isOpenAt(dropoff.hours, dropoffDate));
  if (!open) throw new FlatError('closed', 'a depot is closed at that time');
}
