import type { Cause } from '../status/causes.js';
import type { Reason } from '../status/reasons.js';
import type { MagicPlace } from './magic-places.js';

/** The response that a trigger causes. */
interface ExpectedAnswer {
  readonly code: number;
  /** For an error entry; absent for a success. */
  readonly reason?: Reason;
  readonly cause?: Cause;
}

/** One GET request that causes the response. */
export interface RequestTrigger extends ExpectedAnswer {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The query also has pickup and dropoff dates in the future. */
  readonly isDated?: true;
  /** X-Sandbox-Scenario. */
  readonly scenario?: string;
  /** Replaces the application's token. */
  readonly authorization?: string;
  /** A seeded application; `demo` if absent. */
  readonly application?: 'demo-unsubscribed' | 'demo-throttled';
  /** How often to send the request until it gets the response; once if absent. */
  readonly times?: number;
}

/** Where to search for the offer of a trigger. */
interface Searched {
  readonly place: 'BOS' | MagicPlace;
  readonly brand: string;
  /** X-Sandbox-Scenario of the triggering request, not of the search. */
  readonly scenario?: string;
}

/** A booking of the first offer of a search, for an ordinary renter. */
export interface BookingTrigger extends ExpectedAnswer, Searched {
  /** The first and the last state of the reservation; empty if none is created. */
  readonly states: readonly string[];
}

/** A refusal. Its cause determines code and reason. */
export interface RefusalTrigger {
  readonly cause: Cause;
  /** What to do, for the documentation; backticks mark code. */
  readonly how: string;
  /** The request; absent if it takes several requests, or time. */
  readonly request?: Searched & {
    readonly operation: 'createReservation' | 'changeReservation';
    /** Fields that differ from the standard example, with dots for nested fields. */
    readonly fields: Readonly<Record<string, string>>;
  };
}

const byKeyword = (keyword: string) => ({ path: '/cars/locations/v1/', query: { keyword } });
const byPlace = (place: string) =>
  ({ path: '/cars/catalog/v1/vehicles', query: { pickup_location: place }, isDated: true }) as const;
const BOSTON = byKeyword('boston');

/**
 * Every code and reason of the API and a request that causes it. The tests send each; docs/sandbox.md is generated from
 * this list.
 */
export const REQUEST_TRIGGERS: readonly RequestTrigger[] = [
  { code: 200, ...BOSTON },
  { code: 206, reason: 'supplier_failure', cause: 'unavailable', ...byKeyword('ZZT206F') },
  { code: 206, reason: 'no_supplier_results', ...byKeyword('ZZT206E') },
  { code: 206, reason: 'supplier_failure', cause: 'unavailable', ...byPlace('ZZT206B') },
  { code: 206, reason: 'supplier_failure', cause: 'timeout', ...BOSTON, scenario: 'bravo=timeout' },
  { code: 206, reason: 'supplier_failure', cause: 'unavailable', ...BOSTON, scenario: 'alpine=reset' },
  { code: 206, reason: 'supplier_failure', cause: 'bad_payload', ...BOSTON, scenario: 'alpine=html; bravo=garbage' },
  { code: 206, reason: 'supplier_failure', cause: 'rejected', ...BOSTON, scenario: 'alpine=auth' },
  { code: 206, reason: 'supplier_failure', cause: 'throttled', ...BOSTON, scenario: 'bravo=throttled' },
  { code: 400, reason: 'invalid_request', path: '/cars/locations/v1/', query: {} },
  {
    code: 400,
    reason: 'invalid_format',
    path: '/cars/catalog/v1/vehicles',
    query: { pickup_location: 'BOS', pickup_date: 'tomorrow', dropoff_date: 'later' },
  },
  { code: 400, reason: 'invalid_range', path: BOSTON.path, query: { ...BOSTON.query, brand: 'Nobody' } },
  { code: 401, reason: 'authentication_failure', ...BOSTON, authorization: 'Bearer wrong' },
  { code: 401, reason: 'authentication_failure', ...BOSTON, scenario: 'fault=401' },
  { code: 401, reason: 'required', ...BOSTON, authorization: 'Basic eDp5' },
  { code: 403, reason: 'permissions_failure', ...BOSTON, application: 'demo-unsubscribed' },
  { code: 403, reason: 'permissions_failure', ...BOSTON, scenario: 'fault=403' },
  { code: 404, reason: 'no_results', ...byPlace('ZZT404') },
  { code: 404, reason: 'resource_failure', path: '/cars/nothing', query: {} },
  { code: 404, reason: 'resource_failure', path: '/cars/reservation/v1/res_nothing', query: {} },
  { code: 408, reason: 'timeout', ...byKeyword('ZZT408') },
  { code: 429, reason: 'throttled', ...BOSTON, scenario: 'fault=429' },
  { code: 429, reason: 'throttled', ...BOSTON, application: 'demo-throttled', times: 2 },
  { code: 500, reason: 'supplier_failure', cause: 'unavailable', ...byPlace('ZZT500S') },
  { code: 500, reason: 'unexpected_condition', ...BOSTON, scenario: 'fault=500' },
  { code: 503, reason: 'maintenance', ...byKeyword('ZZT503') },
];

