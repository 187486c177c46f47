import type { ExtraNotice } from '../../model/bookings.js';
import { type Fault, type Refusal, SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { type ErrorReason, errorReason } from './errors.js';
import { extraNotices } from './extra-notices.js';
import { contentOf } from './reply.js';
import { faultMeaning, refuseCredentialFault } from './soap-fault.js';
import { codeAttribute, rowOf } from './table.js';
import { ANY_NUMBER, attribute, child, items, textOf, type XmlNode } from './wire.js';

/**
 * An answer about a booking, read strictly: anything unclear leaves the outcome in doubt (ruling 15). Never quotes the
 * supplier's text, which may contain the renter's name or card.
 */
export interface BookingReply {
  readonly root: XmlNode;
  /** Whether it has Success, whatever else it contains. */
  readonly success: boolean;
  readonly hasErrors: boolean;
  /** Warnings that are neither advisory nor known; without anything else, they leave the outcome in doubt. */
  readonly hasUnknownWarnings: boolean;
  /**
   * The failure described by its Errors or, without Errors, by its Warnings that are really failures
   * (docs/trade.md#late-failures).
   */
  readonly failure?: Failure;
  /** The reasons of its Warnings as they count beside a reservation: trouble of the supplier only by its code. */
  readonly aside: ReadonlySet<ErrorReason>;
  /** Whether a Warning, also one that is only advice, says that the reservation was cancelled. */
  readonly saysCancelled: boolean;
  /** What its Warnings say of extras, including those that are only advice: a renter may count on the extra. */
  readonly extraNotices: readonly ExtraNotice[];
  /** Types and codes of its Warnings, without their texts. */
  readonly warnings: readonly string[];
}

export interface Failure {
  readonly fault: Fault;
  readonly refusal?: Refusal;
  /** The reason of each error; undefined represents unknown ones. */
  readonly reasons: ReadonlySet<ErrorReason | undefined>;
  /** Types and codes, without texts. */
  readonly message: string;
}

/** The expected answer to a booking message, and the supplier's own error codes. */
export interface BookingReplyExpectation {
  /** Name of the expected message: OTA_VehResRS. */
  readonly message: string;
  /** Whether it answers a message that books, changes or cancels. */
  readonly isWrite: boolean;
  readonly errorCodes: Readonly<Record<string, ErrorReason>>;
}

/**
 * HTTP statuses of servers that reject a request before processing it. Any other status without an OTA message leaves
 * the outcome unknown: redirects (303 follows completed work), 408, 409, 422 and so on.
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([400, 404, 405, 413, 414, 415, 431]);

/**
 * Reads the answer to a booking message. Throws SupplierError `auth` (HTTP 401, 403, a SOAP fault about credentials), `throttled` (429), `rejected` (a
 * status of a request that was not processed, without an OTA message), `unavailable` (any other error status, SOAP
 * Fault) or `bad_payload` (no OTA message, or a different one without Errors).
 */
export function readBookingReply(answer: SupplierHttpAnswer, expected: BookingReplyExpectation): BookingReply {
  const { status } = answer;
  if (status === 401 || status === 403) throw new SupplierError('auth', `HTTP ${status}`);
  if (status === 429) throw new SupplierError('throttled', 'HTTP 429');
  if (status >= 500) {
    refuseCredentialFault(answer);
    throw new SupplierError('unavailable', `HTTP ${status}`);
  }
  const ok = status >= 200 && status < 300;
  const root = ok ? contentOf(answer) : refusalContent(answer);
  // Only refused credentials prove that the message was not processed.
  if (root.name === 'Fault')
    throw new SupplierError(faultMeaning(root) === 'auth' ? 'auth' : 'unavailable', 'SOAP fault');
  const errors = items(root, 'Errors', 'Error', ANY_NUMBER);
  if (errors.length === 0 && root.name !== expected.message) {
    if (!ok) throw withoutMessage(status);
    throw new SupplierError('bad_payload', `expected ${expected.message}, got ${root.name.slice(0, 60)}`);
  }
  if (!ok && errors.length === 0)
    throw new SupplierError('unavailable', `HTTP ${status} with a message without Errors`);
  return summed(root, errors, expected);
}

/** Throws the SupplierError for the failure of a reply. */
export function throwFailure({ fault, message, refusal }: Failure): never {
  throw new SupplierError(fault, message, true, { refusal });
}

/**
 * What a reservation without a word for its status is according to the Warnings beside it. Throws `bad_payload` if they
 * say that there is none: it may not be booked. Others (advice about changes, hours, extras, and about the price and
 * payment of one that is retrieved with its number, if `hasNumber`) leave the number decisive.
 */
export function unstatedStatus({ root, aside }: BookingReply, hasNumber = false): 'confirmed' | 'on_request' {
  const doubts = hasNumber && root.name === 'OTA_VehRetResRS' ? NOT_THERE : rowOf(DOUBTS, root.name);
  if (doubts?.some((reason) => aside.has(reason)))
    throw new SupplierError('bad_payload', 'a reservation without a status, with a Warning that is a failure');
  return aside.has('on_request') ? 'on_request' : 'confirmed';
}

const NOT_BOOKED: readonly ErrorReason[] = [
  'auth',
  'throttled',
  'unavailable',
  'no_results',
  'rate_expired',
  'payment_failure',
  'not_eligible',
  'not_found',
  'duplicate_reference',
  'already_cancelled',
  'rejected',
];

/** Those of these that say so of a reservation that was booked before. */
const NOT_THERE: readonly ErrorReason[] = ['not_found', 'already_cancelled', 'rejected'];

/** By message, the reasons of Warnings that contradict a reservation. One of a list of the renter's may be meant by none of them. */
const DOUBTS: Readonly<Record<string, readonly ErrorReason[]>> = {
  OTA_VehResRS: NOT_BOOKED,
  OTA_VehModifyRS: [...NOT_BOOKED, 'not_changeable'],
  OTA_VehRetResRS: NOT_BOOKED,
};

function refusalContent(answer: SupplierHttpAnswer): XmlNode {
  try {
    return contentOf(answer);
  } catch (error) {
    throw withoutMessage(answer.status, error);
  }
}

function withoutMessage(status: number, cause?: unknown): SupplierError {
  return new SupplierError(
    NOT_TAKEN.has(status) ? 'rejected' : 'unavailable',
    `HTTP ${status} without an OTA message`,
    true,
    { cause },
  );
}

function summed(root: XmlNode, errors: readonly XmlNode[], expected: BookingReplyExpectation): BookingReply {
  const all = items(root, 'Warnings', 'Warning', ANY_NUMBER);
  const warnings = all.filter((warning) => codeAttribute(warning, 'Type', 'EWT') !== ADVISORY);
  const known = warnings.filter((warning) => reasonOf(warning, expected) !== undefined);
  const failing = errors.length > 0 ? errors : known;
  return {
    root,
    success: child(root, 'Success') !== undefined,
    hasErrors: errors.length > 0,
    hasUnknownWarnings: known.length < warnings.length,
    failure: failing.length > 0 ? failureOf(failing, expected) : undefined,
    aside: new Set(known.flatMap((warning) => asideOf(warning, expected) ?? [])),
    saysCancelled: all.some((warning) => reasonOf(warning, expected) === 'already_cancelled'),
    extraNotices: extraNotices(all, expected.errorCodes),
    warnings: warnings.map(named),
  };
}

function asideOf(warning: XmlNode, expected: BookingReplyExpectation): ErrorReason | undefined {
  const reason = reasonOf(warning, expected);
  // Types 12 and 13 alone only say who reports it.
  const isByType =
    reason === 'unavailable' && errorReason(undefined, attribute(warning, 'Code'), expected.errorCodes) !== reason;
  return isByType ? undefined : reason;
}

/** EWT list. */
const [NO_IMPLEMENTATION, BUSINESS_RULE, ADVISORY] = ['2', '3', '11'] as const;

const MOST_SERIOUS_FIRST: readonly Fault[] = ['unavailable', 'auth', 'throttled', 'rejected'];

/**
 * If there are several errors, the most serious decides: doubt before refusal. The refusal is stated only if the errors
 * agree on it.
 */
function failureOf(errors: readonly XmlNode[], expected: BookingReplyExpectation): Failure {
  const reasons = errors.map((error) => reasonOf(error, expected));
  const faults = new Set(errors.map((error, index) => faultOf(reasons[index], codeAttribute(error, 'Type', 'EWT'))));
  const fault = MOST_SERIOUS_FIRST.find((candidate) => faults.has(candidate)) ?? 'unavailable';
  const refusals = new Set(reasons.flatMap((reason) => (reason && REFUSALS[reason]) ?? []));
  return {
    fault,
    refusal: fault === 'rejected' && refusals.size === 1 ? [...refusals][0] : undefined,
    reasons: new Set(reasons),
    message: errors.slice(0, 10).map(named).join('; '),
  };
}

/**
 * The reason by type and code; if they give none, by a text that says the price is gone (docs/trade.md#late-failures:
 * it comes without a code). Of a write, the text only explains an Error that is a refusal by its type: it must not refuse what
 * is in doubt.
 */
function reasonOf(error: XmlNode, { errorCodes, isWrite }: BookingReplyExpectation): ErrorReason | undefined {
  const type = codeAttribute(error, 'Type', 'EWT');
  const reason = errorReason(type, attribute(error, 'Code'), errorCodes);
  if (reason) return reason;
  if (isWrite && (error.name !== 'Error' || faultOf(undefined, type) !== 'rejected')) return undefined;
  return PRICE_GONE.test(`${attribute(error, 'ShortText') ?? ''} ${textOf(error) ?? ''}`) ? 'rate_expired' : undefined;
}

const PRICE_GONE = /\b(price|rate|quote)\b.{0,30}\b(no longer (available|valid)|expired)\b/i;

/**
 * Whether a refusal is certain. It isn't for the supplier's internal errors, for a duplicate reference (the supplier
 * may mean our booking), for "on request" reported as an error, and for unknown codes, unless the type marks a business
 * rule.
 */
function faultOf(reason: ErrorReason | undefined, type: string | undefined): Fault {
  switch (reason) {
    case 'auth':
    case 'throttled':
      return reason;
    case 'unavailable':
    case 'duplicate_reference':
    case 'on_request':
    case 'extra_on_request':
      return 'unavailable';
    case undefined:
      return type === BUSINESS_RULE || type === NO_IMPLEMENTATION ? 'rejected' : 'unavailable';
    default:
      return 'rejected';
  }
}

/** The refusal that callers see for a reason; a reason missing here gives an unspecified refusal. */
const REFUSALS: Readonly<Partial<Record<ErrorReason, Refusal>>> = {
  no_results: 'sold_out',
  price_changed: 'price_changed',
  rate_expired: 'rate_expired',
  invalid_rate: 'invalid_rate',
  invalid_discount: 'invalid_discount',
  not_eligible: 'not_eligible',
  payment_failure: 'card_declined',
  location_closed: 'location_closed',
  invalid_location: 'invalid_location',
  extra_not_available: 'extra_not_available',
  not_found: 'not_found',
  not_changeable: 'not_changeable',
  already_cancelled: 'not_changeable',
  unsupported: 'unsupported_by_supplier',
};

function named(error: XmlNode): string {
  return `${error.name} type ${shortCode(error, 'Type')} code ${shortCode(error, 'Code')}`;
}

/** A code that is safe to log; anything else could be text about the renter. */
function shortCode(error: XmlNode, name: string): string {
  const code = attribute(error, name);
  return code !== undefined && /^\w{1,8}$/.test(code) ? code : '?';
}
