import type { LocationSearch, SupplierLocation } from '../../model/locations.js';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import type {
  CreateAdapter,
  SupplierAdapter,
  SupplierAnswer,
  SupplierContext,
  SupplierHttpAnswer,
} from '../../model/supplier.js';
import { allWarnings, oneWarning, Warnings } from '../../model/warnings.js';
import { bookingOperations } from './bookings.js';
import { NO_CARS, NO_LOCATIONS } from './empty-answers.js';
import { placeAttributes } from './location-codes.js';
import { locationDetailsRequest, mapLocationDetails } from './location-details.js';
import { mapLocations, matchedLocations } from './location-mapping.js';
import type { RequestSetting } from './message.js';
import { hasVehicles, mapOffers } from './offer-mapping.js';
import { otaOptionsSchema } from './options.js';
import { readReply } from './reply.js';
import { type Criterion, locationRequest, vehiclesRequest } from './requests.js';
import { requireCredentials, transportOf } from './transport.js';
import { createVendors } from './vendors.js';
import { child } from './wire.js';

/**
 * The ota-xml dialect: OpenTravel 2011B-style messages over HTTP POST (docs/trade.md#ota-messages). One availability
 * call covers all brands; location searches make one call per brand. The credentials `requestorId` and `password` are
 * optional. Throws a ZodError for invalid options.
 */
export const createOtaXmlAdapter: CreateAdapter = (settings): SupplierAdapter => {
  const options = otaOptionsSchema.superRefine(requireCredentials(settings.credentials)).parse(settings.options);
  const { headers, usernameToken } = transportOf(options, settings.credentials);
  const vendors = createVendors(settings.brands, options);
  const setting: RequestSetting = {
    options,
    vendors,
    requestorId: settings.credentials.requestorId,
    password: settings.credentials.password,
    usernameToken,
  };

  async function searchBrand(
    brand: string,
    request: LocationSearch,
    context: SupplierContext,
  ): Promise<SupplierAnswer<SupplierLocation>> {
    const warnings = new Warnings();
    let locations: SupplierLocation[] = [];
    for (const criterion of criteriaOf(request)) {
      const answer = await post(
        options.paths.locations,
        locationRequest(brand, criterion, request, context, setting),
        context,
        true,
      );
      const reply = readReply(answer, {
        message: 'OTA_VehLocSearchRS',
        hasData: (root) => matchedLocations(root).length > 0,
        errorCodes: options.errorCodes,
        emptyShape: NO_LOCATIONS,
        namespace: options.namespace,
      });
      const requested = { brands: [brand], countryCode: request.countryCode };
      warnings.addAll(reply.warnings);
      locations = reply.root ? mapLocations(reply.root, requested, vendors, options, warnings) : [];
      if (locations.length > 0) break;
    }
    return { items: locations, warnings: warnings.list };
  }

  function post(
    path: string,
    body: string,
    context: SupplierContext,
    repeatable: boolean,
  ): Promise<SupplierHttpAnswer> {
    return context.http.send({ method: 'POST', path, headers, body, gzip: options.gzip }, repeatable);
  }

  return {
    brandsPerCall: 'many',

    async searchLocations(request, context) {
      const answers = await Promise.all(request.brands.map((brand) => searchBrand(brand, request, context)));
      return { items: answers.flatMap((answer) => answer.items), warnings: allWarnings(answers) };
    },

    async searchVehicles(request: VehicleSearch, context: SupplierContext): Promise<SupplierAnswer<SupplierOffer>> {
      const pickup = placeAttributes(request.pickup, options.locationCode);
      const dropoff = placeAttributes(request.dropoff, options.locationCode);
      if (!pickup || !dropoff)
        return { items: [], warnings: oneWarning('not_sent', 'the supplier has no known code for the place') };
      const answer = await post(
        options.paths.vehicles,
        vehiclesRequest(request, pickup, dropoff, context, setting),
        context,
        true,
      );
      const warnings = new Warnings();
      const reply = readReply(answer, {
        message: 'OTA_VehAvailRateRS',
        hasData: hasVehicles,
        errorCodes: options.errorCodes,
        emptyShape: NO_CARS,
        namespace: options.namespace,
      });
      warnings.addAll(reply.warnings);
      const offers = reply.root ? mapOffers(reply.root, request, vendors, options, warnings) : [];
      return { items: offers, warnings: warnings.list };
    },

    async locationDetails(request, context) {
      const place = placeAttributes(request.location, options.locationCode);
      if (!place)
        return { items: [], warnings: oneWarning('not_sent', 'the supplier has no known code for the place') };
      const body = locationDetailsRequest(request, place, context, setting);
      const reply = readReply(await post(options.paths.locations, body, context, true), {
        message: 'OTA_VehLocDetailRS',
        hasData: (root) => child(root, 'LocationDetail') !== undefined,
        errorCodes: options.errorCodes,
        emptyShape: { Vendor: 'any' },
        namespace: options.namespace,
      });
      const warnings = new Warnings();
      warnings.addAll(reply.warnings);
      const details = reply.root ? [mapLocationDetails(reply.root, request, options, warnings)] : [];
      return { items: details, warnings: warnings.list };
    },

    ...bookingOperations(setting, post),
  };
};

/**
 * How a keyword is searched: coordinates as such; a word that looks like a code (three letters, or with a digit: LHR,
 * HD3, BOST01) first as a code and, if that finds nothing and it may be a name, as a city.
 */
function criteriaOf(request: LocationSearch): Criterion[] {
  if (request.near) return [{ by: 'position', ...request.near }];
  const keyword = request.keyword?.trim() ?? '';
  const code: Criterion = { by: 'code', code: keyword.toUpperCase() };
  const city: Criterion = { by: 'city', name: keyword, countryCode: request.countryCode };
  if (/^[a-z]{3}$/i.test(keyword)) return [code, city];
  return /^(?=.*\d)[a-z0-9]{2,8}$/i.test(keyword) ? [code] : [city];
}
