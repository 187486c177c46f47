import type { BookingLedger } from '../bookings.js';
import type { DialectSimulator, Inventory, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { type AbgFailure, AbgRefusal, badRequest, failure, gatewayUnauthorized, type Occasion } from './answers.js';
import {
  type AbgCall,
  answerRates,
  cancelReservation,
  createReservation,
  updatePartially,
  updateReservation,
  viewReservation,
} from './booking-handlers.js';
import { answerLocations } from './location-search.js';
import type { AbgStock } from './rental-reader.js';
import { createTokenHandlers } from './token-handlers.js';
import { answerVehicles } from './vehicle-search.js';
import { group, text, type Wire, wireObject } from './wire.js';

/** Token lifetime according to ABG's documentation. */
const TOKEN_TTL_SECONDS = 7_140;

export interface AbgSimulatorOptions {
  /** By brand in ABG's spelling (Avis, Budget, Payless); a brand without an inventory has no locations. */
  readonly inventories: Readonly<Record<string, Inventory>>;
  /** The credentials of the only application. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Epoch milliseconds; determines token expiry and which dates are in the past. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
  readonly tokenTtlSeconds?: number;
}

type Operation = (call: AbgCall, stock: AbgStock) => SimulatedAnswer;

const VIEW = 'GET /cars/reservation/v2';

/** Product calls by method and path; all of them require a token. */
const operations: Readonly<Record<string, Operation>> = {
  'GET /cars/locations/v2/keyword': ({ request, occasion }, { inventories }) =>
    answerLocations(request, inventories, occasion),
  'GET /cars/catalog/v2/vehicles': ({ request, occasion }, { inventories }) =>
    answerVehicles(request, inventories, occasion),
  'POST /cars/catalog/v2/vehicles/rates': answerRates,
  'POST /cars/reservation/v2': createReservation,
  'PATCH /cars/reservation/v2': updateReservation,
  'PATCH /cars/reservation/v2/partial-modify': updatePartially,
  'PUT /cars/reservation/v2': cancelReservation,
  [VIEW]: viewReservation,
};
/** Calls that book, change or cancel. */
const CHANGING = /^(?:POST|PATCH|PUT) \/cars\/reservation\/v2(?:\/partial-modify)?$/;

const WRONG_CLIENT: AbgFailure = {
  status: 401,
  code: '401',
  reason: 'unauthorized_client',
  details: 'Invalid Client Credentials',
};
const NO_RESOURCE: AbgFailure = { status: 404, code: '404', reason: 'resource_failure', details: 'No such resource.' };
const THROTTLED: AbgFailure = {
  status: 429,
  code: '429',
  reason: 'throttled',
  details: 'Too many requests of this application.',
};

const WRONG_MEDIA: AbgFailure = {
  status: 415,
  code: '415',
  reason: 'Unsupported Media Type',
  details: 'Only JSON is supported.',
};

/**
 * Simulates Rental Cars API v2: tokens by headers, both error envelopes, ABG's numeric codes. Stores bookings in the
 * ledger under the transaction_id of their create. Scenario verbs: auth and throttled (every product call), empty (404
 * 500708 or 609; 223 for a rate request; a booking call is done but the answer does not show it), sold_out (404 223),
 * on_request and price (vehicles, rates, reservations). The token call ignores scenarios, because callers without a
 * scenario share its token.
 */
export function createAbgSimulator(options: AbgSimulatorOptions): DialectSimulator {
  const { inventories, ledger, clientId, clientSecret, now } = options;
  const tokens = createTokenHandlers(clientId, clientSecret, now, options.tokenTtlSeconds ?? TOKEN_TTL_SECONDS);
  const stock = { inventories, ledger };

  function answer(request: SimulatedRequest): SimulatedAnswer {
    const call = callOf(request);
    if (call === 'GET /oauth/token/v2') return tokens.issue(request);
    const body = readBody(request);
    const transactionId = request.query.get('transaction_id') ?? text(group(body?.transaction).transaction_id);
    const occasion: Occasion = { now: now(), transactionId };
    const operation = operations[call];
    if (!operation) return failure(NO_RESOURCE, occasion);
    return (
      refusedAtTheDoor(call, request, occasion) ??
      orRefusal(occasion, () => operation({ request, body: requireBody(body, request), occasion }, stock))
    );
  }

  /** Checks token, client and scenario throttled before anything is done. */
  function refusedAtTheDoor(call: string, request: SimulatedRequest, occasion: Occasion): SimulatedAnswer | undefined {
    const { authorization, client_id } = request.headers;
    const bearer = Array.isArray(authorization) ? authorization[0] : authorization;
    if (request.directive.verb === 'auth' || !tokens.accepts(bearer)) return gatewayUnauthorized();
    // The contract declares client_id for every operation except the view.
    if (client_id !== clientId && !(call === VIEW && client_id === undefined)) return failure(WRONG_CLIENT, occasion);
    if (request.directive.verb !== 'throttled') return undefined;
    const refused = failure(THROTTLED, occasion);
    return { ...refused, headers: { ...refused.headers, 'retry-after': '1' } };
  }

  return { answer, changesBookings: (request) => CHANGING.test(callOf(request)), ledger };
}

function callOf({ method, path }: SimulatedRequest): string {
  return `${method} ${path}`;
}

/** The body as a JSON object; empty for a GET, undefined if it is not an object. */
function readBody({ method, body }: SimulatedRequest): Wire | undefined {
  if (method === 'GET') return {};
  try {
    return wireObject(JSON.parse(body));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function requireBody(body: Wire | undefined, { method, headers }: SimulatedRequest): Wire {
  if (method !== 'GET' && !String(headers['content-type']).startsWith('application/json'))
    throw new AbgRefusal(WRONG_MEDIA);
  if (!body) throw new AbgRefusal(badRequest('The body is not a JSON object.'));
  return body;
}

function orRefusal(occasion: Occasion, operation: () => SimulatedAnswer): SimulatedAnswer {
  try {
    return operation();
  } catch (error) {
    if (error instanceof AbgRefusal) return failure(error.failure, occasion);
    throw error;
  }
}
