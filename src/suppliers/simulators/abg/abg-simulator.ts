import type { BookingLedger } from '../bookings.js';
import type { DialectSimulator, Inventory, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { type AbgFailure, failure, gatewayUnauthorized, type Occasion } from './answers.js';
import { answerLocations } from './location-search.js';
import { createTokenDesk } from './token-desk.js';
import { answerVehicles } from './vehicle-search.js';

/** Token lifetime of the documents. */
const TOKEN_TTL_SECONDS = 7_140;

export interface AbgSimulatorOptions {
  /** By brand in ABG's spelling (Avis, Budget, Payless); a brand without one has no locations. */
  readonly inventories: Readonly<Record<string, Inventory>>;
  /** The one application that is known. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Epoch milliseconds; decides token expiry and what lies in the past. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
  readonly tokenTtlSeconds?: number;
}

type Operation = (request: SimulatedRequest, inventories: Readonly<Record<string, Inventory>>, occasion: Occasion) => SimulatedAnswer;

/** Product calls, by method and path; all of them want a token. */
const operations: Readonly<Record<string, Operation>> = {
  'GET /cars/locations/v2/keyword': answerLocations,
  'GET /cars/catalog/v2/vehicles': answerVehicles,
};

const WRONG_CLIENT: AbgFailure = { status: 401, code: '401', reason: 'unauthorized_client', details: 'Invalid Client Credentials' };
const NO_RESOURCE: AbgFailure = { status: 404, code: '404', reason: 'resource_failure', details: 'No such resource.' };
const THROTTLED: AbgFailure = { status: 429, code: '429', reason: 'throttled', details: 'Too many requests of this application.' };

/**
 * Speaks Rental Cars API v2 for the searches: tokens by headers, both error envelopes, ABG's numeric codes. Scenario verbs: auth and
 * throttled (every product call), empty (404 500708 or 609), sold_out (404 223, vehicles), on_request and price (vehicles). The token call
 * ignores scenarios: its answer is shared by callers who asked for none.
 */
export function createAbgSimulator(options: AbgSimulatorOptions): DialectSimulator {
  const { inventories, clientId, clientSecret, now } = options;
  const desk = createTokenDesk(clientId, clientSecret, now, options.tokenTtlSeconds ?? TOKEN_TTL_SECONDS);

  function answer(request: SimulatedRequest): SimulatedAnswer {
    const call = `${request.method} ${request.path}`;
    const occasion: Occasion = { now: now(), transactionId: request.query.get('transaction_id') ?? undefined };
    if (call === 'GET /oauth/token/v2') return desk.issue(request);
    const operation = operations[call];
    if (!operation) return failure(NO_RESOURCE, occasion);
    const { authorization } = request.headers;
    const bearer = Array.isArray(authorization) ? authorization[0] : authorization;
    if (request.directive.verb === 'auth' || !desk.accepts(bearer)) return gatewayUnauthorized();
    if (request.headers.client_id !== clientId) return failure(WRONG_CLIENT, occasion);
    if (request.directive.verb === 'throttled') {
      const refused = failure(THROTTLED, occasion);
      return { ...refused, headers: { ...refused.headers, 'retry-after': '1' } };
    }
    return operation(request, inventories, occasion);
  }

  return { answer, changesBookings: () => false, ledger: options.ledger };
}
