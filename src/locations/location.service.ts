import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import { enterScenario } from '../context/enter-scenario.js';
import type { RequestContext } from '../context/request-context.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import type { LocationProfile } from '../model/location-details.js';
import { type LocationKey, readLocationId } from '../representations/location-id.js';
import { LocationFactsCache, locationView } from '../representations/location-view.js';
import type { WireView } from '../representations/wire-view.js';
import { magicPlace } from '../sandbox/magic-places.js';
import { ApiError } from '../status/api-error.js';
import { merge, noResults } from '../suppliers/merge.js';
import { foldCalls } from '../suppliers/outcome.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { SupplierSearch } from '../suppliers/supplier-search.js';
import { type LocationQuery, locationQuery } from './locations.schema.js';
import type { locationDetailsWire } from './locations.wire.js';
import { distanceFrom } from './reach.js';
import { utcOffset } from './utc-offset.js';

const QUERY = new SchemaPipe(locationQuery);

/** One location in a response. */
export type LocationDetailsView = WireView<typeof locationDetailsWire>;

/** Reads one location from its supplier. */
@Injectable()
export class LocationService {
  readonly #keys: AcceptedKeys;

  constructor(
    private readonly suppliers: SupplierSearch,
    private readonly registry: SupplierRegistry,
    private readonly facts: LocationFactsCache,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'offer_id');
  }

  /** How long an answer may be cached. */
  get maxAgeSeconds(): number {
    return this.config.search.locationsMaxAgeSeconds;
  }

  /**
   * `given` is the query as sent: whether the location exists comes first. Throws ApiError 400 for an invalid query, 404 for an id that the gateway didn't issue or whose supplier isn't connected anymore, 404 `no_results` if the
   * supplier no longer has the location, 500 if the supplier failed, 503 if it is in maintenance.
   */
  async find(id: string, given: unknown, context: RequestContext): Promise<LocationDetailsView> {
    const key = readLocationId(id, this.#keys);
    if (!key || !this.#isServed(key)) throw unknownLocation();
    const query = QUERY.transform(given);
    enterScenario(context, [key.code], this.registry.simulated);
    const { supplier, brand, code, iataCode, countryCode } = key;
    const location = { supplierCode: code, countryCode, ...(iataCode === undefined ? {} : { iataCode }) };
    const plan = this.suppliers.planLocation(context, supplier, { brand, location });
    const outcomes = foldCalls(await this.suppliers.collect(plan, { minSuppliers: 0 }, context));
    context.trace?.setEntries(merge(outcomes).problems);
    const found = outcomes.flatMap((outcome) => (outcome.kind === 'answered' ? outcome.items : []));
    const [own] = found.filter((item) => item.public);
    if (!own) throw noResults();
    return this.#viewOf(id, key, own, query, context.startedAt);
  }

  #isServed({ supplier, brand, code }: LocationKey): boolean {
    if (magicPlace(code, this.config.environment) === 'unknown') return false;
    return this.registry.shown.some(({ id, config }) => id === supplier && config.brands.includes(brand));
  }

  #viewOf(
    id: string,
    { supplier }: LocationKey,
    location: LocationProfile,
    { latitude, longitude }: LocationQuery,
    requestTime: number,
  ): LocationDetailsView {
    const distance =
      latitude === undefined || longitude === undefined ? undefined : distanceFrom({ latitude, longitude }, location);
    const facts = this.facts.of(supplier, location);
    const known = distance !== undefined && Number.isFinite(distance) ? distance : undefined;
    const { minAge: min, maxAge: max } = location;
    return {
      ...locationView(supplier, location, facts, known),
      location_id: id,
      utc_offset: utcOffset(facts.timeZone, requestTime),
      driver_age: min === undefined && max === undefined ? undefined : { min, max },
    };
  }
}

/** The error for an id of no location, in whatever way (ruling 14). */
function unknownLocation(): ApiError {
  return ApiError.of(
    'resource_failure',
    'No such location. Send "location_id" exactly as it was returned to your application.',
    { field: 'location_id' },
  );
}
