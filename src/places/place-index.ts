import { foldName } from './fold.js';
import { KINDS, type Place } from './place.js';
import { type PlaceTable, readPlaceFile } from './place-file.js';
import { QualifierReader, type Qualifiers } from './place-qualifiers.js';
import { Scores } from './place-scores.js';
import { TypoTerms, termsWith } from './place-terms.js';
import { postalPlaceOf } from './postal-codes.js';

/** A found place. */
export interface FoundPlace {
  readonly place: Place;
  /** Whether letters of the text were replaced to find it. */
  readonly isCorrected: boolean;
}

/** How much a kind of match adds to the importance of a place. */
const BONUS = { code: 190, name: 92, otherName: 76, firstWords: 34, beginning: 12, lastWords: 14, laterWord: 0 };
/** An airport is meant by the first words of its name rather than by a part of one. */
const AIRPORT_BONUS = { ...BONUS, firstWords: 48, beginning: 0 };
/** A city is rarely meant by the beginning of its name in another language. */
const OTHER_LESS = 26;
const TYPO_BONUS = [60, 48, 20];
/** Typos are looked for if nothing better than this was found. */
const ENOUGH = 150;
const MOST_WORDS = 7;
const MOST_FOUND = 400;
/** Names of a text times readings of its qualifiers that are compared. Two words with three readings each need 15,000 at most. */
const MOST_COMPARED = 20_000;
const NONE: readonly number[] = [];

/** Finds places by what travelers type. */
export class PlaceIndex {
  readonly #qualifiers: QualifierReader;
  readonly #typos: TypoTerms;
  readonly #byCode = new Map<string, number[]>();
  readonly #byId = new Map<string, number>();
  readonly #airportsOf = new Map<number, number[]>();
  readonly #cityOf = new Map<number, number>();

