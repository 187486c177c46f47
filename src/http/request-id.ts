import type { IncomingHttpHeaders } from 'node:http';
import { randomText } from '../config/random-text.js';
import { holdsCardNumber } from '../privacy/card-numbers.js';

/** Ids that the gateway makes itself: a regular expression of PostgreSQL. */
export const OWN_REQUEST_ID = '^req_[A-Za-z0-9_-]{16}$';

/** The caller's X-Request-Id if it is valid, otherwise a new `req_…`. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  // The id goes to logs and suppliers, so it must not contain a card number.
  return typeof given === 'string' && /^[\w.:-]{8,100}$/.test(given) && !holdsCardNumber(given)
    ? given
    : `req_${randomText()}`;
}
