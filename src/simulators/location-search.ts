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
 * case, accents and punctuation. Magic locations match only their exact code, whatever the country.
 */
export function createSiteSearch(sites: readonly LocationSite[]): SiteSearch {
  const byCode = new Map(sites.map((site) => [site.code, site]));
  const entries = sites.filter(({ kind }) => kind !== 'magic').map(entryOf);
  return (keyword, countryCode, limit) => {
    const exact = byCode.get(keyword.trim().toUpperCase());
    if (exact?.kind === 'magic') return [exact].slice(0, limit);
    const typed = fold(keyword);
    if (typed === '') return [];
    const words = typed.split(' ').map((word) => ` ${word}`);
    return entries
      .filter(({ site }) => countryCode === undefined || site.airport.countryCode === countryCode)
      .map((entry) => ({ site: entry.site, score: entry.site === exact ? 1_000 : score(entry, typed, words) }))
      .filter((found) => found.score > 0)
      .sort((a, b) => b.score - a.score || (a.site.code < b.site.code ? -1 : 1))
      .slice(0, limit)
      .map(({ site }) => site);
  };
}

function entryOf(site: LocationSite): Entry<LocationSite> {
  const [city, name] = [fold(site.airport.city), fold(site.name)];
  return { site, city, name, words: ` ${name} ${city} ${fold(site.airport.region)} ${fold(site.airport.regionCode)}` };
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
