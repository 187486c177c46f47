import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { UNKNOWN_COUNTRY } from '../http/fields.js';
import type { Place } from '../places/place.js';
import { placeIndex } from '../places/place-index.js';
import { timeZoneAt } from '../places/places.js';
import type { WireView } from '../representations/wire-view.js';
import { MAGIC_COUNTRY, type MagicPlace, magicPlace } from '../sandbox/magic-places.js';
import { ApiError } from '../status/api-error.js';
import { noResults } from '../suppliers/merge.js';
import type { PlacesQuery } from './places.schema.js';
import type { placeWire } from './places.wire.js';

/** A place in a response. */
export type PlaceView = WireView<typeof placeWire>;

/** Suggests places. No supplier is called. */
@Injectable()
export class PlacesService {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Reads the index before the gateway takes requests: 0.1 s of processor time that no request has to wait for. */
  onModuleInit(): void {
    placeIndex();
  }

  /** How long an answer may be cached. */
  get maxAgeSeconds(): number {
    return this.config.search.locationsMaxAgeSeconds;
  }

  /** The best places, best first. Throws ApiError 400 for an unknown country, 404 `no_results` if there is none. */
  find({ keyword, country_code, max_results }: PlacesQuery): readonly PlaceView[] {
    const { environment } = this.config;
    if (environment === 'production' && country_code === MAGIC_COUNTRY)
      throw ApiError.of('invalid_range', `"country_code" ${UNKNOWN_COUNTRY}`, { field: 'country_code' });
    const magic = magicPlace(keyword, environment);
    if (magic === 'unknown') throw noResults();
    const isHere = country_code === undefined || country_code === MAGIC_COUNTRY;
    const places =
      magic && isHere
        ? [magicView(magic)]
        : placeIndex()
            .search(keyword, max_results, country_code)
            .map(({ place }) => placeView(place));
    if (places.length === 0) throw noResults();
    return places;
  }
}

function placeView(place: Place): PlaceView {
  const { id, kind, name, code, regionCode, countryCode, latitude, longitude } = place;
  const index = placeIndex();
  const region =
    kind === 'region' || regionCode === undefined
      ? undefined
      : index.byId(`plc_region_${regionCode.toLowerCase().replace('-', '_')}`)?.name;
  return {
    place_id: id,
    type: kind,
    name,
    code,
    region,
    country_code: countryCode,
    country: index.byId(`plc_country_${countryCode.toLowerCase()}`)?.name,
    latitude,
    longitude,
    time_zone: timeZoneAt(latitude, longitude),
    airports: [...index.airportsOf(place)],
  };
}

/** A magic place of the sandbox (docs/sandbox.md). */
function magicView(code: MagicPlace): PlaceView {
  return {
    place_id: `plc_${code.toLowerCase()}`,
    type: 'airport',
    name: `Sandbox ${code}`,
    code,
    region: undefined,
    country_code: MAGIC_COUNTRY,
    country: undefined,
    latitude: 0,
    longitude: 0,
    time_zone: 'UTC',
    airports: [code],
  };
}
