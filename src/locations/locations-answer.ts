import { Answer } from '../http/answer.js';
import { cacheable } from '../http/entity-tag.js';
import { type PartialAnswerInput, partialAnswer } from '../representations/partial-answer.js';
import type { FoundLocations } from './locations.service.js';
import { foundLocationView } from './utc-offset.js';

/** What the answers about locations depend on. */
export const VARY = 'authorization, x-sandbox-scenario, prefer';

/** The request properties that shape the response. */
export interface LocationsAnswerInput extends Pick<PartialAnswerInput, 'requestTime' | 'partialAs200'> {
  /** The minor version to serve. */
  readonly minor: number;
  readonly ifNoneMatch: string | undefined;
}

/**
 * Builds the response to a location search. A complete result may be cached, and is 304 if the client already has it. `Age`
 * (RFC 9111) says that a supplier's answer came from memory; a client's cache then keeps the result for less long.
 */
export function writeLocations(found: FoundLocations, input: LocationsAnswerInput): Answer {
  const { minor, requestTime, partialAs200, ifNoneMatch } = input;
  const locations = found.locations.map(({ location, samePlace }) =>
    foundLocationView(location, minor, requestTime, samePlace),
  );
  const written = partialAnswer({
    method: 'GET',
    requestTime,
    partialAs200,
    merged: found,
    members: { locations },
    skipped: found.skipped,
  });
  const age: Record<string, string> = found.ageSeconds === undefined ? {} : { age: String(found.ageSeconds) };
  const answer = { ...written, headers: { ...written.headers, ...age } };
  if (found.partial) return Answer.of(answer);
  const { maxAgeSeconds } = found;
  return cacheable(Answer.of(answer), locations, { maxAgeSeconds, vary: VARY, ifNoneMatch });
}