  constructor(private readonly table: PlaceTable) {
    this.#qualifiers = new QualifierReader(table);
    this.#typos = new TypoTerms(table);
    for (let place = 0; place < table.count; place += 1) {
      if (!table.codes.isEmpty(place) && table.kinds[place] !== 3) {
        const code = table.codes.text(place);
        this.#byCode.set(code, [...(this.#byCode.get(code) ?? []), place]);
      }
      if (table.kinds[place] === 1 || table.kinds[place] === 3 || table.kinds[place] === 4)
        this.#byId.set(this.#idOf(place), place);
    }
    const pairs = table.airportPairs;
    for (let at = 0; at < pairs.length; at += 2) {
      const [city, airport] = [pairs[at] ?? 0, pairs[at + 1] ?? 0];
      this.#airportsOf.set(city, [...(this.#airportsOf.get(city) ?? []), airport]);
      if (!this.#cityOf.has(airport)) this.#cityOf.set(airport, city);
    }
  }

  /**
   * The best `limit` places for a text, best first; empty if there are none. Reads names in several languages, codes, postal codes, the
   * beginning of a name, a name with an airport, country or region ("rome airport", "paris texas"), and words with one typo, from
   * eight letters with two. `countryCode` limits the search to a country.
   */
  search(text: string, limit: number, countryCode?: string): readonly FoundPlace[] {
    const postal = postalPlaceOf(this.table.postal, text, countryCode);
    const country = countryCode === undefined ? undefined : this.table.countries.indexOf(countryCode);
    const folded = foldName(text);
    if (folded === '' || country === -1) return postal ? [{ place: postal, isCorrected: false }] : [];
    const scores = new Scores();
    this.#whole(folded, country, scores);
    this.#parts(folded, country, scores);
    const corrected = new Scores();
    const best = Math.max(0, ...scores.all.values());
    if (best < ENOUGH) this.#corrected(folded, country, corrected);
    for (const [place, score] of corrected.all) {
      if (score <= (scores.all.get(place) ?? 0)) corrected.all.delete(place);
      else scores.raise(place, score);
    }
    const found = [...scores.all]
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, limit)
      .map(([place]) => ({ place: this.#placeOf(place), isCorrected: corrected.all.has(place) }));
    return postal ? [{ place: postal, isCorrected: false }, ...found].slice(0, limit) : found;
  }

  /** The place with an id; undefined if there is none. */
  byId(id: string): Place | undefined {
    const postal = /^plc_postal_(us|ca)_([a-z\d]{3,5})$/.exec(id);
    if (postal) return postalPlaceOf(this.table.postal, postal[2] ?? '', postal[1]?.toUpperCase());
    const known = this.#byId.get(id);
    if (known !== undefined) return this.#placeOf(known);
    const numbered = /^plc_(city|station)_(\d{1,10})$/.exec(id);
    if (!numbered) return undefined;
    const kind = numbered[1] === 'city' ? 0 : 2;
    const number = Number(numbered[2]);
    for (let at = this.table.ids.indexOf(number); at !== -1; at = this.table.ids.indexOf(number, at + 1))
      if (this.table.kinds[at] === kind) return this.#placeOf(at);
    return undefined;
  }

  /** IATA codes of the airports of a city or metropolitan area, the most important first; of an airport, its own; otherwise empty. */
  airportsOf(place: Place): readonly string[] {
    if (place.kind === 'airport') return place.code === undefined ? [] : [place.code];
    const index = place.kind === 'city' ? this.#indexOf(place) : undefined;
    return (index === undefined ? [] : (this.#airportsOf.get(index) ?? [])).map((airport) =>
      this.table.codes.text(airport),
    );
  }

  /** The city of an airport; undefined if it is unknown. */
  cityOf(airportCode: string): Place | undefined {
    const airport = (this.#byCode.get(airportCode) ?? []).find((place) => this.table.kinds[place] === 1);
    const city = airport === undefined ? undefined : this.#cityOf.get(airport);
    return city === undefined ? undefined : this.#placeOf(city);
  }

  /** The importance of an airport, from 0 for an unknown one to 255. */
  importanceOfAirport(code: string): number {
    const airport = (this.#byCode.get(code) ?? []).find((place) => this.table.kinds[place] === 1);
    return airport === undefined ? 0 : (this.table.importances[airport] ?? 0);
  }

  #indexOf(place: Place): number | undefined {
    const number = Number(place.id.split('_')[2]);
    for (let at = this.table.ids.indexOf(number); at !== -1; at = this.table.ids.indexOf(number, at + 1))
      if (this.table.kinds[at] === 0) return at;
    return undefined;
  }

  /** The text as one code or name. */
  #whole(folded: string, country: number | undefined, scores: Scores): void {
    const length = folded.length;
    if (length === 3 || length === 2) {
      for (const place of this.#byCode.get(folded.toUpperCase()) ?? []) {
        if (country === undefined || this.table.countryOf[place] === country)
          scores.raise(place, BONUS.code + (this.table.importances[place] ?? 0) * 0.5);
      }
    }
    this.#named(folded, false, (place, score) => {
      if (country === undefined || this.table.countryOf[place] === country) scores.raise(place, score);
    });
  }

  /** Each place whose name begins with a text, or whose later words do; if `areWhole`, only with its last word complete. */
  #named(folded: string, areWhole: boolean, found: (place: number, score: number) => void): void {
    const typed = Buffer.from(folded);
    const { terms, placeOf, flagOf, importances } = this.table;
    const [from, last] = termsWith(this.table, typed);
    // A blank comes before all letters and digits, so these terms are the first.
    const to = areWhole ? termsWith(this.table, Buffer.from(`${folded} `))[1] : last;
    for (let line = from; line < to; line += 1) {
      const place = placeOf[line] ?? 0;
      const flag = flagOf[line] ?? 0;
      const end = terms.start(line) + typed.length;
      const isExact = end === terms.end(line);
      const isWhole = isExact || terms.bytes[end] === 32;
      const bonuses = this.table.kinds[place] === 1 ? AIRPORT_BONUS : BONUS;
      let bonus: number;
      if (flag === 2) bonus = isExact ? bonuses.lastWords : bonuses.laterWord + (isWhole ? 8 : 0);
      else if (isExact)
        bonus = flag === 0 ? bonuses.name : typed.length < 4 ? bonuses.otherName - 40 : bonuses.otherName;
      else bonus = isWhole ? bonuses.firstWords : bonuses.beginning;
      if (flag === 1 && !isExact && this.table.kinds[place] === 0) bonus -= OTHER_LESS;
      found(place, (importances[place] ?? 0) + bonus);
    }
  }

  /** The text as a name with qualifiers before or after it. */
  #parts(folded: string, country: number | undefined, scores: Scores): void {
    const words = folded.split(' ').slice(0, MOST_WORDS);
    for (let length = 1; length < words.length; length += 1) {
      const after = this.#qualifiers.read(words.slice(length));
      if (after.length > 0) this.#qualified(words.slice(0, length).join(' '), after, country, scores);
      const before = this.#qualifiers.read(words.slice(0, words.length - length));
      if (before.length > 0) this.#qualified(words.slice(-length).join(' '), before, country, scores);
    }
    if (scores.all.size > 0) return;
    for (let length = 1; length < words.length; length += 1) {
      const [first, last] = [words.slice(0, length).join(' '), words.slice(length).join(' ')];
      this.#ofCity(first, last, country, scores);
      this.#ofCity(last, first, country, scores);
    }
  }

