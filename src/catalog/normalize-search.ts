import type { DiscountCode, Loyalty } from '../model/offers.js';
import { ageOn, ageProblem } from '../offers/driver-age.js';
import { type BrandOwner, isProblem, type PlaceSettings, type ResolvedPlace } from '../offers/resolve-place.js';
import { toLocal } from '../places/places.js';
import { ANYWHERE } from '../places/zone-of.js';
import type { SearchKey } from '../representations/offer-id.js';
import { MAGIC_COUNTRY } from '../sandbox/magic-places.js';
import { ApiError, type Problem } from '../status/api-error.js';
import type { Scoped } from '../suppliers/scoped-codes.js';
import { placesEcho, placesOf } from './circle-places.js';
import { factProblems, factsEcho, factsOf, type SearchFacts } from './fact-filters.js';
import { type ScopeTarget, scopeProblems } from './scope-problems.js';
import type { VehiclesBody, VehiclesQuery } from './vehicles.schema.js';

/** A normalized availability search with all defaults filled in. */
export interface NormalizedSearch extends SearchFacts {
  readonly pickup: ResolvedPlace;
  readonly dropoff: ResolvedPlace;
  readonly pickupDate: string;
  readonly dropoffDate: string;
  readonly countryCode: string;
  readonly age: number;
  readonly dateOfBirth?: string;
  /** As configured; undefined = all. */
  readonly brands: readonly string[] | undefined;
  readonly currency?: string;
  readonly sippCodes: readonly string[];
  readonly transmission?: 'manual' | 'automatic';
  readonly fuel?: 'petrol' | 'diesel' | 'hybrid' | 'electric';
  readonly seatsMin?: number;
  readonly unlimitedDistance: boolean;
  readonly freeCancellation: boolean;
  readonly priceMax?: string;
  readonly sortBy: 'price_total' | 'price_due_now' | 'distance' | 'supplier';
  readonly maxResults: number;
  /** Offers per page; undefined = the answer has all of them. */
  readonly pageSize?: number;
  readonly timeoutMs?: number;
  readonly minSuppliers: number;
  readonly discountCodes: readonly Scoped<DiscountCode>[];
  readonly loyalty: readonly Scoped<Loyalty>[];
  readonly additionalDrivers: number;
}

