import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { catalogViewOf } from '../catalog/catalog-view.js';
import { normalize, searchKeyOf } from '../catalog/normalize-search.js';
import { type VehiclesBody, vehiclesBody } from '../catalog/vehicles.schema.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { locationsQuery } from '../locations/locations.schema.js';
import type { RentalRequest } from '../model/bookings.js';
import type { PlaceRef } from '../model/locations.js';
import type { SupplierOffer } from '../model/offers.js';
import {
  OPERATIONS,
  type Operation,
  type SupplierAdapter,
  type SupplierAnswer,
  type SupplierContext,
} from '../model/supplier.js';
import type { Warning } from '../model/warnings.js';
import { LocationFactsCache, locationView } from '../representations/location-view.js';
import type { SearchKey } from '../representations/offer-id.js';
import { OfferViews } from '../representations/offer-view.js';
import { ApiError } from '../status/api-error.js';
import { wantedBrands } from '../suppliers/brands.js';
import { searchForCall } from '../suppliers/scoped-codes.js';
import {
  bookingKey,
  bookRequest,
  locationDetailsRequest,
  modifyRequest,
  rentalRequest,
} from './adapter-request.schema.js';

/** Seals ids for display only. No gateway uses this key. */
const KEY = createSecretKey(Buffer.alloc(32, 'adapter try'));
const DAY_MS = 86_400_000;

/** The result of an operation: the gateway's model as JSON text under one name, and the number of items. */
export interface Result {
  readonly json: string;
  readonly count: number;
  readonly warnings: readonly Warning[];
}

/** One operation, ready to run with any context. Rejects as the adapter does. */
export interface Plan {
  readonly operation: Operation;
  /** The parsed request. */
  readonly request: unknown;
  run(context: SupplierContext): Promise<Result>;
}

/**
 * Reads the request file of an operation. Searches take an API request: the query of /cars/locations/v1/ or the body of
 * /cars/catalog/v1/vehicles. Other operations take a request of the gateway's model. Throws an Error that names the
 * file and its problems, or lists the supported operations.
 */
