import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { catalogViewOf } from '../catalog/catalog.service.js';
import { searchKeyOf, understand } from '../catalog/understand.js';
import { type VehiclesBody, vehiclesBody } from '../catalog/vehicles.schema.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { locationsQuery } from '../locations/locations.schema.js';
import { searchText } from '../offers/offer-id.js';
import { OfferWriter } from '../offers/offer-view.js';
import { ApiError } from '../status/api-error.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { LocationFactsCache, locationJson } from '../suppliers/location-view.js';
import {
  type SupplierAdapter,
  type SupplierAnswer,
  type SupplierContext,
  SupplierError,
  type SupplierHttp,
  type SupplierHttpAnswer,
} from '../suppliers/supplier.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';

/** Where request and recorded answer come from. */
export interface TryOptions {
  readonly request: string;
  readonly response?: string;
  readonly status: string;
  readonly contentType?: string;
}

/** Ids made here are only looked at: they are sealed with a key that no gateway uses. */
const KEY = createSecretKey(Buffer.alloc(32, 'adapter try'));
const DAY_MS = 86_400_000;

/**
 * Runs one operation and prints its result as the API would show it ({locations[]} or {vehicles[]}) on stdout, warnings and a count on stderr.
 * The request file is what a caller of the API sends: query of /cars/locations/v1/ or body of /cars/catalog/v1/vehicles. With `response` nothing
 * is sent: every call of the adapter gets the recorded answer. Throws an Error that says what is wrong with the files; a fault of the supplier is
 * reported as such with exit code 2.
 */
export async function tryAdapter(config: SupplierConfig, operation: string, options: TryOptions): Promise<void> {
  const adapter = createAdapter(config);
  try {
    const run = planOf(adapter, config, operation, readJson(options.request));
    const { json, count, warnings } =
      options.response === undefined ? await live(config, adapter, run) : await run(offline(options.response, options));
    for (const warning of warnings) console.error(`warning: ${warning}`);
    console.error(`${count} ${count === 1 ? 'item' : 'items'}, ${warnings.length} warnings`);
    process.stdout.write(`${JSON.stringify(JSON.parse(json), null, 2)}\n`);
  } catch (error) {
    if (error instanceof ApiError)
      throw new Error(
        `${options.request}: ${error.problems.map((problem) => `${problem.field ?? 'request'}: ${problem.details}`).join('; ')}`,
      );
    if (!(error instanceof SupplierError)) throw error;
    console.error(`the supplier failed: ${error.fault}: ${error.message}`);
    process.exitCode = 2;
  }
}

interface Result {
  readonly json: string;
  readonly count: number;
  readonly warnings: readonly string[];
}

type Run = (context: SupplierContext) => Promise<Result>;

function planOf(adapter: SupplierAdapter, config: SupplierConfig, operation: string, input: unknown): Run {
  if (operation === 'searchLocations' && adapter.searchLocations) return locationRun(adapter, config, input);
  if (operation === 'searchVehicles' && adapter.searchVehicles) return vehicleRun(adapter, config, input);
  const known = ['searchLocations', 'searchVehicles'].filter((name) => name in adapter);
  throw new Error(`the adapter of ${config.id} has no operation "${operation}"; it has ${known.join(', ')}`);
}

function locationRun(adapter: SupplierAdapter, config: SupplierConfig, input: unknown): Run {
  const query = new SchemaPipe(locationsQuery, 'body').transform(asTexts(input));
  const facts = new LocationFactsCache(KEY);
  const near =
    query.latitude !== undefined && query.longitude !== undefined
      ? { latitude: query.latitude, longitude: query.longitude, radiusKm: query.radius_km ?? 50 }
      : undefined;
  const request = {
    brands: query.brand ?? config.brands,
    ...(query.keyword === undefined ? {} : { keyword: query.keyword }),
    ...(query.country_code === undefined ? {} : { countryCode: query.country_code }),
    ...(near ? { near } : {}),
  };
  return async (context) => {
    const answer = await found(adapter.searchLocations?.(request, context));
    return result(
      'locations',
      answer,
      answer.items.map((location) => locationJson(config.id, location, facts.of(config.id, location))),
    );
  };
}

function vehicleRun(adapter: SupplierAdapter, config: SupplierConfig, input: unknown): Run {
  const body = new SchemaPipe<VehiclesBody>(vehiclesBody, 'body').transform(input);
  const [firstBrand = ''] = body.brand ?? config.brands;
  // Recorded answers are old: the request is understood as of the day before its own pickup.
  const now = Date.parse(`${body.pickup_date}Z`) - DAY_MS;
  const search = understand(body, {
    now,
    key: KEY,
    brands: undefined,
    owner: { supplier: config.id, brand: firstBrand },
    maxResults: 10_000,
    defaultResults: 10_000,
    timeoutMs: { min: 0, max: 60_000 },
  });
  const brands = adapter.brandsPerCall === 'one' ? [firstBrand] : (body.brand ?? config.brands);
  const writer = new OfferWriter(searchText(searchKeyOf(search)), 'app_try', new LocationFactsCache(KEY), KEY, Date.now(), 900);
  return async (context) => {
    const answer = await found(adapter.searchVehicles?.({ ...catalogViewOf(search, config.id), brands }, context));
    return result(
      'vehicles',
      answer,
      answer.items.map((offer) => writer.write(config.id, offer)),
    );
  };
}

async function found<T>(answer: Promise<SupplierAnswer<T>> | undefined): Promise<SupplierAnswer<T>> {
  return (await answer) ?? { items: [], warnings: [] };
}

function result(name: string, answer: SupplierAnswer<unknown>, items: readonly string[]): Result {
  return { json: `{"${name}":[${items.join(',')}]}`, count: items.length, warnings: answer.warnings };
}

/** Query values are text on the API; a file may hold numbers and lists as JSON. */
function asTexts(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, typeof value === 'number' || Array.isArray(value) ? String(value) : value]),
  );
}

function offline(file: string, options: TryOptions): SupplierContext {
  const body = readFileSync(file);
  const contentType =
    options.contentType ?? (file.endsWith('.xml') ? 'text/xml' : file.endsWith('.html') ? 'text/html' : 'application/json');
  const answer: SupplierHttpAnswer = { status: Number(options.status), headers: { 'content-type': contentType }, body };
  const http: SupplierHttp = { send: () => Promise.resolve(answer) };
  return { http, requestId: 'req_try', environment: 'sandbox', now: Date.now() };
}

async function live(config: SupplierConfig, adapter: SupplierAdapter, run: Run): Promise<Result> {
  if (config.url === undefined) {
    throw new Error(
      `supplier ${config.id} has no url: give --response FILE to map a recorded answer, or set SUPPLIER_${config.id.toUpperCase()}_URL`,
    );
  }
  const connection = new SupplierConnection(config, adapter, config.url);
  const call = connection.open('req_try', 'sandbox', {});
  const { searchVehicles: timeoutMs } = config.timeoutMs;
  const timer = setTimeout(() => call.abort(new SupplierError('timeout', `no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await run(call.context);
  } finally {
    clearTimeout(timer);
    await connection.close();
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} is not readable JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