/** The settings and context of `normalize`. */
export interface NormalizeSettings extends PlaceSettings {
  readonly now: number;
  readonly brands: readonly string[] | undefined;
  readonly owner: BrandOwner | undefined;
  /** To which codes and memberships can be scoped, in answer order. */
  readonly suppliers: readonly ScopeTarget[];
  readonly maxResults: number;
  readonly defaultResults: number;
  readonly timeoutMs: { readonly min: number; readonly max: number };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Fills in defaults and performs the checks that a schema cannot express: places, dates against the local time at the
 * pickup location, configured bounds (ruling 27: 1 hour to 330 days, pickup within 540 days). Throws ApiError with one
 * problem per invalid field.
 */
export function normalize(input: VehiclesQuery | VehiclesBody, context: NormalizeSettings): NormalizedSearch {
  const problems: Problem[] = [];
  const { pickup, dropoff } = placesOf(input, context.owner, context);
  for (const place of new Set([pickup, dropoff])) if (isProblem(place)) problems.push(place);
  problems.push(
    ...dateProblems(
      input.pickup_date,
      input.dropoff_date,
      isProblem(pickup) ? ANYWHERE : pickup.timeZones,
      context.now,
    ),
  );
  const dateOfBirth = 'date_of_birth' in input ? input.date_of_birth : undefined;
  const age = dateOfBirth === undefined ? (input.age ?? 35) : ageOn(input.pickup_date, dateOfBirth);
  const tooYoungOrOld = ageProblem(age, 'date_of_birth');
  if (tooYoungOrOld) problems.push(tooYoungOrOld);
  if (!isProblem(pickup) && pickup.ref.countryCode === '' && input.country_code === undefined) {
    const details =
      '"country_code" is required with a supplier\'s own location code, because the country of the location is unknown.';
    problems.push({ reason: 'invalid_request', field: 'country_code', details });
  }
  const { min, max } = context.timeoutMs;
  if (input.timeout_ms !== undefined && (input.timeout_ms < min || input.timeout_ms > max)) {
    problems.push({
      reason: 'invalid_range',
      field: 'timeout_ms',
      details: `"timeout_ms" must be between ${min} and ${max}.`,
    });
  }
  if (input.max_results !== undefined && input.max_results > context.maxResults) {
    problems.push({
      reason: 'invalid_range',
      field: 'max_results',
      details: `"max_results" must be at most ${context.maxResults}.`,
    });
  }
  problems.push(...factProblems(input, context.suppliers));
  const body =
    'discount_codes' in input || 'loyalty' in input || 'additional_drivers' in input
      ? (input as VehiclesBody)
      : undefined;
  if (body) problems.push(...scopeProblems(body, context.suppliers));
  const [first, ...rest] = problems;
  if (first || isProblem(pickup) || isProblem(dropoff))
    throw new ApiError([first ?? { reason: 'invalid_range' }, ...rest]);
  return {
    pickup,
    dropoff,
    pickupDate: input.pickup_date,
    dropoffDate: input.dropoff_date,
    countryCode: input.country_code ?? (pickup.ref.countryCode === MAGIC_COUNTRY ? 'US' : pickup.ref.countryCode),
    age,
    ...(dateOfBirth === undefined ? {} : { dateOfBirth }),
    brands: context.brands,
    ...(input.currency === undefined ? {} : { currency: input.currency }),
    sippCodes: input.vehicle_sipp_codes ?? [],
    ...(input.transmission === undefined ? {} : { transmission: input.transmission }),
    ...(input.fuel === undefined ? {} : { fuel: input.fuel }),
    ...(input.seats_min === undefined ? {} : { seatsMin: input.seats_min }),
    unlimitedDistance: input.unlimited_distance ?? false,
    freeCancellation: input.free_cancellation ?? false,
    ...factsOf(input),
    ...(input.price_max === undefined ? {} : { priceMax: input.price_max }),
    sortBy: input.sort_by,
    maxResults: input.max_results ?? (input.page_size === undefined ? context.defaultResults : context.maxResults),
    ...(input.page_size === undefined ? {} : { pageSize: input.page_size }),
    ...(input.timeout_ms === undefined ? {} : { timeoutMs: input.timeout_ms }),
    minSuppliers: input.min_suppliers ?? 0,
    discountCodes: (body?.discount_codes ?? []).map(({ type, value, supplier }) => ({
      type,
      value,
      ...(supplier === undefined ? {} : { supplier }),
    })),
    loyalty: (body?.loyalty ?? []).map(({ program, number, supplier }) => ({
      ...(program === undefined ? {} : { program }),
      number,
      ...(supplier === undefined ? {} : { supplier }),
    })),
    additionalDrivers: body?.additional_drivers ?? 0,
  };
}

function dateProblems(pickupDate: string, dropoffDate: string, timeZones: readonly string[], now: number): Problem[] {
  const problems: Problem[] = [];
  // Without a known time zone, the bound is the earliest clock that the location may have.
  const here = timeZones.map((zone) => toLocal(now, zone)).reduce((one, other) => (one < other ? one : other));
  const pickup = Date.parse(`${pickupDate}Z`);
  const length = Date.parse(`${dropoffDate}Z`) - pickup;
  const range = (field: string, details: string): void => {
    problems.push({ reason: 'invalid_range', field, details });
  };
  if (pickupDate < here)
    range('pickup_date', `"pickup_date" is in the past: the local time at the location is ${here}.`);
  else if (pickup - Date.parse(`${here}Z`) > 540 * DAY_MS)
    range('pickup_date', '"pickup_date" must be within the next 540 days.');
  if (length <= 0) range('dropoff_date', '"dropoff_date" must be after "pickup_date".');
  else if (length < HOUR_MS) range('dropoff_date', 'A rental must last at least 1 hour.');
  else if (length > 330 * DAY_MS) range('dropoff_date', 'A rental must last at most 330 days.');
  return problems;
}

/** The part of the search that offer ids contain. */
export function searchKeyOf({
  pickup,
  dropoff,
  pickupDate,
  dropoffDate,
  countryCode,
  age,
}: NormalizedSearch): SearchKey {
  return [pickup.given, dropoff.given, pickupDate, dropoffDate, countryCode, age];
}

/** The search as echoed in `request`: snake_case, defaults filled in, no personal data (memberships without their numbers). */
export function requestEcho(search: NormalizedSearch): Record<string, unknown> {
  return {
    ...placesEcho(search.pickup, search.dropoff),
    pickup_date: search.pickupDate,
    dropoff_date: search.dropoffDate,
    country_code: search.countryCode,
    age: search.age,
    brand: search.brands,
    currency: search.currency,
    vehicle_sipp_codes: search.sippCodes.length > 0 ? search.sippCodes : undefined,
    transmission: search.transmission,
    fuel: search.fuel,
    seats_min: search.seatsMin,
    unlimited_distance: search.unlimitedDistance || undefined,
    free_cancellation: search.freeCancellation || undefined,
    ...factsEcho(search),
    price_max: search.priceMax,
    sort_by: search.sortBy,
    max_results: search.maxResults,
    page_size: search.pageSize,
    timeout_ms: search.timeoutMs,
    min_suppliers: search.minSuppliers || undefined,
    discount_codes: search.discountCodes.length > 0 ? search.discountCodes : undefined,
    loyalty:
      search.loyalty.length > 0 ? search.loyalty.map(({ program, supplier }) => ({ program, supplier })) : undefined,
    additional_drivers: search.additionalDrivers || undefined,
  };
}
