import type { ResolvedPlace } from '../offers/resolve-place.js';
import type { Problem } from '../status/api-error.js';

/** The codes of the airports, as echoed in `request`; undefined for one place. */
export function airportCodes({ airports }: ResolvedPlace): readonly string[] | undefined {
  return airports?.map(({ given }) => given);
}

/** A problem for a return to another place with several airports: only one of them can be meant. */
export function dropoffProblem({ airports }: ResolvedPlace): Problem | undefined {
  if (!airports) return undefined;
  const codes = airports.map(({ given }) => given).join(', ');
  const details = `"dropoff_location" must be one location, or the place of "pickup_location". Use one of ${codes}.`;
  return { reason: 'invalid_range', field: 'dropoff_location', details };
}
