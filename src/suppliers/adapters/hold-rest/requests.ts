import type { BookRequest, Driver, RentalRequest } from '../../booking-models.js';
import type { LocationSearch, VehicleSearch } from '../../models.js';
import { formatAmount } from '../../money.js';
import { type SupplierContext, SupplierError, type SupplierHttpAnswer, type SupplierHttpCall } from '../../supplier.js';

/** Calls one path below /v1, with a JSON body where one is given. Reads may be repeated by the engine, writes never are. */
export type HoldApi = (
  method: SupplierHttpCall['method'],
  path: string,
  how: { readonly body?: object; readonly repeatable: boolean },
) => Promise<SupplierHttpAnswer>;

/** The supplier's API within one operation. */
export function openApi(apiKey: string, { http, requestId }: SupplierContext): HoldApi {
  const headers = { accept: 'application/json', 'x-api-key': apiKey, 'x-request-id': requestId };
  return (method, path, { body, repeatable }) =>
    http.send(
      {
        method,
        path: `/v1${path}`,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
      repeatable,
    );
}

/** Path of a search for stations by words. */
export function stationsPath(keyword: string, { countryCode }: LocationSearch): string {
  const country = countryCode === undefined ? '' : `&country=${encodeURIComponent(countryCode)}`;
  return `/stations?q=${encodeURIComponent(keyword)}${country}`;
}

/** Body of POST /availability. */
export function availabilityBody(pickup: string, dropoff: string, request: VehicleSearch): object {
  return {
    pickup: { station: pickup, at: request.pickupDate },
    dropoff: { station: dropoff, at: request.dropoffDate },
    driver: { age: request.age, country: request.countryCode },
  };
}

/** Body of POST /prices. Throws SupplierError rejected (invalid_rate), unsent, for a ref that holds no rate. */
export function pricesBody(request: RentalRequest): object {
  return { rateId: rateIdOf(request), driver: { age: request.age, country: request.countryCode }, ...chosenOf(request) };
}

/** Body of POST /holds; throws as `pricesBody`. The total accepted goes along: a dearer car is then refused by the supplier itself. */
export function holdBody(request: BookRequest): object {
  const { total, arrival } = request;
  return {
    reference: request.reference,
    rateId: rateIdOf(request),
    expectedTotal: { amount: formatAmount(total), currency: total.currency },
    driver: { ...driverOf(request.driver), age: request.age, country: request.countryCode },
    additionalDrivers: request.additionalDrivers,
    ...(arrival && { flight: { carrier: arrival.carrierCode, number: arrival.flightNumber, arrivesAt: arrival.arrivesAt } }),
    remark: request.remark,
    latePickup: request.pickupLater,
    notifyDriver: request.notifyCustomer,
    ...chosenOf(request),
  };
}

function rateIdOf({ ref }: RentalRequest): string {
  const { rateId } = ref;
  if (typeof rateId === 'string') return rateId;
  throw new SupplierError('rejected', 'the offer holds no rate of this supplier', false, { refusal: 'invalid_rate' });
}

function chosenOf({ extras, coverages }: RentalRequest): object {
  return { extras: extras.map(({ code, quantity }) => ({ code, quantity })), protections: coverages };
}

function driverOf({ licence, address, ...driver }: Driver): object {
  return {
    firstName: driver.firstName,
    lastName: driver.lastName,
    email: driver.email,
    phone: driver.phone,
    dateOfBirth: driver.dateOfBirth,
    licence: licence && { number: licence.number, country: licence.countryCode, region: licence.region },
    address: address && {
      lines: address.lines,
      city: address.city,
      region: address.region,
      postalCode: address.postalCode,
      country: address.countryCode,
    },
    loyalty: driver.loyalty,
  };
}