/** Every outcome of a booking. The tests make each; docs/sandbox.md is generated from this list. */
export const BOOKING_TRIGGERS: readonly BookingTrigger[] = [
  { code: 201, states: ['confirmed'], place: 'BOS', brand: 'Dune' },
  { code: 202, states: ['unknown', 'confirmed'], place: 'ZZT202', brand: 'Alpine' },
  { code: 202, states: ['unknown', 'manual_review'], place: 'ZZT202', brand: 'Avis' },
  { code: 202, states: ['unknown', 'confirmed'], place: 'BOS', brand: 'Bravo', scenario: 'bravo=empty' },
  { code: 202, states: ['unknown', 'confirmed'], place: 'BOS', brand: 'Dune', scenario: 'dune=lost_then_found' },
  { code: 202, states: ['unknown', 'failed'], place: 'BOS', brand: 'Alpine', scenario: 'alpine=lost_for_good' },
  { code: 202, states: ['unknown', 'failed'], place: 'BOS', brand: 'Dune', scenario: 'dune=error(503)' },
  { code: 202, states: ['on_request', 'confirmed'], place: 'BOS', brand: 'Alpine', scenario: 'alpine=on_request' },
  { code: 400, reason: 'invalid_range', cause: 'price_changed', states: [], place: 'ZZTPRC', brand: 'Bravo' },
  {
    code: 400,
    reason: 'invalid_range',
    cause: 'price_changed',
    states: [],
    place: 'BOS',
    brand: 'Avis',
    scenario: 'abg=price(+10%)',
  },
  { code: 404, reason: 'no_results', cause: 'sold_out', states: [], place: 'ZZTSLD', brand: 'Alpine' },
  {
    code: 404,
    reason: 'no_results',
    cause: 'sold_out',
    states: [],
    place: 'BOS',
    brand: 'Avis',
    scenario: 'abg=sold_out',
  },
  { code: 408, reason: 'timeout', states: [], place: 'BOS', brand: 'Alpine', scenario: 'fault=408' },
  {
    code: 500,
    reason: 'supplier_failure',
    cause: 'throttled',
    states: [],
    place: 'BOS',
    brand: 'Alpine',
    scenario: 'alpine=throttled',
  },
  {
    code: 500,
    reason: 'supplier_failure',
    cause: 'rejected',
    states: [],
    place: 'BOS',
    brand: 'Dune',
    scenario: 'dune=auth',
  },
  { code: 503, reason: 'maintenance', states: [], place: 'BOS', brand: 'Alpine', scenario: 'fault=503(5)' },
];

const card = (number: string): Readonly<Record<string, string>> => ({
  'payment.type': 'card',
  'payment.credit_card_number': number,
  'payment.card_expiry': '12/2039',
  'payment.card_holder': 'Ada Sample',
});

/**
 * Refusals that need more than a place or a scenario. The tests cause each; docs/sandbox.md is generated from this
 * list.
 */
export const REFUSAL_TRIGGERS: readonly RefusalTrigger[] = [
  {
    cause: 'card_declined',
    how: 'pay with the card `4000000000000002`',
    request: { operation: 'createReservation', place: 'BOS', brand: 'Alpine', fields: card('4000000000000002') },
  },
  {
    cause: 'not_eligible',
    how: 'book for a driver aged 18',
    request: { operation: 'createReservation', place: 'BOS', brand: 'Alpine', fields: { 'driver.age': '18' } },
  },
  {
    cause: 'unsupported_by_supplier',
    how: 'pay by card for a Dune offer, which can only be paid at the counter',
    request: { operation: 'createReservation', place: 'BOS', brand: 'Dune', fields: card('4111111111111111') },
  },
  {
    cause: 'version_mismatch',
    how: 'change a reservation with `If-Match: "99"`',
    request: { operation: 'changeReservation', place: 'BOS', brand: 'Alpine', fields: { 'If-Match': '"99"' } },
  },
  {
    cause: 'not_changeable',
    how: 'change a reservation whose outcome is unknown (`ZZT202`)',
    request: { operation: 'changeReservation', place: 'ZZT202', brand: 'Avis', fields: {} },
  },
  {
    cause: 'outcome_unknown',
    how: 'change a reservation with `X-Sandbox-Scenario: alpine=lost_then_found`',
    request: {
      operation: 'changeReservation',
      place: 'BOS',
      brand: 'Alpine',
      scenario: 'alpine=lost_then_found',
      fields: {},
    },
  },
  {
    cause: 'idempotency_mismatch',
    how: 'book, change the driver’s name in the request, and send it again with the same `Idempotency-Key`',
  },
  { cause: 'quote_used', how: 'book a quote, and book the same `quote_id` again with another `Idempotency-Key`' },
  { cause: 'rate_expired', how: 'book an offer after its `expires_at`' },
];

/** The causes that no request to the sandbox produces, and why. docs/sandbox.md is generated from this list. */
export const UNTRIGGERED: Readonly<Partial<Record<Cause, string>>> = {
  circuit_open:
    'Calls that simulate a failure bypass the circuit breaker, so one application’s scenario doesn’t affect others.',
  not_booked: 'The gateway has to stop in the middle of a booking.',
  not_found: 'Simulated suppliers never lose a booking.',
  offer_changed: 'Simulated suppliers keep the car, the locations and the payment of a booking.',
  booked_differently: 'Simulated suppliers have no staff who change bookings.',
  extra_not_available:
    'The gateway rejects a choice that the offer doesn’t have itself, as `invalid_range` at its field.',
  invalid_rate: 'Simulated suppliers accept the rates of their offers until they expire.',
  invalid_discount: 'Simulated suppliers ignore discount codes that they don’t know.',
  invalid_location: 'Searches return no offers between locations that a supplier doesn’t connect.',
  too_many_changes: 'It takes a hundred changes of one reservation.',
  location_closed: 'Searches return no offers for hours at which a location is closed.',
};
