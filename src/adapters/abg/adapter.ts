import type { LocationSearch, SupplierLocation } from '../../model/locations.js';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import {
  type CreateAdapter,
  type SupplierAdapter,
  type SupplierAnswer,
  type SupplierContext,
  SupplierError,
  type SupplierSession,
  type SupplierSettings,
} from '../../model/supplier.js';
import { oneWarning, Warnings } from '../../model/warnings.js';
import { ABG_BOOKING, book, cancel, modify, priceCheck, retrieve } from './bookings.js';
import { mapLocation } from './location-mapping.js';
import { mapOffers } from './offer-mapping.js';
import { type AbgOptions, abgCredentials, abgOptions } from './options.js';
import { readRows, readToken } from './reply.js';
import { ALL_BRANDS, abgDiscounts, locationBrands, locationsCall, tokenCall, vehiclesCall } from './requests.js';
import { group, text } from './wire.js';

/**
 * Searches of Avis Budget Group's Rental Cars API v2 (brands Avis, Budget, Payless); prices and bookings are in
 * bookings.ts. `credentials` are clientId and clientSecret; see `abgOptions` for `options`. Throws a ZodError if either
 * is invalid. Makes one call per brand because codes, classes and rates are scoped to a brand.
 */
export const createAbgAdapter: CreateAdapter = (settings) => {
  const { clientId, clientSecret } = abgCredentials.parse(settings.credentials);
  const options = abgOptions.parse(settings.options);
  const adapter: SupplierAdapter = {
    brandsPerCall: 'one',
    authenticate: (context) => authenticate(clientId, clientSecret, options, context),
    searchLocations: (request, context) => searchLocations(request, context, settings, options),
    searchVehicles: (request, context) => searchVehicles(request, context, options),
    priceCheck: (request, context) => priceCheck(request, context, options),
    book: (request, context) => book(request, context, options),
    retrieve: (key, context) => retrieve(key, context, options),
    modify: (request, context) => modify(request, context, options),
    cancel: (key, context) => cancel(key, context, options),
    booking: ABG_BOOKING,
  };
  return adapter;
};

/** Every product call needs both headers: the bearer token and client_id. */
async function authenticate(
  clientId: string,
  clientSecret: string,
  options: AbgOptions,
  context: SupplierContext,
): Promise<SupplierSession> {
  const answer = await context.http.send(tokenCall(options.tokenPath, clientId, clientSecret), true);
  const { token, expiresInSeconds } = readToken(answer);
  return { headers: { authorization: `Bearer ${token}`, client_id: clientId }, expiresInSeconds };
}

async function searchLocations(
  request: LocationSearch,
  context: SupplierContext,
  settings: SupplierSettings,
  options: AbgOptions,
): Promise<SupplierAnswer<SupplierLocation>> {
  const { keyword } = request;
  if (keyword === undefined)
    return { items: [], warnings: oneWarning('not_sent', 'abg v2 can find locations only by keyword') };
  const brands = locationBrands(request.brands, settings.brands, options);
  const searches = brands.map((brand) => searchOneBrand(brand, keyword, request, context, options));
  const items: SupplierLocation[] = [];
  const warnings = new Warnings();
  // Waits for all calls so that none is left running. If one fails, the search fails, because the other results would
  // look complete.
  for (const outcome of await Promise.allSettled(searches)) {
    if (outcome.status === 'rejected') throw outcome.reason;
    items.push(...outcome.value.items);
    warnings.addAll(outcome.value.warnings);
  }
  return { items, warnings: warnings.list };
}

async function searchOneBrand(
  brand: string,
  keyword: string,
  request: LocationSearch,
  context: SupplierContext,
  options: AbgOptions,
): Promise<SupplierAnswer<SupplierLocation>> {
  const answer = await context.http.send(locationsCall(brand, keyword, request, context.requestId, options), true);
  const { rows, warnings } = readRows(answer, 'locations');
  const items: SupplierLocation[] = [];
  let unreadable: string | undefined;
  let isReadable = false;
  const leaveOut = (index: number, problem: string): void => {
    warnings.add('row_dropped', `locations[${index}] ${problem}`);
    unreadable ??= problem;
  };
  for (let index = 0; index < rows.length; index += 1) {
    const named = text(group(rows[index]).brand);
    const ownBrand =
      brand === ALL_BRANDS
        ? request.brands.find((requested) => requested.toLowerCase() === named?.toLowerCase())
        : brand;
    if (ownBrand === undefined) {
      // ALL also returns brands that this supplier isn't configured to sell; that is expected.
      if (named === undefined) leaveOut(index, 'has no brand');
      else isReadable = true;
      continue;
    }
    const location = mapLocation(rows[index], { brand: ownBrand, countryCode: request.countryCode });
    if (!location) {
      leaveOut(index, 'has no code or no country');
      continue;
    }
    isReadable = true;
    // To ABG, country_code is only a point of sale; the caller meant the country of the location.
    if (request.countryCode === undefined || location.address.countryCode === request.countryCode) items.push(location);
  }
  // "Nothing found" would be wrong.
  if (!isReadable && unreadable !== undefined)
    throw new SupplierError('bad_payload', `no location could be read: the first ${unreadable}`);
  return { items, warnings: warnings.list };
}

async function searchVehicles(
  request: VehicleSearch,
  context: SupplierContext,
  options: AbgOptions,
): Promise<SupplierAnswer<SupplierOffer>> {
  const brand = request.brands[0];
  if (brand === undefined) throw new SupplierError('rejected', 'abg requires a brand', false);
  const pickupCode = request.pickup.supplierCode ?? request.pickup.iataCode;
  const dropoffCode = request.dropoff.supplierCode ?? request.dropoff.iataCode;
  if (pickupCode === undefined || dropoffCode === undefined)
    return { items: [], warnings: oneWarning('not_sent', 'the request has no location code that abg knows') };
  const discounts = abgDiscounts(request.discountCodes);
  const call = vehiclesCall(
    brand,
    pickupCode,
    dropoffCode,
    request,
    discounts,
    context.requestId,
    options.vehiclesPath,
  );
  const { body, rows, warnings } = readRows(await context.http.send(call, true), 'vehicles');
  for (const type of discounts.unused)
    warnings.add('not_sent', `discount code of type ${type} not sent: abg accepts no further code`);
  const items =
    rows.length > 0 ? mapOffers(body, rows, { brand, pickupCode, dropoffCode, discounts, request }, warnings) : [];
  return { items, warnings: warnings.list };
}