  /** Airports by their city and a part of their name: "houston bush". */
  #ofCity(city: string, part: string, country: number | undefined, scores: Scores): void {
    const cities = new Set<number>();
    this.#named(city, true, (place) => {
      if (this.table.kinds[place] === 0) cities.add(place);
    });
    if (cities.size === 0) return;
    this.#named(part, true, (place, score) => {
      const own = this.#cityOf.get(place);
      if (own !== undefined && cities.has(own) && (country === undefined || this.table.countryOf[place] === country))
        scores.raise(place, score + 25);
    });
  }

  #qualified(name: string, readings: readonly Qualifiers[], country: number | undefined, scores: Scores): void {
    let count = 0;
    let compared = 0;
    this.#named(name, true, (place, score) => {
      compared += readings.length;
      if (count > MOST_FOUND || compared > MOST_COMPARED) return;
      const airports = this.#airportsOf.get(place) ?? NONE;
      for (const reading of readings) {
        for (const own of this.#candidates(place, airports, reading)) {
          if (country !== undefined && this.table.countryOf[own] !== country) continue;
          count += 1;
          scores.raise(own, own === place ? score + 25 : score * 0.5 + 95 + (this.table.importances[own] ?? 0) * 0.25);
        }
      }
    });
  }

  /** A place, or the airports of a city, if the qualifiers apply. */
  #candidates(
    place: number,
    airports: readonly number[],
    { kind, country, region, airport }: Qualifiers,
  ): readonly number[] {
    const { kinds, countryOf, regionOf } = this.table;
    if (country !== undefined && countryOf[place] !== country) return NONE;
    if (region !== undefined && regionOf[place] !== region) return NONE;
    const isCity = kinds[place] === 0;
    if (airport !== undefined) {
      const isMeant = isCity ? airports.includes(airport) : place === airport;
      return isMeant && kind !== 'station' ? [airport] : NONE;
    }
    if (isCity && kind === 'airport') return airports;
    return kind === undefined || KINDS[kinds[place] ?? 0] === kind ? [place] : NONE;
  }

  #corrected(folded: string, country: number | undefined, scores: Scores): void {
    this.#typos.search(Buffer.from(folded), (line, edits) => {
      const place = this.table.placeOf[line] ?? 0;
      if (country === undefined || this.table.countryOf[place] === country)
        scores.raise(place, (this.table.importances[place] ?? 0) + (TYPO_BONUS[edits] ?? 0));
    });
  }

  #placeOf(index: number): Place {
    const { names, codes, kinds, countries, countryOf, regions, regionOf, latitudes, longitudes, importances } =
      this.table;
    const code = codes.text(index);
    const region = regions[regionOf[index] ?? 0] ?? '';
    return {
      id: this.#idOf(index),
      kind: KINDS[kinds[index] ?? 0] ?? 'city',
      name: names.text(index),
      ...(code === '' ? {} : { code }),
      ...(region === '' ? {} : { regionCode: region }),
      countryCode: countries[countryOf[index] ?? 0] ?? '',
      latitude: (latitudes[index] ?? 0) / 10_000,
      longitude: (longitudes[index] ?? 0) / 10_000,
      importance: importances[index] ?? 0,
    };
  }

  #idOf(index: number): string {
    const kind = KINDS[this.table.kinds[index] ?? 0] ?? 'city';
    const code = this.table.codes.text(index).toLowerCase().replace('-', '_');
    if (kind === 'airport') return `plc_${code}`;
    return `plc_${kind}_${kind === 'city' || kind === 'station' ? this.table.ids[index] : code}`;
  }
}

let index: PlaceIndex | undefined;

/** The places that come with the gateway; read when they are first needed. */
export function placeIndex(): PlaceIndex {
  index ??= new PlaceIndex(readPlaceFile());
  return index;
}
