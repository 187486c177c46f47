import { placeIndex } from '../places/place-index.js';
import type { Position } from '../places/places.js';
import { type Candidate, fold, type RankAim, type Relevances, rank, relevance } from './rank.js';
import { distanceFrom } from './reach.js';

/** A location, and the others at the same place. */
export interface RankedPlace {
  readonly candidate: Candidate;
  /** In order of rank; at most 20. */
  readonly samePlace: readonly Candidate[];
}

/** What the locations are ranked by. Without a keyword, they keep the order of `rank`: airports first, then by distance. */
export interface PlaceAim extends RankAim {
  /** The position of the place that the caller means. */
  readonly position?: Position | undefined;
}

/** Locations within this distance are at the place that the caller means, rather than at another one of the same name. */
const AT_PLACE_KM = 100;
const MOST_SAME = 20;
/** The relevance of an exact code. */
const EXACT = 100;

interface Group {
  readonly members: Candidate[];
  readonly isNear: boolean;
  readonly relevance: number;
  readonly isAirport: boolean;
  readonly importance: number;
}

/**
 * The best `limit` locations, at as many different places as there are: locations at one airport are one place, each location in town is one
 * of its own. Places near the caller's come first, then by relevance, airports before town, and airports by importance. If
 * there are fewer places than `limit`, further locations at them follow in the order of `rank`. A code names one place: all its locations come before those at other places. `known` has relevances that were computed before.
 */
export async function rankPlaces(
  candidates: readonly Candidate[],
  aim: PlaceAim,
  limit: number,
  known: Relevances,
): Promise<readonly RankedPlace[]> {
  const ordered = await rank(candidates, aim, Number.POSITIVE_INFINITY, known);
  const wanted = aim.keyword === undefined ? undefined : fold(aim.keyword);
  const groups = new Map<string, Group>();
  for (const [index, candidate] of ordered.entries()) {
    const key = candidate.location.iataCode ?? `${index}`;
    const group = groups.get(key);
    if (group) group.members.push(candidate);
    else groups.set(key, groupOf(candidate, aim, wanted, known));
  }
  const sorted = aim.keyword === undefined ? [...groups.values()] : [...groups.values()].sort(compare);
  const others = ({ members }: Group, shown: Candidate): readonly Candidate[] =>
    members.filter((member) => member !== shown).slice(0, MOST_SAME);
  const shown = (some: readonly Group[]): RankedPlace[] => {
    const at = (from: number, to: number): RankedPlace[] =>
      some.flatMap((group) =>
        group.members.slice(from, to).map((candidate) => ({ candidate, samePlace: others(group, candidate) })),
      );
    return [...at(0, 1), ...at(1, limit)];
  };
  const exact = sorted.filter(({ relevance }) => relevance === EXACT);
  return [...shown(exact), ...shown(sorted.filter((group) => group.relevance !== EXACT))].slice(0, limit);
}

function groupOf(candidate: Candidate, { position }: PlaceAim, wanted: string | undefined, known: Relevances): Group {
  const { location } = candidate;
  return {
    members: [candidate],
    isNear: isAt(candidate, position),
    relevance: wanted === undefined ? 0 : (known.get(location) ?? relevance(location, wanted)),
    isAirport: location.type === 'airport',
    importance: location.iataCode === undefined ? 0 : placeIndex().importanceOfAirport(location.iataCode),
  };
}

/** Whether a location is at the place that the caller means; false if one of their positions is unknown. */
export function isAt({ location }: Candidate, position: Position | undefined): boolean {
  return position !== undefined && distanceFrom(position, location) <= AT_PLACE_KM;
}

/** Equal groups keep their order, because sorting is stable. */
function compare(a: Group, b: Group): number {
  return (
    Number(b.isNear) - Number(a.isNear) ||
    b.relevance - a.relevance ||
    Number(b.isAirport) - Number(a.isAirport) ||
    b.importance - a.importance
  );
}
