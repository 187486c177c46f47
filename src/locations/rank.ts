import { isWithinEdits } from '../http/nearest.js';
import type { SupplierLocation } from '../model/locations.js';
import { inTurns } from '../suppliers/answers/turns.js';

/** A location from a supplier, with the supplier's position in the configuration. */
export interface Candidate {
  readonly supplier: string;
  readonly supplierIndex: number;
  readonly location: SupplierLocation;
  /** Distance from the point of the search, in kilometers. */
  readonly distanceKm?: number;
}

/** What locations are ranked by, and for whom. */
export interface RankAim {
  /** Undefined = by distance only. */
  readonly keyword: string | undefined;
  /** The account that searches; undefined = none. */
  readonly account: string | undefined;
}

/** The relevance of locations for one keyword. */
export type Relevances = Map<SupplierLocation, number>;

/** Typos are looked for in keywords of up to five words, among the first words of a location's texts. */
const MOST_TYPED = 5;
const MOST_WORDS = 30;

/** Characters of a name by which it is found. Some characters become up to 18 when they are decomposed. */
const MOST_FOLDED = 160;

/**
 * Lowercases and removes accents and punctuation: "Orléans (Gare)" → "orleans gare". Reads only the first 160
 * characters.
 */
export function fold(text: string): string {
  return text
    .slice(0, MOST_FOLDED)
    .normalize('NFKD')
    .slice(0, MOST_FOLDED)
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/**
 * The best `limit` locations for a keyword (docs/model.md#location): exact IATA or location codes first, then name and
 * city by relevance; ties go to airports, then to the nearer location. Equal locations alternate between suppliers in
 * supplier order, so that one supplier's brands do not fill the list. Locations closed to the public are left out, and
 * so are locations that do not match the keyword (a supplier's search may be broader), unless none would remain. `known` has
 * relevances that were computed before. The work is done in turns of the account.
 */
export async function rank(
  candidates: readonly Candidate[],
  { keyword, account }: RankAim,
  limit: number,
  known?: Relevances,
): Promise<Candidate[]> {
  const wanted = keyword === undefined ? undefined : fold(keyword);
  const scored: Scored[] = [];
  const weigh = (candidate: Candidate): void => {
    if (!candidate.location.public) return;
    const score = wanted === undefined ? 1 : (known?.get(candidate.location) ?? relevance(candidate.location, wanted));
    scored.push({ candidate, index: scored.length, score });
  };
  await inTurns(candidates, weigh, { account });
  const matching = scored.filter((row) => row.score > 0);
  const sorted = (matching.length > 0 ? matching : scored).sort(compare);
  const turns = turnsOf(sorted);
  const dealt = sorted.map((row, position) => ({ ...row, turn: turns[position] ?? 0 }));
  return dealt
    .sort(
      (a, b) =>
        compareMerit(a, b) ||
        a.turn - b.turn ||
        a.candidate.supplierIndex - b.candidate.supplierIndex ||
        a.index - b.index,
    )
    .slice(0, limit)
    .map((row) => row.candidate);
}

interface Scored {
  readonly candidate: Candidate;
  readonly index: number;
  readonly score: number;
}

function compare(a: Scored, b: Scored): number {
  return compareMerit(a, b) || a.candidate.supplierIndex - b.candidate.supplierIndex || a.index - b.index;
}

function compareMerit(a: Scored, b: Scored): number {
  return (
    b.score - a.score ||
    Number(isAirport(b.candidate)) - Number(isAirport(a.candidate)) ||
    (a.candidate.distanceKm ?? 0) - (b.candidate.distanceKm ?? 0)
  );
}

/**
 * For each location, the number of equal ones of the same supplier before it. Single pass, because a supplier may
 * return tens of thousands of equal locations.
 */
function turnsOf(sorted: readonly Scored[]): readonly number[] {
  let turns = new Map<number, number>();
  return sorted.map((own, position) => {
    const before = sorted[position - 1];
    if (before && compareMerit(before, own) !== 0) turns = new Map();
    const turn = turns.get(own.candidate.supplierIndex) ?? 0;
    turns.set(own.candidate.supplierIndex, turn + 1);
    return turn;
  });
}

/** The relevance from 100 (exact code) to 0 (no match). `wanted` is folded. */
export function relevance(location: SupplierLocation, wanted: string): number {
  if (fold(location.code) === wanted || location.iataCode?.toLowerCase() === wanted) return 100;
  const city = fold(location.address.city ?? '');
  const name = fold(location.name);
  if (city === wanted || name === wanted) return 90;
  if (city.startsWith(`${wanted} `) || name.startsWith(`${wanted} `)) return 80;
  if (` ${name} ${city} `.includes(` ${wanted} `)) return 70;
  if (` ${name} ${city}`.includes(` ${wanted}`)) return 60;
  const words = wanted.split(' ');
  const text =
    `${name} ${city} ${fold(location.address.region ?? '')} ${location.address.countryCode.toLowerCase()}`.split(' ');
  if (words.length > 1 && words.every((word) => text.some((other) => other.startsWith(word)))) return 50;
  const near = [...new Set(text)].slice(0, MOST_WORDS);
  return words.length <= MOST_TYPED && words.every((word) => near.some((other) => isTypo(word, other))) ? 40 : 0;
}

/** Whether a word is a typo of another: one edit allowed from five letters, two from eight. */
function isTypo(word: string, other: string): boolean {
  const allowed = word.length >= 8 ? 2 : word.length >= 5 ? 1 : 0;
  return isWithinEdits(word, other, allowed);
}

function isAirport(candidate: Candidate): boolean {
  return candidate.location.type === 'airport';
}
