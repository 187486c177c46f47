import { z } from 'zod';
import { ratesBody } from '../catalog/rates.schema.js';
import { ratesAnswer } from '../catalog/rates.wire.js';
import { vehiclesBody, vehiclesQuery } from '../catalog/vehicles.schema.js';
import { vehiclesAnswer } from '../catalog/vehicles.wire.js';
import { locationsQuery } from '../locations/locations.schema.js';
import { locationsAnswer } from '../locations/locations.wire.js';
import { reservationAnswer } from '../reservations/reservation.wire.js';
import { createBody, patchBody, putBody, reservationQuery } from '../reservations/reservations.schema.js';
import { errorBody, statusWire } from '../status/status.wire.js';

/** A JSON object. */
export type Json = Record<string, unknown>;

const tokenAnswer = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Remaining lifetime in whole seconds.'),
    status: statusWire,
  })
  .meta({ id: 'TokenAnswer' });

const oauthForm = z.looseObject({
  client_id: z
    .string()
    .optional()
    .describe('With client_secret, where the Authorization header (Basic) does not carry both.'),
  client_secret: z.string().optional(),
});
const tokenForm = oauthForm.extend({ grant_type: z.literal('client_credentials') });
const ownTokenForm = oauthForm.extend({
  token: z.string().describe('An access token of this client.'),
  token_type_hint: z.string().optional(),
});

const oauthTokenAnswer = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Remaining lifetime in whole seconds.'),
  })
  .meta({ id: 'OAuthTokenAnswer' });

const introspection = z
  .strictObject({
    active: z.boolean().describe('False also for tokens of other clients.'),
    client_id: z.string().optional(),
    token_type: z.literal('Bearer').optional(),
    exp: z.int().optional().describe('End of its life, seconds since 1970.'),
  })
  .meta({ id: 'Introspection' });

const oauthMetadata = z
  .looseObject({
    issuer: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string(),
    introspection_endpoint: z.string(),
  })
  .meta({ id: 'OAuthMetadata' });

const oauthError = z
  .strictObject({ error: z.string().describe('Code of RFC 6749 §5.2.'), error_description: z.string() })
  .meta({ id: 'OAuthError' });

const stateAnswer = z.looseObject({ state: z.string() }).meta({ id: 'StateAnswer' });

