import { decodeSipp, matchesSipp } from '../model/acriss.js';
import { roundedMoney } from '../model/money.js';
import type { DistancePolicy, ListedOffer } from '../model/offers.js';
import { airConditioningOf, electricRangeOf, fuelOf, transmissionOf } from '../model/vehicle-features.js';
import type { FacetName } from './fact-filters.schema.js';
import type { NormalizedSearch } from './normalize-search.js';

/** One filter of a search. */
export interface OfferFilter {
  /** The facet whose counts ignore this filter; undefined = all facets apply it. */
  readonly facet: FacetName | undefined;
  /** False for an offer that doesn't state what the filter is about, or states it in contradictory ways. */
  passes(offer: ListedOffer): boolean;
}

/** The filters of a search, empty if it has none. */
export function filtersOf(search: NormalizedSearch): readonly OfferFilter[] {
  const filters: OfferFilter[] = [];
  const { sippCodes, transmission, fuel, seatsMin, priceMax, currency } = search;
  const add = (facet: FacetName | undefined, passes: OfferFilter['passes']): void =>
    void filters.push({ facet, passes });
  if (sippCodes.length > 0)
    add(undefined, ({ vehicle: { sippCode } }) =>
      sippCode === undefined ? false : sippCodes.some((pattern) => matchesSipp(sippCode, pattern)),
    );
  if (transmission !== undefined) add('transmission', ({ vehicle }) => transmissionOf(vehicle) === transmission);
  if (fuel !== undefined) add('fuel', ({ vehicle }) => fuelOf(vehicle) === fuel);
  if (seatsMin !== undefined) add('seats', ({ vehicle }) => (vehicle.seats ?? 0) >= seatsMin);
  if (search.unlimitedDistance) add('unlimited_distance', isUnlimited);
  if (search.freeCancellation) add('free_cancellation', ({ cancellation }) => cancellation.freeUntil !== undefined);
  if (priceMax !== undefined) add('price', (offer) => isAtMost(priceMax, comparedPrice(offer, currency)));
  if (search.facts) addFacts(search.facts, add);
  return filters;
}

function addFacts(
  facts: NonNullable<NormalizedSearch['facts']>,
  add: (facet: FacetName | undefined, passes: OfferFilter['passes']) => void,
): void {
  const { doorsMin, bagsLargeMin, bagsSmallMin, categories, payments, counters, electricRange } = facts;
  const { distanceIncludedMinKm, freeCancellationUntil } = facts;
  if (facts.airConditioning) add('air_conditioning', ({ vehicle }) => airConditioningOf(vehicle) === true);
  if (doorsMin !== undefined) add('doors', (offer) => (doorsOf(offer) ?? 0) >= doorsMin);
  if (bagsLargeMin !== undefined) add('bags_large', ({ vehicle }) => (vehicle.bagsLarge ?? 0) >= bagsLargeMin);
  if (bagsSmallMin !== undefined) add('bags_small', ({ vehicle }) => (vehicle.bagsSmall ?? 0) >= bagsSmallMin);
  if (categories) add('category', (offer) => isIn(categories, categoryOf(offer)));
  if (payments) add('payment', ({ rate }) => payments.has(rate.payment));
  if (counters) add('counter', ({ pickup }) => isIn(counters, pickup.counter));
  if (electricRange) add('electric_range', ({ vehicle }) => electricRangeOf(vehicle) === electricRange);
  if (distanceIncludedMinKm !== undefined) add(undefined, (offer) => (includedKm(offer) ?? 0) >= distanceIncludedMinKm);
  if (freeCancellationUntil !== undefined)
    add('free_cancellation', ({ cancellation: { freeUntil } }) => (freeUntil ?? '') >= freeCancellationUntil);
}

function isIn<T>(values: ReadonlySet<T>, value: T | null | undefined): boolean {
  return value !== undefined && value !== null && values.has(value);
}

/** The category of the SIPP code; undefined if there is none, or its letter is unknown. */
export function categoryOf({ vehicle: { sippCode } }: ListedOffer) {
  return sippCode === undefined ? undefined : (decodeSipp(sippCode)?.category ?? undefined);
}

/** The doors, or the lower number of a range; undefined if unknown. */
export function doorsOf({ vehicle: { doors } }: ListedOffer): number | undefined {
  return typeof doors === 'string' ? Number.parseInt(doors, 10) : doors;
}

/** Whether a policy of the offer is known to be unlimited. */
export function isUnlimited({ distancePolicy }: ListedOffer): boolean {
  return distancePolicy.some(({ unlimited }) => unlimited);
}

/** The price that filters compare: in the requested currency, or that of the offer. Undefined if no rate is known. */
export function comparedPrice({ price }: ListedOffer, currency: string | undefined) {
  return currency === undefined ? price.total : price.display;
}

function isAtMost(priceMax: string, price: ReturnType<typeof comparedPrice>): boolean {
  return price !== undefined && price.amountMinor <= (roundedMoney(priceMax, price.currency)?.amountMinor ?? -1);
}

const KM_PER_MILE = 1.609344;
const DAYS: Readonly<Record<NonNullable<DistancePolicy['per']>, number | undefined>> = {
  rental: undefined,
  hour: 1 / 24,
  day: 1,
  week: 7,
  month: 30,
};

/**
 * The kilometers that the complete rental includes, `Infinity` if unlimited; of several limits the lowest. A started week
 * or month counts in proportion, so that no offer seems to include more than it does. Undefined if unknown.
 */
export function includedKm(offer: ListedOffer): number | undefined {
  if (isUnlimited(offer)) return Number.POSITIVE_INFINITY;
  const limits = offer.distancePolicy.flatMap(({ included, per }) => {
    if (!included || per === undefined) return [];
    const days = DAYS[per];
    const times = days === undefined ? 1 : offer.rentalDays / days;
    return [included.value * times * (included.unit === 'mi' ? KM_PER_MILE : 1)];
  });
  return limits.length > 0 ? Math.min(...limits) : undefined;
}
