import type { LocationSite } from './location-sites.js';

interface Entry<T> {
  readonly site: T;
  readonly city: string;
  readonly name: string;
  /** The words of name, city and region, each preceded by a blank. */
  readonly words: string;
}

/** Finds locations by the words a traveler types; best first, at most `limit`. */
export type SiteSearch = (keyword: string, countryCode: string | undefined, limit: number) => readonly LocationSite[];

/**
 * Builds a search over locations. Ranks exact codes first, then exact cities, names and cities that start with the
 * keyword, and matches of all words; within a rank, airports before town, large before small, then by code. Ignores
 * case, accents and punctuation. Magic locations match only their exact code, whatever the country. Prepared at the
 * first search.
 */
export function createSiteSearch(sites: readonly LocationSite[]): SiteSearch {
  const byCode = new Map(sites.map((site) => [site.code, site]));
  let built: readonly Entry<LocationSite>[] | undefined;
  return (keyword, countryCode, limit) => {
    const exact = byCode.get(keyword.trim().toUpperCase());
    if (exact?.kind === 'magic') return [exact].slice(0, limit);
    const typed = fold(keyword);
    if (typed === '') return [];
    const words = typed.split(' ').map((word) => ` ${word}`);
    built ??= sites.filter(({ kind }) => kind !== 'magic').map(entryOf);
    return built
      .filter(({ site }) => countryCode === undefined || site.airport.countryCode === countryCode)
      .map((entry) => ({ site: entry.site, score: entry.site === exact ? 1_000 : score(entry, typed, words) }))
      .filter((found) => found.score > 0)
      .sort((a, b) => b.score - a.score || (a.site.code < b.site.code ? -1 : 1))
      .slice(0, limit)
      .map(({ site }) => site);
  };
}

function entryOf(site: LocationSite): Entry<LocationSite> {
  const { city, region, regionCode } = site.airport;
  const [foldedCity, name] = [foldedOnce(city), foldedOnce(site.name)];
  const words = ` ${name} ${foldedCity} ${foldedOnce(region)} ${foldedOnce(regionCode)}`;
  return { site, city: foldedCity, name, words };
}

/** Folded names of places: brands share most of them. Never what a caller typed, so their number is limited. */
const folded = new Map<string, string>();

function foldedOnce(name: string): string {
  const known = folded.get(name);
  if (known !== undefined) return known;
  const text = fold(name);
  folded.set(name, text);
  return text;
}

function score({ site, city, name, words }: Entry<LocationSite>, typed: string, typedWords: readonly string[]): number {
  const rank =
    city === typed
      ? 800
      : name.startsWith(typed) || city.startsWith(typed)
        ? 600
        : typedWords.every((word) => words.includes(word))
          ? 400
          : 0;
  if (rank === 0) return 0;
  return rank + (site.kind === 'airport' ? 50 : 0) + (site.airport.large ? 20 : 0);
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
