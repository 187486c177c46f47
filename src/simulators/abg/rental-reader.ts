import type { BookingLedger } from '../bookings.js';
import { discountPercentOf } from '../discounts.js';
import type { Directive, Inventory, SimulatedCarOffer, SimulatedRental } from '../world.js';
import { AbgRefusal, badRequest, refuse } from './answers.js';
import type { Paid } from './charge-writer.js';
import { ABG_BRANDS } from './location-search.js';
import { type PricedOptions, priceOptions } from './option-prices.js';
import { guaranteedPercents, quotedPercents, type RatePercents, rateCodesOf } from './rates.js';
import { impossibleDates, isDate, SOLD_OUT, USUAL_AGE, unknownPlace, whyNoCars } from './rental-checks.js';
import { group, list, numeric, text, type Wire } from './wire.js';

/** The state and inventories behind the product calls. */
export interface AbgStock {
  /** By brand in ABG's spelling. */
  readonly inventories: Readonly<Record<string, Inventory>>;
  readonly ledger: BookingLedger;
}

/** One vehicle with options and prices: what a rate request asks for and a reservation books. */
export interface PricedRental {
  readonly brand: string;
  /** Country of residence of the renter. */
  readonly countryCode: string;
  readonly rental: SimulatedRental;
  readonly offer: SimulatedCarOffer;
  readonly rateCode: string;
  readonly prepaid: boolean;
  /** The car alone, for the payment type of the rate code. */
  readonly paid: Paid;
  readonly options: PricedOptions;
  /** Car and options, minor units. */
  readonly total: number;
}

/** Codes of the reservation operations for missing members; rate requests use only the generic 400. */
export const RESERVATION_CODES: Readonly<Record<string, string>> = {
  brand: '200',
  pickup_location: '202',
  dropoff_location: '204',
  vehicle_sipp_code: '217',
  rate_code: '218',
  country_code: '219',
};

/**
 * Reads and prices the body of a rate request, a create or an update; `missingCodes` has the code for each missing
 * member (default 400). The proof of a booked rate keeps its price; so does a valid quote id, unless scenario price
 * changes it. Throws AbgRefusal with ABG's codes for an invalid rental.
 */
export function readRental(
  body: Wire,
  directive: Directive,
  { inventories, ledger }: AbgStock,
  now: number,
  missingCodes: Readonly<Record<string, string>> = {},
): PricedRental {
  const reservation = group(body.reservation);
  const rate = group(group(body.rate_totals).rate);
  const required = (from: Wire, name: string): string => {
    const value = text(from[name]);
    if (value === undefined)
      throw new AbgRefusal({ ...badRequest(`Missing required field '${name}'`), code: missingCodes[name] ?? '400' });
    return value;
  };
  const brand = required(group(body.product), 'brand');
  const pickupDate = required(reservation, 'pickup_date');
  const pickupCode = required(reservation, 'pickup_location');
  const dropoffDate = required(reservation, 'dropoff_date');
  const dropoffCode = required(reservation, 'dropoff_location');
  const sippCode = required(reservation, 'vehicle_sipp_code');
  const rateCode = required(rate, 'rate_code');
  const countryCode = required(rate, 'country_code');
  requireBrand(brand);
  if (!/^[A-Z]{2}$/.test(countryCode)) refuse('13213', 'Country code is invalid.');
  for (const date of [pickupDate, dropoffDate])
    if (!isDate(date)) throw new AbgRefusal(badRequest(`Invalid date <${date}>`));
  if (directive.verb === 'sold_out') throw new AbgRefusal(SOLD_OUT);

  const inventory = inventories[brand];
  const pickup = inventory?.locationByCode(pickupCode);
  if (!inventory || !pickup) throw new AbgRefusal(unknownPlace('pickup'));
  const dropoff = inventory.locationByCode(dropoffCode);
  if (!dropoff) throw new AbgRefusal(unknownPlace('dropoff'));
  const age = ageOf(group(group(body.customer).contact), pickupDate);
  const asked: SimulatedRental = {
    pickup,
    dropoff,
    pickupDate: pickupDate.slice(0, 19),
    dropoffDate: dropoffDate.slice(0, 19),
    age,
  };
  const impossible = impossibleDates(asked, now);
  if (impossible) throw new AbgRefusal(impossible);

  const rental = { ...asked, ...percentsOf(rate, { brand, sippCode, rateCode }, asked, directive, ledger) };
  const cars = inventory.carsFor(rental);
  if (cars.length === 0) throw new AbgRefusal(whyNoCars(rental, SOLD_OUT));
  // ABG has no code for a driver who is too young: as in the search, the class is left out for that driver.
  const offer = cars.find(({ car, minAge }) => car.sippCode === sippCode && age >= minAge);
  if (!offer)
    throw new AbgRefusal({
      status: 400,
      code: '14022',
      reason: 'Invalid vehicle_class_code.',
      details: 'No such class here.',
    });
  const codes = rateCodesOf(brand, sippCode);
  const prepaid = rateCode === codes.now;
  const paid = prepaid ? offer.price.prepaid : offer.price;
  if (!paid || (!prepaid && rateCode !== codes.later)) {
    throw new AbgRefusal({
      status: 400,
      code: '14105',
      reason: 'Invalid rate_code.',
      details: 'Rate and class do not fit the brand.',
    });
  }
  const options = priceOptions(inventory, rental, offer, list(body.extras), list(body.insurance));
  const total = paid.total + options.extrasTotal + options.coveragesTotal;
  return { brand, countryCode, rental, offer, rateCode, prepaid, paid, options, total };
}

function percentsOf(
  rate: Wire,
  { brand, sippCode, rateCode }: Readonly<Record<'brand' | 'sippCode' | 'rateCode', string>>,
  asked: SimulatedRental,
  directive: Directive,
  ledger: BookingLedger,
): RatePercents {
  const proof = text(rate.rate_guarantee_blob) ?? '';
  const guaranteed = guaranteedPercents(proof, brand, sippCode, rateCode, ledger);
  if (guaranteed) return guaranteed;
  const quoted = quotedPercents(text(rate.quote_id) ?? '', brand, sippCode, asked);
  return {
    pricePercent: directive.verb === 'price' ? directive.percent : (quoted?.pricePercent ?? 0),
    discountPercent: quoted?.discountPercent ?? discountPercentOf(codesIn(rate), [codeIn(rate.membership)]),
  };
}

function codesIn(rate: Wire): readonly (string | undefined)[] {
  return [codeIn(rate.discount), codeIn(rate.coupon)];
}

/** The code of a discount, coupon or membership. */
export function codeIn(member: unknown): string | undefined {
  return text(group(member).code);
}

/** Checks the brand against the contract's spelling (case-sensitive). Throws AbgRefusal. */
export function requireBrand(brand: string): void {
  if (!ABG_BRANDS.includes(brand)) throw new AbgRefusal(badRequest(`Invalid element <${brand}>`));
}

/** The driver's age from age, else date_of_birth (ABG's order), in years at pickup. */
function ageOf(contact: Wire, pickupDate: string): number {
  const age = numeric(contact.age);
  if (age !== undefined)
    return Number.isInteger(age) && age >= 0 && age <= 999 ? age : refuse('400', 'Invalid element age');
  const born = /^(\d{4})-(\d{2}-\d{2})/.exec(text(contact.date_of_birth) ?? '');
  if (!born) return USUAL_AGE;
  const years = Number(pickupDate.slice(0, 4)) - Number(born[1]);
  return pickupDate.slice(5, 10) < (born[2] ?? '') ? years - 1 : years;
}
