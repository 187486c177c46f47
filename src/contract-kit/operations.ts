import type {
  BookingKey,
  BookRequest,
  CancelResult,
  ModifyRequest,
  RentalRequest,
  SupplierBooking,
} from '../model/bookings.js';
import type { LocationDetails, LocationDetailsRequest } from '../model/location-details.js';
import type { LocationSearch, SupplierLocation } from '../model/locations.js';
import type { SupplierOffer, VehicleSearch } from '../model/offers.js';
import type { Operation, SupplierAdapter, SupplierContext } from '../model/supplier.js';

/** The argument of each operation. */
export interface Questions {
  readonly searchLocations: LocationSearch;
  readonly searchVehicles: VehicleSearch;
  readonly priceCheck: RentalRequest;
  readonly book: BookRequest;
  readonly retrieve: BookingKey;
  readonly modify: ModifyRequest;
  readonly cancel: BookingKey;
  readonly locationDetails: LocationDetailsRequest;
}

/** The items that each operation returns; `book`, `modify` and `cancel` return one. */
export interface Findings {
  readonly searchLocations: SupplierLocation;
  readonly searchVehicles: SupplierOffer;
  readonly priceCheck: SupplierOffer;
  readonly book: SupplierBooking;
  readonly retrieve: SupplierBooking;
  readonly modify: SupplierBooking;
  readonly cancel: CancelResult;
  readonly locationDetails: LocationDetails;
}

type Ask = {
  readonly [O in Operation]: (
    adapter: SupplierAdapter,
    question: Questions[O],
    context: SupplierContext,
  ) => Promise<readonly Findings[O][]>;
};

const ASK: Ask = {
  searchLocations: async (adapter, question, context) =>
    (await has(adapter.searchLocations?.(question, context))).items,
  searchVehicles: async (adapter, question, context) => (await has(adapter.searchVehicles?.(question, context))).items,
  priceCheck: async (adapter, question, context) => (await has(adapter.priceCheck?.(question, context))).items,
  book: async (adapter, question, context) => [await has(adapter.book?.(question, context))],
  retrieve: async (adapter, question, context) => (await has(adapter.retrieve?.(question, context))).items,
  modify: async (adapter, question, context) => [await has(adapter.modify?.(question, context))],
  cancel: async (adapter, question, context) => [await has(adapter.cancel?.(question, context))],
  locationDetails: async (adapter, question, context) =>
    (await has(adapter.locationDetails?.(question, context))).items,
};

/** Calls one operation of the adapter. Rejects as the adapter does. */
export function ask<O extends Operation>(
  adapter: SupplierAdapter,
  operation: O,
  question: Questions[O],
  context: SupplierContext,
): Promise<readonly Findings[O][]> {
  return ASK[operation](adapter, question, context);
}

function has<T>(asked: T | undefined): T {
  if (asked === undefined) throw new Error('the adapter does not have this operation');
  return asked;
}
