import type { LocationSearch } from '../../model/locations.js';
import type { DiscountCode, VehicleSearch } from '../../model/offers.js';
import type { SupplierHttpCall } from '../../model/supplier.js';
import type { AbgOptions } from './options.js';

/** Value that searches all brands in one keyword search; no other operation accepts it. */
export const ALL_BRANDS = 'ALL';

const ACCEPT_JSON = { accept: 'application/json' };

/** The token call: a GET whose headers carry the credentials; it has no body. */
export function tokenCall(path: string, clientId: string, clientSecret: string): SupplierHttpCall {
  return { method: 'GET', path, headers: { ...ACCEPT_JSON, client_id: clientId, client_secret: clientSecret } };
}

/**
 * The brand values for the calls of a location search: ALL if every configured brand is requested, otherwise one per
 * brand.
 */
export function locationBrands(
  requested: readonly string[],
  configured: readonly string[],
  options: AbgOptions,
): readonly string[] {
  const everyBrand = requested.length > 1 && configured.every((brand) => requested.includes(brand));
  return everyBrand && options.locationBrands === 'all_at_once' ? [ALL_BRANDS] : requested;
}

/** The keyword search for one brand value. country_code is always sent. */
export function locationsCall(
  brand: string,
  keyword: string,
  request: LocationSearch,
  requestId: string,
  options: AbgOptions,
): SupplierHttpCall {
  return get(options.locationsPath, [
    ['brand', brand],
    ['country_code', request.countryCode ?? options.fallbackCountryCode],
    ['keyword', keyword],
    ['transaction_id', requestId],
  ]);
}

/** The codes that a search may carry: one per kind, because ABG accepts no more. */
export interface AbgDiscounts {
  readonly discountCode?: string;
  readonly couponCode?: string;
  readonly iataNumber?: string;
  /** Types of the codes that could not be sent. */
  readonly unused: readonly DiscountCode['type'][];
}

/**
 * Sorts a caller's codes into ABG's three parameters: corporate → discount_code, coupon or promo → coupon_code, iata →
 * iata_number.
 */
export function abgDiscounts(codes: readonly DiscountCode[]): AbgDiscounts {
  let discountCode: string | undefined;
  let couponCode: string | undefined;
  let iataNumber: string | undefined;
  const unused: DiscountCode['type'][] = [];
  for (const { type, value } of codes) {
    if (type === 'corporate' && discountCode === undefined) discountCode = value;
    else if ((type === 'coupon' || type === 'promo') && couponCode === undefined) couponCode = value;
    else if (type === 'iata' && iataNumber === undefined) iataNumber = value;
    else unused.push(type);
  }
  return {
    ...(discountCode !== undefined && { discountCode }),
    ...(couponCode !== undefined && { couponCode }),
    ...(iataNumber !== undefined && { iataNumber }),
    unused,
  };
}

/** The vehicle search for one brand. Birth date and last name stay out of the URL; the age gives the same price. */
export function vehiclesCall(
  brand: string,
  pickupCode: string,
  dropoffCode: string,
  request: VehicleSearch,
  discounts: AbgDiscounts,
  requestId: string,
  path: string,
): SupplierHttpCall {
  return get(path, [
    ['brand', brand],
    ['pickup_date', request.pickupDate],
    ['pickup_location', pickupCode],
    ['dropoff_date', request.dropoffDate],
    ['dropoff_location', dropoffCode],
    ['country_code', request.countryCode],
    ['age', String(request.age)],
    ['discount_code', discounts.discountCode],
    ['coupon_code', discounts.couponCode],
    ['iata_number', discounts.iataNumber],
    ['membership_code', request.loyalty[0]?.number],
    ['requested_rate_currency', request.currency],
    ['vehicle_sipp_codes', exactSippCodes(request.sippCodes)],
    ['transaction_id', requestId],
  ]);
}

/** The filter that ABG supports: complete codes only. If any code has a wildcard, the gateway filters instead. */
function exactSippCodes(codes: readonly string[]): string | undefined {
  if (codes.length === 0) return undefined;
  for (const code of codes) if (code.includes('?')) return undefined;
  return codes.join(',');
}

/** A GET with the parameters that have a value, in order. */
export function get(
  path: string,
  parameters: readonly (readonly [name: string, value: string | undefined])[],
): SupplierHttpCall {
  let query = '';
  for (const [name, value] of parameters) {
    if (value !== undefined) query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return { method: 'GET', path: path + query, headers: ACCEPT_JSON };
}
