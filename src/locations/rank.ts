import { editDistance } from '../http/nearest.js';
import type { SupplierLocation } from '../model/locations.js';

/** A counter that a supplier gave, with the place of its supplier in the configuration. */
export interface Candidate {
  readonly supplier: string;
  readonly supplierIndex: number;
  readonly location: SupplierLocation;
  /** From the point searched around, kilometres. */
  readonly distanceKm?: number;
}

/** Lower case, accents and punctuation gone: "Orléans (Gare)" → "orleans gare". */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/**
 * The best `limit` counters for a keyword (docs/model.md#location: exact IATA or location code first, then name and city by relevance, airports before
 * downtown on ties, then the nearer; equals are dealt out one a supplier in supplier order, so that one supplier's brands do not fill the list). Pure; counters closed to the public are left out, and so is a counter that does not
 * match the keyword at all (a supplier's own search may be broader than ours) unless that would leave nothing.
 */
export function rank(candidates: readonly Candidate[], keyword: string | undefined, limit: number): Candidate[] {
  const wanted = keyword === undefined ? undefined : fold(keyword);
  const scored = candidates
    .filter((candidate) => candidate.location.public)
    .map((candidate, index) => ({
      candidate,
      index,
      score: wanted === undefined ? 1 : relevance(candidate.location, wanted),
    }));
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

/** How many equals of the same supplier stand before each. In one pass: a supplier may give tens of thousands that are all alike. */
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

/** 100 exact code … 0 no relation. `wanted` is folded. */
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
  return words.every((word) => text.some((other) => isSlip(word, other))) ? 40 : 0;
}

/** At most one slip in words of five letters, two from eight on. */
function isSlip(word: string, other: string): boolean {
  const allowed = word.length >= 8 ? 2 : word.length >= 5 ? 1 : 0;
  return Math.abs(word.length - other.length) <= allowed && editDistance(word, other) <= allowed;
}

function isAirport(candidate: Candidate): boolean {
  return candidate.location.type === 'airport';
}
