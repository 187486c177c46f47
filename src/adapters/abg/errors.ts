import type { Fault } from '../../model/supplier.js';

/** What an error of ABG means to us: `empty` is a search without results, everything else a fault. */
export type AbgOutcome = 'empty' | Extract<Fault, 'rejected' | 'unavailable' | 'throttled' | 'auth'>;

/** The reason, in the words of the gateway's reasons and causes; for logs, operators and the booking operations. */
export type AbgReason =
  | 'no_results'
  | 'invalid_request'
  | 'invalid_format'
  | 'invalid_range'
  | 'invalid_location'
  | 'invalid_rate'
  | 'invalid_discount'
  | 'location_closed'
  | 'invalid_option'
  | 'card_declined'
  | 'resource_failure'
  | 'unknown_booking'
  | 'already_cancelled'
  | 'authentication_failure'
  | 'permissions_failure'
  | 'throttled'
  | 'supplier_failure';

/** One code: the HTTP statuses it was published with, its meaning, and our classification. */
export interface AbgErrorCode {
  readonly code: string;
  readonly http: readonly number[];
  readonly outcome: AbgOutcome;
  readonly reason: AbgReason;
  readonly meaning: string;
}

type Row = readonly [
  code: string,
  http: number | readonly number[],
  outcome: AbgOutcome,
  reason: AbgReason,
  meaning: string,
];

