import type { RentalRequest } from '../../booking-models.js';
import type { LocationSearch, SupplierLocation, SupplierOffer, VehicleSearch } from '../../models.js';
import { type CreateAdapter, type SupplierAdapter, type SupplierAnswer, SupplierError } from '../../supplier.js';
import { book, cancel, retrieve } from './booking.js';
import { mapStation } from './location-mapping.js';
import { mapOffers } from './offer-mapping.js';
import { holdBrands, holdCredentials, holdOptions } from './options.js';
import { readReply, readReplyUnless } from './reply.js';
import { availabilityBody, type HoldApi, openApi, pricesBody, stationsPath } from './requests.js';
import { stationsWire, stationWire, vehiclesWire } from './wire.js';

/** Refusals that answer a search: there is nothing to be had. */
const NOTHING_THERE = ['SOLD_OUT', 'UNKNOWN_STATION', 'STATION_CLOSED'];

/**
 * The hold-rest dialect: JSON over HTTP with an API key, bookings in two steps (a hold, then its confirmation), no changes. A supplier of
 * it has one brand. `credentials`: apiKey; `options`: none. Throws a ZodError when any of these does not fit.
 */
export const createHoldRestAdapter: CreateAdapter = (settings) => {
  const [brand] = holdBrands.parse(settings.brands);
  const { apiKey } = holdCredentials.parse(settings.credentials);
  holdOptions.parse(settings.options);
  const adapter: SupplierAdapter = {
    brandsPerCall: 'many',
    searchLocations: (request, context) => searchLocations(request, brand, openApi(apiKey, context)),
    searchVehicles: (request, context) => searchVehicles(request, brand, openApi(apiKey, context)),
    priceCheck: (request, context) => priceCheck(request, brand, openApi(apiKey, context)),
    book: (request, context) => book(request, openApi(apiKey, context)),
    retrieve: (key, context) => retrieve(key, openApi(apiKey, context)),
    cancel: (key, context) => cancel(key, openApi(apiKey, context)),
    booking: {
      findsByReference: true,
      takesCards: false,
      takesVouchers: false,
      takesExtras: true,
      takesCoverages: true,
      changes: [],
    },
  };
  return adapter;
};

async function searchLocations(request: LocationSearch, brand: string, api: HoldApi): Promise<SupplierAnswer<SupplierLocation>> {
  const { keyword } = request;
  if (keyword === undefined) return { items: [], warnings: ['hold-rest finds stations by words only'] };
  const { stations } = readReply(await api('GET', stationsPath(keyword, request), { repeatable: true }), stationsWire);
  const items: SupplierLocation[] = [];
  const warnings: string[] = [];
  for (const [index, row] of stations.entries()) {
    const read = stationWire.safeParse(row);
    if (read.success) items.push(mapStation(read.data, brand));
    else warnings.push(`stations[${index}] is unreadable: ${read.error.issues[0]?.path.join('.')}`);
  }
  if (items.length === 0 && warnings.length > 0) throw new SupplierError('bad_payload', `no station is readable: ${warnings[0]}`);
  return { items, warnings };
}

async function searchVehicles(request: VehicleSearch, brand: string, api: HoldApi): Promise<SupplierAnswer<SupplierOffer>> {
  const pickup = request.pickup.supplierCode ?? request.pickup.iataCode;
  const dropoff = request.dropoff.supplierCode ?? request.dropoff.iataCode;
  if (pickup === undefined || dropoff === undefined) return { items: [], warnings: ['no station code that the supplier would know'] };
  const answer = await api('POST', '/availability', { body: availabilityBody(pickup, dropoff, request), repeatable: true });
  const found = readReplyUnless(answer, NOTHING_THERE, vehiclesWire);
  const { pickupDate, dropoffDate } = request;
  return found ? mapOffers(found, { brand, pickupDate, dropoffDate }) : { items: [], warnings: [] };
}

async function priceCheck(request: RentalRequest, brand: string, api: HoldApi): Promise<SupplierAnswer<SupplierOffer>> {
  const answer = await api('POST', '/prices', { body: pricesBody(request), repeatable: true });
  const { pickupDate, dropoffDate } = request;
  const priced = mapOffers(readReply(answer, vehiclesWire), { brand, pickupDate, dropoffDate });
  if (priced.items.length > 1) throw new SupplierError('bad_payload', 'one rate was asked for and several were priced');
  return priced;
}
