import { type Airport, airports } from '../places/places.js';
import { MAGIC_PLACES } from '../sandbox/magic-places.js';
import { countryFacts } from './country-facts.js';
import { chanceOf, wholeOf } from './random.js';

/**
 * A location before its details are generated: where it is and what it is called. Cheap enough to have thousands of
 * them.
 */
export interface LocationSite {
  readonly code: string;
  readonly kind: 'airport' | 'downtown' | 'rail' | 'magic';
  readonly airport: Airport;
  readonly name: string;
}

export interface SiteOptions {
  readonly brand: string;
  /** Prefix of the codes of locations outside airports. Absent = none; such codes have three characters. */
  readonly codePrefix?: string;
  readonly seed: number;
  /** Share of airports (0–1) without the brand. Absent = 0. */
  readonly unservedRate?: number;
}

const TOWN_KINDS = [
  ['downtown', 'Downtown'],
  ['rail', 'Central Station'],
  ['downtown', 'City West'],
] as const;

/**
 * All locations of a brand: airports by IATA code, one to three in each city with a large airport, and the magic ones
 * last.
 */
export function locationSites({
  brand,
  codePrefix = '',
  seed,
  unservedRate = 0,
}: SiteOptions): readonly LocationSite[] {
  const served = airports.filter(
    (airport) =>
      (airport.large || countryFacts(airport.countryCode).wellServed) &&
      (unservedRate <= 0 || chanceOf(seed, `served ${brand} ${airport.iataCode}`) >= unservedRate),
  );
  const atAirports = served.map(
    (airport): LocationSite => ({
      code: airport.iataCode,
      kind: 'airport',
      airport,
      name: airportLocationName(airport),
    }),
  );
  return [...atAirports, ...townSites(served, brand, codePrefix, seed), ...MAGIC_PLACES.map(magicSite)];
}

function airportLocationName({ city, name }: Airport): string {
  return name.includes(city) ? name : `${city} ${name}`;
}

function townSites(
  served: readonly Airport[],
  brand: string,
  codePrefix: string,
  seed: number,
): readonly LocationSite[] {
  const taken = new Set<string>();
  const cities = new Set<string>();
  const sites: LocationSite[] = [];
  for (const airport of served) {
    const city = `${airport.countryCode} ${airport.city}`;
    if (!airport.large || cities.has(city)) continue;
    cities.add(city);
    const count = wholeOf(seed, `town counters ${brand} ${city}`, 1, TOWN_KINDS.length);
    for (const [kind, suffix] of TOWN_KINDS.slice(0, count)) {
      const code = freeCode(airport.city, taken, wholeOf(seed, `code ${brand} ${city}`, 1, 9));
      sites.push({ code: `${codePrefix}${code}`, kind, airport, name: `${airport.city} ${suffix}` });
    }
  }
  return sites;
}

/**
 * Two letters of the city and a digit (Orlando: OR1); if all of those are taken, other letters in alphabetical order.
 */
function freeCode(city: string, taken: Set<string>, firstDigit: number): string {
  const letters =
    city
      .normalize('NFD')
      .toUpperCase()
      .replace(/[^A-Z]/g, '') || 'XX';
  for (const second of `${letters.slice(1)}ABCDEFGHIJKLMNOPQRSTUVWXYZ`) {
    const pair = letters.charAt(0) + second;
    for (let step = 0; step < 10; step += 1) {
      const code = pair + ((firstDigit + step) % 10);
      if (taken.has(code)) continue;
      taken.add(code);
      return code;
    }
  }
  throw new Error(`no location code left for ${city}`);
}

/** A location of the sandbox at a fictitious place in the Gulf of Guinea. */
function magicSite(code: string): LocationSite {
  const airport: Airport = {
    iataCode: code,
    name: `Sandbox ${code}`,
    city: 'Sandbox',
    region: '',
    regionCode: '',
    countryCode: 'ZZ',
    latitude: 0.5,
    longitude: -0.5,
    timeZone: 'UTC',
    large: true,
  };
  return { code, kind: 'magic', airport, name: airport.name };
}
