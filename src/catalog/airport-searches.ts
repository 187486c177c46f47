import type { ResolvedPlace } from '../offers/resolve-place.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { failureProblem, type Merged } from '../suppliers/merge.js';
import type { CallOutcome } from '../suppliers/outcome.js';
import { airportCodes } from './airport-codes.js';
import type { NormalizedSearch } from './normalize-search.js';

/** One search per airport of the pickup place, the most important first; the search itself if the place has one. */
export function searchesOf(search: NormalizedSearch): readonly NormalizedSearch[] {
  const { pickup, dropoff } = search;
  if (!pickup.airports) return [search];
  return pickup.airports.map((airport) => ({
    ...search,
    pickup: airport,
    dropoff: dropoff === pickup ? airport : dropoff,
  }));
}

/** The search of the only airport, for lines. Throws ApiError 400 if there are several. */
export function searchForLines(search: NormalizedSearch): NormalizedSearch {
  const [only = search, ...more] = searchesOf(search);
  if (more.length === 0) return only;
  const field = search.pickup.circle ? 'pickup_radius_km' : 'pickup_location';
  const codes = airportCodes(search.pickup)?.join(', ');
  const details = search.pickup.circle
    ? `The circle must contain one airport with "Accept: application/x-ndjson". Use one of ${codes} as "pickup_location".`
    : `"pickup_location" must be one location with "Accept: application/x-ndjson". Use one of ${codes}.`;
  throw ApiError.of('invalid_request', details, { field });
}

/** The calls of several searches as those of one: suppliers in the order in which they first appear, each in that of the searches. */
export function inSupplierOrder<T>(perAirport: readonly (readonly CallOutcome<T>[])[]): readonly CallOutcome<T>[] {
  const [only, ...more] = perAirport;
  if (only && more.length === 0) return only;
  const ids = [...new Set(perAirport.flat().map(({ supplier }) => supplier.id))];
  return ids.flatMap((id) => perAirport.flatMap((calls) => calls.filter(({ supplier }) => supplier.id === id)));
}

/** The views of an offer: those of the search that found it, because its id contains the airport. */
export function viewsOf<T extends object, V>(
  searches: readonly { readonly views: V }[],
  perAirport: readonly (readonly CallOutcome<T>[])[],
): (offer: T) => V {
  const [first] = searches;
  if (!first) throw new Error('there is at least one search');
  if (searches.length === 1) return () => first.views;
  const views = new Map<T, V>();
  for (const [index, calls] of perAirport.entries()) {
    const own = searches[index]?.views ?? first.views;
    for (const call of calls) if (call.kind === 'answered') for (const offer of call.items) views.set(offer, own);
  }
  return (offer) => views.get(offer) ?? first.views;
}

/**
 * What `merge` decided, and an entry for each airport where a supplier failed that answered for another one: a result
 * without them is partial.
 */
export function withFailedAirports<T>(
  merged: Merged,
  perAirport: readonly (readonly CallOutcome<T>[])[],
  { airports = [] }: ResolvedPlace,
): Merged {
  if (perAirport.length === 1) return merged;
  const answered = new Set(perAirport.flat().flatMap((call) => (call.kind === 'answered' ? [call.supplier.id] : [])));
  const problems = perAirport.flatMap((calls, index) =>
    calls.flatMap((call): Problem[] => {
      if (call.kind !== 'failed' || call.brand !== undefined || !answered.has(call.supplier.id)) return [];
      const problem = failureProblem(call.supplier, call.cause);
      return [{ ...problem, details: `${problem.details} This is about ${airports[index]?.given}.` }];
    }),
  );
  return problems.length === 0 ? merged : { partial: true, problems: [...merged.problems, ...problems] };
}
