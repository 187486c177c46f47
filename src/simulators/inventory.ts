import { coveragesOf, extrasOf } from './equipment.js';
import { type FleetCar, fleetOf } from './fleet.js';
import { createSiteSearch } from './location-search.js';
import { type LocationSite, locationSites, type SiteOptions } from './location-sites.js';
import { generateLocation } from './locations.js';
import { oneWayDollars } from './one-way.js';
import { isOpenAt, minutesBetween } from './opening-hours.js';
import { localPrice } from './price-level.js';
import { priceOf, type RentalTerms, rentalTerms } from './pricing.js';
import { chanceOf } from './random.js';
import type { Inventory, SimulatedCarOffer, SimulatedLocation, SimulatedRental } from './world.js';

/** A simulator keeps the text of a cached car, 2 KB, and there may be a dozen brands. That's 24 rentals of a large location. */
const MAX_CACHED_CARS = 3_600;
const MAX_CACHED_SEARCHES = 512;

/** Price factors of well-known premium and budget brands; any other brand gets a factor in between from its name. */
const BRAND_FACTORS = new Map([
  ['avis', 1.12],
  ['budget', 0.95],
  ['payless', 0.84],
]);

export interface InventoryOptions extends SiteOptions {
  /** Models at one location, and one on request; absent = all of its fleet, at least 33. */
  readonly carsPerLocation?: number | undefined;
}

/**
 * The inventory of one simulated brand (world.ts): locations at real airports and in their cities, cars, prices.
 * Generates the details of a location on first use and caches recent answers, so that a load run measures the gateway
 * and not the simulator. Leaves out cars whose class requires an older driver; from age 25 there are at least 30.
 */
export function createInventory(options: InventoryOptions): Inventory {
  const { brand, seed, carsPerLocation } = options;
  const brandFactor = BRAND_FACTORS.get(brand.toLowerCase()) ?? 0.88 + chanceOf(seed, `brand ${brand}`) * 0.24;
  let made: Sites | undefined;
  /** Made for the first request, because a start should not wait for thousands of places. */
  const sites = (): Sites => {
    made ??= sitesOf(locationSites(options));
    return made;
  };
  const locations = new Map<string, SimulatedLocation>();
  const stockSeed = Math.floor(chanceOf(seed, `stock ${brand}`) * 0x1_0000_0000);

  function locationByCode(code: string): SimulatedLocation | undefined {
    const known = locations.get(code);
    if (known) return known;
    const site = sites().byCode.get(code);
    if (!site) return undefined;
    const location = generateLocation(site, brand, seed);
    locations.set(code, location);
    return location;
  }

  const fleets = new Map<string, readonly FleetCar[]>();
  function fleetAt(location: SimulatedLocation): readonly FleetCar[] {
    const known = fleets.get(location.code);
    if (known) return known;
    const fleet = fleetOf(location, stockSeed, carsPerLocation);
    fleets.set(location.code, fleet);
    return fleet;
  }

  const carsFor = remembered(
    MAX_CACHED_CARS,
    rentalKey,
    (rental: SimulatedRental): readonly SimulatedCarOffer[] => {
      const oneWay = rentable(rental);
      if (oneWay === undefined) return [];
      const terms = rentalTerms(rental, brandFactor, oneWay, stockSeed);
      return fleetAt(rental.pickup)
        .filter(({ minAge }) => rental.age >= minAge)
        .map((fleetCar) => offerOf(fleetCar, terms));
    },
    (cars) => cars.length,
  );
  const codesFor = remembered(
    MAX_CACHED_SEARCHES,
    ({ keyword, countryCode, limit }: { keyword: string; countryCode: string | undefined; limit: number }) =>
      `${limit}|${countryCode ?? ''}|${keyword}`,
    ({ keyword, countryCode, limit }) =>
      sites()
        .search(keyword, countryCode, limit)
        .map(({ code }) => code),
  );

  return {
    findLocations: (keyword, countryCode, limit) =>
      codesFor({ keyword, countryCode, limit })
        .map(locationByCode)
        .filter((location) => location !== undefined),
    locationByCode,
    carsFor,
    extras: extrasOf,
    coverages: coveragesOf,
  };
}

interface Sites {
  readonly byCode: ReadonlyMap<string, LocationSite>;
  readonly search: ReturnType<typeof createSiteSearch>;
}

function sitesOf(sites: readonly LocationSite[]): Sites {
  return { byCode: new Map(sites.map((site) => [site.code, site])), search: createSiteSearch(sites) };
}

function rentalKey(rental: SimulatedRental): string {
  const { pickup, dropoff, pickupDate, dropoffDate, age } = rental;
  const { pricePercent = 0, discountPercent = 0, additionalDrivers = 0 } = rental;
  return `${pickup.code}|${dropoff.code}|${pickupDate}|${dropoffDate}|${age}|${pricePercent}|${discountPercent}|${additionalDrivers}`;
}

/** Caches recent answers up to `most` parts and evicts the least recently used. Each counts as one part at least. */
function remembered<Q, A>(
  most: number,
  keyOf: (question: Q) => string,
  answer: (question: Q) => A,
  partsOf: (answer: A) => number = () => 1,
): (question: Q) => A {
  const answers = new Map<string, A>();
  let parts = 0;
  const weigh = (value: A): number => Math.max(1, partsOf(value));
  return (question) => {
    const key = keyOf(question);
    const known = answers.get(key);
    const value = known ?? answer(question);
    answers.delete(key);
    answers.set(key, value);
    if (known !== undefined) return value;
    parts += weigh(value);
    for (const [oldest, old] of answers) {
      if (parts <= most) break;
      answers.delete(oldest);
      parts -= weigh(old);
    }
    return value;
  };
}

/**
 * The one-way fee of a rental in dollars; undefined if it is not available because of its dates, opening hours or
 * one-way route.
 */
function rentable({ pickup, dropoff, pickupDate, dropoffDate }: SimulatedRental): number | undefined {
  const isForward = minutesBetween(pickupDate, dropoffDate) > 0;
  if (!isForward || !isOpenAt(pickup.hours, pickupDate)) return undefined;
  if (!dropoff.afterHoursReturn && !isOpenAt(dropoff.hours, dropoffDate)) return undefined;
  return oneWayDollars(pickup, dropoff);
}

function offerOf(fleetCar: FleetCar, terms: RentalTerms): SimulatedCarOffer {
  const { car, depositUsd, minAge } = fleetCar;
  const name = `${terms.location.code} ${car.sippCode}`;
  const unlimited = chanceOf(terms.seed, `distance ${name}`) < 0.82;
  const freeCancellationHours = cancellationHours(chanceOf(terms.seed, `cancellation ${name}`));
  return {
    car,
    price: priceOf(fleetCar, terms),
    unlimitedDistance: unlimited,
    ...(unlimited ? {} : { distancePerDayKm: 250 }),
    deposit: localPrice(depositUsd, terms.currency),
    minAge,
    ...(freeCancellationHours === undefined ? {} : { freeCancellationHours }),
  };
}

function cancellationHours(chance: number): number | undefined {
  if (chance < 0.5) return 48;
  if (chance < 0.75) return 24;
  return chance < 0.87 ? 2 : undefined;
}
