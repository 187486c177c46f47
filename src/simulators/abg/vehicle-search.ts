import { discountPercentOf, isKnownCode } from '../discounts.js';
import type { Inventory, SimulatedAnswer, SimulatedCarOffer, SimulatedRental, SimulatedRequest } from '../world.js';
import { type AbgFailure, badRequest, failure, type Occasion, success } from './answers.js';
import { ABG_BRANDS } from './location-search.js';
import { rentalPlaceJson, termsJson } from './location-writer.js';
import { impossibleDates, isDate, SOLD_OUT, USUAL_AGE, unknownPlace, whyNoCars } from './rental-checks.js';
import { vehicleJson } from './vehicle-writer.js';

const REQUIRED = ['brand', 'pickup_date', 'pickup_location', 'dropoff_date', 'dropoff_location', 'country_code'];

const NO_VEHICLES: AbgFailure = {
  status: 404,
  code: '500708',
  reason: 'No vehicles are available for the given filtering criteria',
  details: 'No vehicle is left for this search.',
};
/** GET /cars/catalog/v2/vehicles: every available car of one brand, or the error code of the reason for having none. */
export function answerVehicles(
  request: SimulatedRequest,
  inventories: Readonly<Record<string, Inventory>>,
  occasion: Occasion,
): SimulatedAnswer {
  const { query, directive } = request;
  const malformed = malformedParameter(query);
  if (malformed) return failure(malformed, occasion);
  if (directive.verb === 'empty') return failure(NO_VEHICLES, occasion);
  if (directive.verb === 'sold_out') return failure(SOLD_OUT, occasion);

  const brand = query.get('brand') ?? '';
  const inventory = inventories[brand];
  const pickup = inventory?.locationByCode(query.get('pickup_location') ?? '');
  if (!inventory || !pickup) return failure(unknownPlace('pickup'), occasion);
  const dropoff = inventory.locationByCode(query.get('dropoff_location') ?? '');
  if (!dropoff) return failure(unknownPlace('dropoff'), occasion);
  const discountCode = query.get('discount_code') ?? undefined;
  const couponCode = query.get('coupon_code') ?? undefined;
  const rental: SimulatedRental = {
    pickup,
    dropoff,
    pickupDate: (query.get('pickup_date') ?? '').slice(0, 19),
    dropoffDate: (query.get('dropoff_date') ?? '').slice(0, 19),
    age: Number(query.get('age') ?? USUAL_AGE),
    discountPercent: discountPercentOf([discountCode, couponCode], [query.get('membership_code') ?? undefined]),
    ...(directive.verb === 'price' && { pricePercent: directive.percent }),
  };
  const impossible = impossibleDates(rental, occasion.now);
  if (impossible) return failure(impossible, occasion);
  const cars = inventory.carsFor(rental);
  if (cars.length === 0) return failure(whyNoCars(rental, NO_VEHICLES), occasion);
  const wanted = cars.filter(filterOf(query, rental.age));
  if (wanted.length === 0) return failure(NO_VEHICLES, occasion);

  const known = {
    discountCode: isKnownCode(discountCode) ? discountCode : undefined,
    couponCode: isKnownCode(couponCode) ? couponCode : undefined,
  };
  const options = {
    brand,
    rental,
    ...known,
    secondaryCurrency: query.get('requested_rate_currency') ?? undefined,
    allOnRequest: directive.verb === 'on_request',
  };
  const members = {
    product: { brand },
    vehicles: wanted.map((offer) => vehicleJson(offer, options)),
    // Repeats a code, known or not, which confirms nothing.
    ...(discountCode !== undefined && { discount: { code: discountCode } }),
    ...(known.couponCode !== undefined && { coupon: { code: known.couponCode } }),
    reservation: {
      pickup_location: rentalPlaceJson(pickup),
      dropoff_location: rentalPlaceJson(dropoff),
      ...termsJson(brand),
    },
  };
  return success('The vehicle availability was successfully retrieved.', members, occasion);
}

function malformedParameter(query: URLSearchParams): AbgFailure | undefined {
  for (const name of REQUIRED) if (!query.get(name)) return badRequest(`Missing required field '${name}'`);
  const brand = query.get('brand') ?? '';
  if (!ABG_BRANDS.includes(brand)) return badRequest(`Invalid element <${brand}>`);
  if (!/^[A-Z]{2}$/.test(query.get('country_code') ?? '')) {
    return {
      status: 400,
      code: '13213',
      reason: 'Country code is invalid.',
      details: 'Two capital letters are expected.',
    };
  }
  for (const name of ['pickup_date', 'dropoff_date']) {
    const value = query.get(name) ?? '';
    if (!isDate(value)) return badRequest(`Invalid element ${name} <${value}>`);
  }
  const age = query.get('age');
  return age !== null && !/^\d{1,3}$/.test(age) ? badRequest(`Invalid element age <${age}>`) : undefined;
}

/**
 * vehicle_sipp_codes and vehicle_class_codes are comma-separated; absent = all. Leaves out cars for which the driver is
 * too young.
 */
function filterOf(query: URLSearchParams, age: number): (offer: SimulatedCarOffer) => boolean {
  const sippCodes = query.get('vehicle_sipp_codes')?.split(',');
  const classCodes = query.get('vehicle_class_codes')?.split(',');
  return ({ car, minAge }) =>
    age >= minAge && (sippCodes?.includes(car.sippCode) ?? true) && (classCodes?.includes(car.classCode) ?? true);
}