const rows: readonly Row[] = [
  // Plain HTTP codes. 408, 429 and 503 are documented only in the supplier's guide.
  ['400', 400, 'rejected', 'invalid_request', 'required parameter or field missing'],
  ['401', 401, 'auth', 'authentication_failure', 'client credentials or token rejected'],
  ['403', 403, 'auth', 'permissions_failure', 'token valid, application not allowed'],
  ['404', 404, 'rejected', 'resource_failure', 'bad URI or resource not found'],
  ['406', 406, 'rejected', 'invalid_format', 'Accept header not acceptable'],
  ['408', 408, 'unavailable', 'supplier_failure', 'timeout at the supplier'],
  ['415', 415, 'rejected', 'invalid_format', 'media type not supported'],
  ['429', 429, 'throttled', 'throttled', 'too many requests'],
  ['500', 500, 'unavailable', 'supplier_failure', 'unexpected condition'],
  ['503', 503, 'unavailable', 'supplier_failure', 'maintenance'],
  // Words of the API gateway and the token endpoint, used instead of a code.
  ['invalid_grant', 401, 'auth', 'authentication_failure', 'token not found, expired or invalid'],
  ['invalid_client', 401, 'auth', 'authentication_failure', 'client secret rejected'],
  ['unauthorized_client', 401, 'auth', 'authentication_failure', 'client rejected'],
  // No results, for the searches.
  ['223', 404, 'empty', 'no_results', 'pickup location sold out for the dates'],
  ['500708', 404, 'empty', 'no_results', 'no vehicles for the filter'],
  ['609', 404, 'empty', 'invalid_location', 'no location for the search'],
  ['14381', 404, 'empty', 'no_results', 'one-way rental between these places not available'],
  ['22224', 400, 'empty', 'no_results', 'one-way rental between these places cannot be booked'],
  ['225', [404, 400], 'empty', 'invalid_location', 'no pickup location at the address'],
  ['226', [404, 400], 'empty', 'invalid_location', 'no dropoff location at the address'],
  ['227', [404, 400], 'empty', 'invalid_location', 'no location of the brand at either address'],
  ['203', 400, 'empty', 'invalid_location', 'unknown pickup_location'],
  ['205', 400, 'empty', 'invalid_location', 'unknown dropoff_location'],
  ['242', 400, 'empty', 'location_closed', 'location closed during the requested hours'],
  ['14261', 400, 'empty', 'location_closed', 'location closed at the return hour'],
  // Backend failures.
  ['610', 500, 'unavailable', 'supplier_failure', 'system exception from the e-com backend'],
  ['40018', 500, 'unavailable', 'supplier_failure', 'backend socket timeout'],
  ['319', 400, 'unavailable', 'supplier_failure', 'business exception, no backend session available'],
  // Dates.
  ['231', 400, 'rejected', 'invalid_range', 'pickup_date before now'],
  ['14129', 400, 'rejected', 'invalid_range', 'pickup_date before the current date'],
  ['232', 400, 'rejected', 'invalid_range', 'dropoff_date prior to or same as pickup_date'],
  ['14126', 400, 'rejected', 'invalid_range', 'pickup_date after dropoff_date'],
  ['14442', 400, 'rejected', 'invalid_range', 'rental shorter than the minimum'],
  ['221', 400, 'rejected', 'invalid_range', 'rental longer than 330 days'],
  // Rates and classes.
  ['14528', 400, 'rejected', 'invalid_rate', 'invalid rate_code'],
  ['14105', 400, 'rejected', 'invalid_rate', 'rate and class do not match the brand'],
  ['14022', 400, 'rejected', 'invalid_rate', 'invalid vehicle_class_code'],
  ['19074', 400, 'rejected', 'invalid_rate', 'rate_code and vehicle_class_code do not match the brand'],
  ['14075', 400, 'rejected', 'invalid_rate', 'rate_code requires a valid discount_code'],
  ['217', 400, 'rejected', 'invalid_request', 'vehicle_class_code required with rate_code'],
  ['218', 400, 'rejected', 'invalid_request', 'rate_code required with vehicle_class_code'],
  // Memberships, discounts, coupons.
  ['208', 400, 'rejected', 'invalid_discount', 'invalid membership_code'],
  ['19076', 400, 'rejected', 'invalid_discount', 'invalid loyalty or membership number'],
  ['234', 400, 'rejected', 'invalid_discount', 'invalid loyalty_code, no program chosen'],
  ['235', 400, 'rejected', 'invalid_discount', 'loyalty_code and loyalty_company_id must be sent together'],
  ['1798', 400, 'rejected', 'invalid_discount', 'invalid discount_code'],
  ['216', 400, 'rejected', 'invalid_discount', 'discount_code of another brand'],
  ['209', 400, 'rejected', 'invalid_discount', 'invalid coupon_code'],
  ['1102', 400, 'rejected', 'invalid_discount', 'not a coupon number'],
  ['1103', 400, 'rejected', 'invalid_discount', 'coupon not accepted at this location'],
  ['1109', 400, 'rejected', 'invalid_discount', 'coupon valid only for certain discount types'],
  ['1112', 400, 'rejected', 'invalid_discount', 'coupon requires an IATA number'],
  ['1122', 400, 'rejected', 'invalid_discount', 'coupon not valid for the time frame'],
  ['1124', 400, 'rejected', 'invalid_discount', 'coupon not valid for the brand or car group'],
  ['1203', 400, 'rejected', 'invalid_discount', 'coupon and discount cannot be combined'],
  ['14372', 400, 'rejected', 'invalid_discount', 'invalid coupon_code'],
  ['14374', 400, 'rejected', 'invalid_discount', 'coupon requires a longer rental'],
  ['60010', 400, 'rejected', 'invalid_discount', 'paper coupon, accepted only at the counter'],
  // The renter.
  ['14184', 400, 'rejected', 'unknown_booking', 'last name and customer id do not match'],
  ['219', 400, 'rejected', 'invalid_request', 'country of residence missing'],
  ['210', 400, 'rejected', 'invalid_request', 'first_name required'],
  ['212', 400, 'rejected', 'invalid_request', 'last_name required'],
  ['215', 400, 'rejected', 'invalid_format', 'invalid email'],
  ['12012', 400, 'rejected', 'invalid_request', 'city name required'],
  ['13213', 400, 'rejected', 'invalid_format', 'invalid country code'],
  ['19001', 400, 'rejected', 'invalid_format', 'country, state and postal code do not match'],
  ['237', 400, 'rejected', 'invalid_format', 'invalid flight carrier'],
  ['239', 400, 'rejected', 'invalid_format', 'flight number has at most 4 digits and no letters'],
  // Payment.
  ['300100', 400, 'rejected', 'invalid_request', 'prepay currency required'],
  ['300101', 400, 'rejected', 'invalid_request', 'prepay amount required'],
  ['300102', 400, 'rejected', 'invalid_request', 'credit card details required'],
  ['300111', 400, 'rejected', 'invalid_request', 'prepay details required'],
  ['900909', 400, 'rejected', 'card_declined', 'cvv not valid for the card'],
  ['14220', 400, 'rejected', 'card_declined', 'card type or length does not match'],
  // Reservations: unknown or closed ones, missing fields.
  ['150004', 400, 'rejected', 'unknown_booking', 'last name and confirmation number do not match'],
  ['14036', 404, 'rejected', 'already_cancelled', 'reservation already cancelled'],
  ['200', 400, 'rejected', 'invalid_request', 'brand required'],
  ['202', 400, 'rejected', 'invalid_request', 'pickup_location required'],
  ['206', 400, 'rejected', 'invalid_request', 'pickup_location required'],
  ['204', 400, 'rejected', 'invalid_request', 'dropoff_location required'],
  ['207', 400, 'rejected', 'invalid_request', 'dropoff_location required'],
  ['220', 400, 'rejected', 'invalid_request', 'confirmation number required'],
  ['14299', 400, 'rejected', 'invalid_option', 'invalid insurance details'],
  // Refusals that the backend doesn't explain: a search failed; the outcome of a booking is unknown.
  ['14441', 400, 'rejected', 'supplier_failure', 'bad request, not explained'],
  ['1005', 400, 'rejected', 'supplier_failure', 'refused by the backend because of a data issue'],
  ['14025', 400, 'rejected', 'supplier_failure', 'bad request from the backend'],
  ['19082', 400, 'rejected', 'supplier_failure', 'bad request from the backend'],
];

/**
 * Every code in ABG's contract, guide and public clients. ABG publishes no complete list: the status decides for an
 * unlisted code.
 */
export const abgErrorCodes: readonly AbgErrorCode[] = rows.map(([code, http, outcome, reason, meaning]) => ({
  code,
  http: typeof http === 'number' ? [http] : http,
  outcome,
  reason,
  meaning,
}));

const byCode = new Map(abgErrorCodes.map((row) => [row.code, row]));

/** What is known of a code; undefined for an unpublished one. */
export function abgErrorCode(code: string): AbgErrorCode | undefined {
  return byCode.get(code);
}

/**
 * Classifies an error by HTTP status and code, never by its text. Unambiguous statuses (401, 403, 408, 429, 5xx) take
 * precedence over the code; otherwise the code decides, even inside a 200. An unpublished code is a refusal.
 */
export function abgOutcome(httpStatus: number, code: string): AbgOutcome {
  if (httpStatus === 401 || httpStatus === 403) return 'auth';
  if (httpStatus === 429) return 'throttled';
  if (httpStatus === 408 || httpStatus >= 500) return 'unavailable';
  return byCode.get(code)?.outcome ?? 'rejected';
}