export function planFrom(file: string, adapter: SupplierAdapter, config: SupplierConfig, name: string): Plan {
  const known = OPERATIONS.filter((operation) => adapter[operation] !== undefined);
  const operation = known.find((one) => one === name);
  if (!operation) throw new Error(`the adapter of ${config.id} has no operation "${name}"; it has ${known.join(', ')}`);
  const input = readJson(file);
  try {
    return { operation, ...PLANS[operation](adapter, config, input) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new Error(
      `${file}: ${error.problems.map((problem) => `${problem.field ?? 'request'}: ${problem.details}`).join('; ')}`,
    );
  }
}

type Planned = Omit<Plan, 'operation'>;

const PLANS: {
  readonly [O in Operation]: (adapter: SupplierAdapter, config: SupplierConfig, input: unknown) => Planned;
} = {
  searchLocations: planLocations,
  searchVehicles: planVehicles,
  priceCheck: (adapter, config, input) => {
    const request = read(rentalRequest, input);
    return {
      request,
      run: async (context) =>
        offersResult(config, searchOf(request), await found(adapter.priceCheck?.(request, context))),
    };
  },
  book: (adapter, _config, input) => {
    const request = read(bookRequest, input);
    return { request, run: async (context) => one('booking', await adapter.book?.(request, context)) };
  },
  retrieve: (adapter, _config, input) => {
    const request = read(bookingKey, input);
    return {
      request,
      run: async (context) => {
        const answer = await found(adapter.retrieve?.(request, context));
        return result('bookings', answer, answer.items);
      },
    };
  },
  modify: (adapter, _config, input) => {
    const request = read(modifyRequest, input);
    return { request, run: async (context) => one('booking', await adapter.modify?.(request, context)) };
  },
  cancel: (adapter, _config, input) => {
    const request = read(bookingKey, input);
    return { request, run: async (context) => one('cancellation', await adapter.cancel?.(request, context)) };
  },
  locationDetails: (adapter, _config, input) => {
    const request = read(locationDetailsRequest, input);
    return {
      request,
      run: async (context) => {
        const answer = await found(adapter.locationDetails?.(request, context));
        return result('location_details', answer, answer.items);
      },
    };
  },
};

function planLocations(adapter: SupplierAdapter, config: SupplierConfig, input: unknown): Planned {
  const query = new SchemaPipe(locationsQuery, 'body').transform(asTexts(input));
  const facts = new LocationFactsCache(KEY);
  const near =
    query.latitude !== undefined && query.longitude !== undefined
      ? { latitude: query.latitude, longitude: query.longitude, radiusKm: query.radius_km ?? 50 }
      : undefined;
  const request = {
    brands: wantedBrands(query.brand, config.brands) ?? config.brands,
    ...(query.keyword === undefined ? {} : { keyword: query.keyword }),
    ...(query.country_code === undefined ? {} : { countryCode: query.country_code }),
    ...(near ? { near } : {}),
  };
  return {
    request,
    run: async (context) => {
      const answer = await found(adapter.searchLocations?.(request, context));
      const rows = answer.items.map((location) => locationView(config.id, location, facts.of(config.id, location)));
      return result('locations', answer, rows);
    },
  };
}

function planVehicles(adapter: SupplierAdapter, config: SupplierConfig, input: unknown): Planned {
  const body = new SchemaPipe<VehiclesBody>(vehiclesBody, 'body').transform(input);
  const wanted = wantedBrands(body.brand, config.brands) ?? config.brands;
  const [firstBrand = ''] = wanted;
  // Recorded answers are old, so "now" is the day before the pickup date.
  const now = Date.parse(`${body.pickup_date}Z`) - DAY_MS;
  const search = normalize(body, {
    now,
    key: KEY,
    environment: 'sandbox',
    brands: undefined,
    owner: { supplier: config.id, brand: firstBrand },
    suppliers: [config],
    maxResults: 10_000,
    defaultResults: 10_000,
    timeoutMs: { min: 0, max: 60_000 },
  });
  const brands = adapter.brandsPerCall === 'one' ? [firstBrand] : wanted;
  const request = searchForCall(config, brands, catalogViewOf(search, config.id));
  const run = async (context: SupplierContext): Promise<Result> =>
    offersResult(config, searchKeyOf(search), await found(adapter.searchVehicles?.(request, context)));
  return { request, run };
}

function offersResult(config: SupplierConfig, search: SearchKey, answer: SupplierAnswer<SupplierOffer>): Result {
  const views = new OfferViews(search, 'app_try', new LocationFactsCache(KEY), KEY, Date.now(), 900);
  return result(
    'vehicles',
    answer,
    answer.items.map((offer) => views.of(config.id, offer)),
  );
}

function searchOf({ pickup, dropoff, pickupDate, dropoffDate, countryCode, age }: RentalRequest): SearchKey {
  return [codeOf(pickup), codeOf(dropoff), pickupDate, dropoffDate, countryCode, age];
}

function codeOf({ iataCode, supplierCode }: PlaceRef): string {
  return iataCode ?? supplierCode ?? '';
}

function read<T>(schema: z.ZodType<T>, input: unknown): T {
  return new SchemaPipe(schema, 'body').transform(input);
}

function one(name: string, found: object | undefined): Result {
  return { json: JSON.stringify({ [name]: found }), count: 1, warnings: [] };
}

async function found<T>(answer: Promise<SupplierAnswer<T>> | undefined): Promise<SupplierAnswer<T>> {
  return (await answer) ?? { items: [], warnings: [] };
}

function result(name: string, answer: SupplierAnswer<unknown>, items: readonly object[]): Result {
  return { json: JSON.stringify({ [name]: items }), count: items.length, warnings: answer.warnings };
}

/** Converts numbers and lists of a JSON file to text, as query parameters are. */
function asTexts(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      typeof value === 'number' || Array.isArray(value) ? String(value) : value,
    ]),
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} is not readable JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