/** One operation, told to readers and machines. */
export interface OperationDoc {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` for a part that varies; the first is the canonical one. */
  readonly paths: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Media type of the body; default JSON. */
  readonly bodyType?: string;
  readonly headers?: readonly Json[];
  readonly isPublic?: boolean;
  /** A 200 may also come as application/x-ndjson, when Accept asks for it. */
  readonly streams?: boolean;
  /** Status → what it means and the schema of its body (null = none). */
  readonly answers: Readonly<
    Record<number, readonly [meaning: string, schema: z.ZodType | null, contentType?: string]>
  >;
}

const header = (name: string, description: string, required = false): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

const REQUEST_HEADERS = [
  header('client_id', 'Optional; must be the application the token was issued to.'),
  header('X-Request-Id', 'Optional; echoed, and sent on to suppliers.'),
  header('X-Sandbox-Scenario', 'Sandbox only: what each supplier shall do, such as "alpine=ok; bravo=timeout".'),
];

const SEARCH_HEADERS = [
  ...REQUEST_HEADERS,
  header('Prefer', '"partial=200" answers a partial result with 200 instead of 206.'),
];

const IF_MATCH = header('If-Match', 'ETag you have seen: the change is made only if nothing came between.');
const CHANGE_HEADERS = [
  ...REQUEST_HEADERS,
  IF_MATCH,
  header('Prefer', '"return=representation" answers 200 with the reservation instead of 204.'),
];

const RESERVATION_PATHS = [
  '/cars/reservation/v1/{reservation_id}',
  '/cars/reservation/v1',
  '/cars/reservation/{reservation_id}',
  '/cars/reservation',
];

const ERRORS: OperationDoc['answers'] = {
  400: ['Something in the request must be changed: invalid_request, invalid_format, invalid_range.', errorBody],
  401: ['authentication_failure or required.', errorBody],
  403: ['permissions_failure: not subscribed to the product.', errorBody],
  404: ['no_results or resource_failure.', errorBody],
  408: ['timeout; the connection is closed.', errorBody],
  429: ['throttled; see Retry-After.', errorBody],
  500: ['supplier_failure (one entry a supplier) or unexpected_condition.', errorBody],
  503: ['maintenance; see Retry-After.', errorBody],
};

const OAUTH_ERRORS: OperationDoc['answers'] = {
  400: ['invalid_request, or another code of RFC 6749 §5.2.', oauthError],
  401: ['invalid_client; see WWW-Authenticate.', oauthError],
  408: ['temporarily_unavailable; the connection is closed.', oauthError],
  429: ['temporarily_unavailable: too many calls, or too many wrong credentials; see Retry-After.', oauthError],
  500: ['server_error.', oauthError],
  503: ['temporarily_unavailable; see Retry-After.', oauthError],
};

const OAUTH = {
  method: 'post',
  tag: 'Token',
  isPublic: true,
  bodyType: 'application/x-www-form-urlencoded',
  headers: [
    header(
      'Authorization',
      'Basic, as RFC 6749 §2.3.1 has it; or client_id and client_secret in the body, never both.',
    ),
  ],
} as const;

/** Every operation that is served; a test holds this list against the routes of the running server. */
export const operations: readonly OperationDoc[] = [
  {
    id: 'getAccessToken',
    method: 'get',
    paths: ['/oauth/token/v1'],
    tag: 'Token',
    summary: 'Get an access token',
    description: 'Exchanges client_id and client_secret, sent as headers, for a bearer token of 7199 seconds.',
    isPublic: true,
    headers: [header('client_id', 'Of your application.', true), header('client_secret', 'Of your application.', true)],
    answers: {
      200: ['A fresh token.', tokenAnswer],
      400: ERRORS[400] ?? ['', null],
      401: ERRORS[401] ?? ['', null],
      408: ERRORS[408] ?? ['', null],
      429: ERRORS[429] ?? ['', null],
      500: ERRORS[500] ?? ['', null],
      503: ERRORS[503] ?? ['', null],
    },
  },
  {
    ...OAUTH,
    id: 'issueToken',
    paths: ['/oauth/token/v1'],
    summary: 'Get an access token as RFC 6749 has it',
    description: 'Grant type client_credentials, without scopes. The token is the same as from the GET.',
    body: tokenForm,
    answers: { 200: ['A fresh token.', oauthTokenAnswer], ...OAUTH_ERRORS },
  },
  {
    ...OAUTH,
    id: 'revokeToken',
    paths: ['/oauth/revoke/v1'],
    summary: 'End an access token (RFC 7009)',
    description:
      'It ends on every gateway at once. A token that is not known is no error; one of another client is invalid_grant.',
    body: ownTokenForm,
    answers: { 200: ['The token is not valid any more.', null], ...OAUTH_ERRORS },
  },
  {
    ...OAUTH,
    id: 'introspectToken',
    paths: ['/oauth/introspect/v1'],
    summary: 'Ask whether a token is live (RFC 7662)',
    body: ownTokenForm,
    answers: { 200: ['Live or not.', introspection], ...OAUTH_ERRORS },
  },
  {
    id: 'oauthMetadata',
    method: 'get',
    paths: ['/.well-known/oauth-authorization-server'],
    tag: 'Token',
    summary: 'Where the OAuth operations are (RFC 8414)',
    isPublic: true,
    answers: { 200: ['The metadata.', oauthMetadata], 408: ERRORS[408] ?? ['', null], 503: ERRORS[503] ?? ['', null] },
  },
  {
    id: 'searchLocations',
    method: 'get',
    paths: ['/cars/locations/v1', '/cars/locations'],
    tag: 'Locations',
    summary: 'Search rental locations',
    description: 'By keyword or around a point; the best three over all suppliers.',
    query: locationsQuery,
    headers: [...SEARCH_HEADERS, header('If-None-Match', 'ETag of an earlier answer.')],
    answers: {
      200: ['All suppliers answered.', locationsAnswer],
      206: ['Some suppliers gave nothing; the errors name them.', locationsAnswer],
      304: ['Unchanged since If-None-Match.', null],
      ...ERRORS,
    },
  },
  {
    id: 'searchVehicles',
    method: 'get',
    paths: ['/cars/catalog/v1/vehicles', '/cars/catalog/vehicles'],
    tag: 'Availability',
    summary: 'Search vehicles',
    description:
      'Offers of all suppliers for one rental. With Accept: application/x-ndjson they stream in as suppliers answer.',
    query: vehiclesQuery,
    streams: true,
    headers: SEARCH_HEADERS,
    answers: {
      200: ['All suppliers answered.', vehiclesAnswer],
      206: ['Some suppliers gave nothing; the errors name them.', vehiclesAnswer],
      ...ERRORS,
    },
  },
  {
    id: 'searchVehiclesByBody',
    method: 'post',
    paths: ['/cars/catalog/v1/vehicles', '/cars/catalog/vehicles'],
    tag: 'Availability',
    summary: 'Search vehicles with a body',
    description:
      'As by GET, and for what may not stand in a URL. A partial result is a 200 with error entries: spec §7.2 allows no 206 on POST.',
    body: vehiclesBody,
    streams: true,
    headers: SEARCH_HEADERS,
    answers: { 200: ['The offers; errors name suppliers that gave nothing.', vehiclesAnswer], ...ERRORS },
  },
  {
    id: 'priceOffer',
    method: 'post',
    paths: ['/cars/catalog/v1/vehicles/rates', '/cars/catalog/vehicles/rates'],
    tag: 'Availability',
    summary: 'Price an offer',
    description:
      'Asks the supplier what an offer (or an earlier quote) costs now with the extras and coverages chosen. Creates nothing at the supplier.',
    body: ratesBody,
    headers: REQUEST_HEADERS,
    answers: {
      200: ['The quote.', ratesAnswer],
      ...ERRORS,
      404: [
        'no_results with cause sold_out, or resource_failure: no such id, or with cause rate_expired one that is over.',
        errorBody,
      ],
    },
  },
  {
    id: 'createReservation',
    method: 'post',
    paths: ['/cars/reservation/v1', '/cars/reservation'],
    tag: 'Reservations',
    summary: 'Book an offer or quote',
    description:
      'Prices the offer once more and books it. 202 means that the outcome is not certain yet: read the reservation until it is. An error means that certainly nothing is booked.',
    body: createBody,
    headers: [
      ...REQUEST_HEADERS,
      header(
        'Idempotency-Key',
        'Yours, 1–255 visible ASCII characters, one for each booking: a repeated request gets the same answer and never books twice.',
      ),
    ],
    answers: {
      201: ['Booked.', reservationAnswer],
      202: ['Accepted: on request, or the supplier gave no clear answer.', reservationAnswer],
      ...ERRORS,
      404: [
        'no_results with cause sold_out; resource_failure: no such id, or with cause rate_expired one that is over.',
        errorBody,
      ],
    },
  },
  {
    id: 'readReservation',
    method: 'get',
    paths: RESERVATION_PATHS,
    tag: 'Reservations',
    summary: 'Read a reservation',
    query: reservationQuery,
    headers: REQUEST_HEADERS,
    answers: { 200: ['The reservation with its history.', reservationAnswer], ...ERRORS },
  },
  {
    id: 'changeReservation',
    method: 'patch',
    paths: RESERVATION_PATHS,
    tag: 'Reservations',
    summary: 'Change parts of a reservation',
    description:
      'Contact, arrival, remark, extras, coverages, pickup_later; null removes. A supplier that cannot is a 400 with cause unsupported_by_supplier.',
    query: reservationQuery,
    body: patchBody,
    headers: CHANGE_HEADERS,
    answers: { 200: ['The reservation as it is now.', reservationAnswer], 204: ['Changed.', null], ...ERRORS },
  },
  {
    id: 'replaceReservation',
    method: 'put',
    paths: RESERVATION_PATHS,
    tag: 'Reservations',
    summary: 'Replace the rental of a reservation',
    description:
      'Other dates, places, vehicle or rate: by a fresh offer or quote of the same supplier and brand. The driver stays.',
    query: reservationQuery,
    body: putBody,
    headers: [...REQUEST_HEADERS, IF_MATCH],
    answers: {
      200: ['The reservation as it is now.', reservationAnswer],
      202: ['Sent; the supplier gave no clear answer yet.', reservationAnswer],
      ...ERRORS,
    },
  },
  {
    id: 'cancelReservation',
    method: 'delete',
    paths: RESERVATION_PATHS,
    tag: 'Reservations',
    summary: 'Cancel a reservation',
    description: 'Cancelling what is cancelled is the same success.',
    query: reservationQuery,
    headers: CHANGE_HEADERS,
    answers: { 200: ['The cancelled reservation.', reservationAnswer], 204: ['Cancelled.', null], ...ERRORS },
  },
  {
    id: 'live',
    method: 'get',
    paths: ['/health/live'],
    tag: 'Operations',
    summary: 'The process runs',
    isPublic: true,
    answers: { 200: ['Yes.', stateAnswer] },
  },
  {
    id: 'ready',
    method: 'get',
    paths: ['/health/ready'],
    tag: 'Operations',
    summary: 'The process can serve',
    isPublic: true,
    answers: { 200: ['Yes.', stateAnswer], 503: ['No.', stateAnswer] },
  },
  {
    id: 'metrics',
    method: 'get',
    paths: ['/metrics'],
    tag: 'Operations',
    summary: 'Prometheus metrics',
    isPublic: true,
    answers: { 200: ['Text.', z.string(), 'text/plain'] },
  },
  {
    id: 'openapi',
    method: 'get',
    paths: ['/openapi.json'],
    tag: 'Operations',
    summary: 'This document',
    isPublic: true,
    answers: { 200: ['OpenAPI 3.1.', z.looseObject({})] },
  },
];
