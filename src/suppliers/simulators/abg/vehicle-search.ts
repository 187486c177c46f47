import { toLocal } from '../../../places/zone-clock.js';
import { isOpenAt } from '../opening-hours.js';
import type { Inventory, SimulatedAnswer, SimulatedCarOffer, SimulatedRental, SimulatedRequest } from '../world.js';
import { type AbgFailure, badRequest, failure, type Occasion, success } from './answers.js';
import { rentalPlaceJson } from './location-json.js';
import { ABG_BRANDS } from './location-search.js';
import { vehicleJson } from './vehicle-json.js';

const REQUIRED = ['brand', 'pickup_date', 'pickup_location', 'dropoff_date', 'dropoff_location', 'country_code'];
const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3}Z?)?$/;
const DAY_MS = 86_400_000;
const MOST_DAYS = 330;
const USUAL_AGE = 30;

const NO_VEHICLES: AbgFailure = {
  status: 404,
  code: '500708',
  reason: 'No vehicles are available for the given filtering criteria',
  details: 'No vehicle is left for the search.',
};
const SOLD_OUT: AbgFailure = {
  status: 404,
  code: '223',
  reason: 'Invalid pickup_location.',
  details: 'Sold out at the pick-up location for the dates.',
};

/** GET /cars/catalog/v2/vehicles: every car of one brand that can be had, or the code that says why there is none. */
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
  const pickup = inventory?.counterByCode(query.get('pickup_location') ?? '');
  if (!inventory || !pickup) return failure(unknownPlace('203', 'pickup'), occasion);
  const dropoff = inventory.counterByCode(query.get('dropoff_location') ?? '');
  if (!dropoff) return failure(unknownPlace('205', 'dropoff'), occasion);
  const rental: SimulatedRental = {
    pickup,
    dropoff,
    pickupDate: (query.get('pickup_date') ?? '').slice(0, 19),
    dropoffDate: (query.get('dropoff_date') ?? '').slice(0, 19),
    age: Number(query.get('age') ?? USUAL_AGE),
    ...(directive.verb === 'price' && { pricePercent: directive.percent }),
  };
  const impossible = impossibleDates(rental, occasion.now);
  if (impossible) return failure(impossible, occasion);
  const cars = inventory.carsFor(rental);
  if (cars.length === 0) return failure(whyNoCars(rental), occasion);
  const wanted = cars.filter(filterOf(query, rental.age));
  if (wanted.length === 0) return failure(NO_VEHICLES, occasion);

  const discountCode = query.get('discount_code') ?? undefined;
  const options = {
    brand,
    countryCode: pickup.countryCode,
    discountCode,
    secondaryCurrency: query.get('requested_rate_currency') ?? undefined,
    allOnRequest: directive.verb === 'on_request',
  };
  const members = {
    product: { brand },
    vehicles: wanted.map((offer) => vehicleJson(offer, options)),
    ...(discountCode !== undefined && { discount: { code: discountCode } }),
    reservation: {
      pickup_location: rentalPlaceJson(pickup),
      dropoff_location: rentalPlaceJson(dropoff),
      terms: ['location', 'rental'].map((type) => ({
        type,
        method: 'GET',
        endpoint: `https://terms.example.com/${type}/${brand.toLowerCase()}`,
      })),
      disclaimers: [{ type: 'Fuel Policy', description: 'FUEL POLICY IS FULL TO FULL' }],
    },
  };
  return success('The vehicle availability was successfully retrieved.', members, occasion);
}

function malformedParameter(query: URLSearchParams): AbgFailure | undefined {
  for (const name of REQUIRED) if (!query.get(name)) return badRequest(`Missing required field '${name}'`);
  const brand = query.get('brand') ?? '';
  if (!ABG_BRANDS.includes(brand)) return badRequest(`Invalid element <${brand}>`);
  if (!/^[A-Z]{2}$/.test(query.get('country_code') ?? '')) {
    return { status: 400, code: '13213', reason: 'Country code is invalid.', details: 'Two capital letters are expected.' };
  }
  for (const name of ['pickup_date', 'dropoff_date']) {
    const value = query.get(name) ?? '';
    if (!DATE.test(value) || Number.isNaN(Date.parse(`${value.slice(0, 19)}Z`))) return badRequest(`Invalid element ${name} <${value}>`);
  }
  const age = query.get('age');
  return age !== null && !/^\d{1,3}$/.test(age) ? badRequest(`Invalid element age <${age}>`) : undefined;
}

/** Wall clocks at the counters; "now" is the pickup counter's. */
function impossibleDates({ pickup, pickupDate, dropoffDate }: SimulatedRental, now: number): AbgFailure | undefined {
  if (pickupDate < toLocal(now, pickup.timeZone)) {
    return { status: 400, code: '231', reason: 'Invalid pickup_date.', details: 'The pick-up lies before the current time.' };
  }
  if (dropoffDate <= pickupDate) {
    return { status: 400, code: '232', reason: 'Invalid dropoff_date.', details: 'The return is prior to, or the same as, the pick-up.' };
  }
  if (Date.parse(`${dropoffDate}Z`) - Date.parse(`${pickupDate}Z`) > MOST_DAYS * DAY_MS) {
    return { status: 400, code: '221', reason: 'Invalid dropoff_date.', details: `Maximum of ${MOST_DAYS} days exceeded.` };
  }
  return undefined;
}

function unknownPlace(code: string, end: 'pickup' | 'dropoff'): AbgFailure {
  return { status: 400, code, reason: `Invalid ${end}_location.`, details: `No location of the brand has this ${end} code.` };
}

/** The inventory only says "none"; ABG has a code for each cause. */
function whyNoCars({ pickup, dropoff, pickupDate, dropoffDate }: SimulatedRental): AbgFailure {
  if (!isOpenAt(pickup.hours, pickupDate)) {
    const reason = 'The Rental Location you have selected is closed during the hours requested';
    return { status: 400, code: '242', reason, details: reason };
  }
  if (!dropoff.afterHoursReturn && !isOpenAt(dropoff.hours, dropoffDate)) {
    return { status: 400, code: '14261', reason: 'Invalid dropoff_date.', details: 'The location is closed at the return hour.' };
  }
  if (pickup.code === dropoff.code) return NO_VEHICLES;
  return {
    status: 404,
    code: '14381',
    reason: 'A One-Way Rental between given pickup_location and dropoff_location is not available',
    details: 'No one-way rental between these locations.',
  };
}

/** vehicle_sipp_codes and vehicle_class_codes are comma lists; absent = all. Cars that the driver is too young for are left out. */
function filterOf(query: URLSearchParams, age: number): (offer: SimulatedCarOffer) => boolean {
  const sippCodes = query.get('vehicle_sipp_codes')?.split(',');
  const classCodes = query.get('vehicle_class_codes')?.split(',');
  return ({ car, minAge }) => age >= minAge && (sippCodes?.includes(car.sippCode) ?? true) && (classCodes?.includes(car.classCode) ?? true);
}
