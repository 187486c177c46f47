import { foldName } from './fold.js';
import type { PlaceTable } from './place-file.js';

/** What the words around a name say about the place. An absent field says nothing. */
export interface Qualifiers {
  readonly kind?: 'airport' | 'station';
  /** Index of a country. */
  readonly country?: number;
  /** Index of a region. */
  readonly region?: number;
  /** Index of an airport. */
  readonly airport?: number;
}

const AIRPORT = words(
  'airport airports flughafen aeropuerto aeroport aeroporto lufthavn flygplats luchthaven lotnisko letiste havalimani havaalani flyplass lentoasema repuloter aerodrom apt intl international аэропорт 空港 机场 機場 공항',
);
const STATION = words(
  'station stations hauptbahnhof bahnhof hbf gare estacion stazione estacao railway train centraal centralstation',
);
/** Words that narrow nothing. */
const FILLERS = words(
  'de del der di da do du la le of the all any at in near city center centre centro downtown centrum town area alle',
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').map(foldName));
}

/** Reads qualifiers with the names and codes of countries and regions. */
export class QualifierReader {
  readonly #countries = new Map<string, number>();
  readonly #regions = new Map<string, number>();
  readonly #airports = new Map<string, number>();
  /** By region. */
  readonly #countryOf: readonly number[];

  constructor({
    count,
    kinds,
    codes,
    countries,
    regions,
    countryOf,
    regionOf,
    terms,
    placeOf,
    flagOf,
    importances,
  }: PlaceTable) {
    const best = new Map<string, number>();
    for (let line = 0; line < terms.count; line += 1) {
      const place = placeOf[line] ?? 0;
      const kind = kinds[place];
      if ((kind !== 3 && kind !== 4) || flagOf[line] === 2) continue;
      const name = terms.text(line);
      const importance = importances[place] ?? 0;
      if (kind === 4) this.#countries.set(name, countryOf[place] ?? 0);
      else if ((best.get(name) ?? -1) < importance) {
        best.set(name, importance);
        this.#regions.set(name, regionOf[place] ?? 0);
      }
    }
    for (let place = 0; place < count; place += 1) {
      if (codes.isEmpty(place)) continue;
      const code = codes.text(place);
      if (kinds[place] === 1) this.#airports.set(code.toLowerCase(), place);
      // Travelers abbreviate the states of these countries only: elsewhere a short code is rather a word.
      else if (kinds[place] === 3 && /^(US|CA|AU)-[A-Z]{2,3}$/.test(code)) {
        const short = code.slice(3).toLowerCase();
        if (!this.#regions.has(short) || code.startsWith('US')) this.#regions.set(short, regionOf[place] ?? 0);
      }
    }
    for (const [index, code] of countries.entries()) {
      const short = code.toLowerCase();
      if (!this.#countries.has(short)) this.#countries.set(short, index);
    }
    this.#countryOf = regions.map((code) => countries.indexOf(code.slice(0, 2)));
  }

  /**
   * All different readings of the words, because "ca" is Canada and California; empty if one of the words isn't a qualifier. A name of
   * several words is one qualifier. A region outside of the country isn't read, because no place is there.
   */
  read(texts: readonly string[]): readonly Qualifiers[] {
    return this.#combined(texts).filter(
      ({ country, region }) => country === undefined || region === undefined || this.#countryOf[region] === country,
    );
  }

  /** Each combination once: each is compared with thousands of names, and every further "la" would triple their number. */
  #combined(texts: readonly string[]): readonly Qualifiers[] {
    if (texts.length === 0) return [{}];
    for (let length = Math.min(4, texts.length); length >= 1; length -= 1) {
      const firsts = this.#first(texts.slice(0, length).join(' '));
      if (firsts.length === 0) continue;
      const readings = new Map<string, Qualifiers>();
      for (const rest of this.#combined(texts.slice(length))) {
        for (const first of firsts) {
          const reading: Qualifiers = { ...rest, ...first };
          const { kind, country, region, airport } = reading;
          readings.set([kind, country, region, airport].join(' '), reading);
        }
      }
      if (readings.size > 0) return [...readings.values()];
    }
    return [];
  }

  #first(text: string): Qualifiers[] {
    if (AIRPORT.has(text)) return [{ kind: 'airport' }];
    if (STATION.has(text)) return [{ kind: 'station' }];
    const readings: Qualifiers[] = [];
    const region = this.#regions.get(text);
    const country = this.#countries.get(text);
    const airport = this.#airports.get(text);
    if (region !== undefined) readings.push({ region });
    if (country !== undefined) readings.push({ country });
    if (airport !== undefined) readings.push({ airport });
    if (FILLERS.has(text)) readings.push({});
    return readings;
  }
}
