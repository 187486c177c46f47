import { type Fault, type Refusal, SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { type ErrorReason, errorReason } from './errors.js';
import { contentOf } from './reply.js';
import { attribute, child, items, textOf, type XmlNode } from './wire.js';

/**
 * An answer about a booking, read strictly: what is not clear stays doubtful (ruling 15). Texts of the supplier are never quoted, because
 * they may repeat the renter's name or card.
 */
export interface BookingReply {
  readonly root: XmlNode;
  /** Whether it says Success, whatever else it holds. */
  readonly success: boolean;
  readonly hasErrors: boolean;
  /** Warnings that neither are advice nor mean anything we know: beside nothing else they leave doubt. */
  readonly hasUnknownWarnings: boolean;
  /** What its Errors mean, or without Errors its Warnings that are failures in disguise (docs/trade.md#late-failures). */
  readonly failure?: Failure;
  /** Types and codes of its Warnings, without their texts. */
  readonly warnings: readonly string[];
}

export interface Failure {
  readonly fault: Fault;
  readonly refusal?: Refusal;
  /** What each of them means; undefined stands for those that nobody knows. */
  readonly reasons: ReadonlySet<ErrorReason | undefined>;
  /** Types and codes, without texts. */
  readonly message: string;
}

/** What a booking message is answered with, and the supplier's own error codes. */
export interface BookingReplyExpectation {
  /** Name of the expected message: OTA_VehResRS. */
  readonly message: string;
  readonly errorCodes: Readonly<Record<string, ErrorReason>>;
}

/**
 * HTTP statuses by which a server refuses a request before it does anything with it. Every other one without an OTA message leaves open
 * what was done: redirects (303 follows work that was done), 408, 409, 422 and the like.
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([400, 404, 405, 413, 414, 415, 431]);

/**
 * Reads the answer to a booking message. Throws SupplierError `auth` (HTTP 401, 403), `throttled` (429), `rejected` (a status of a request
 * that was not taken, without an OTA message), `unavailable` (any other bad status, SOAP Fault) or `bad_payload` (no OTA message, or
 * another one without Errors).
 */
export function readBookingReply(answer: SupplierHttpAnswer, expected: BookingReplyExpectation): BookingReply {
  const { status } = answer;
  if (status === 401 || status === 403) throw new SupplierError('auth', `HTTP ${status}`);
  if (status === 429) throw new SupplierError('throttled', 'HTTP 429');
  if (status >= 500) throw new SupplierError('unavailable', `HTTP ${status}`);
  const ok = status >= 200 && status < 300;
  const root = ok ? contentOf(answer) : refusalContent(answer);
  if (root.name === 'Fault') throw new SupplierError('unavailable', 'SOAP fault');
  const errors = items(root, 'Errors', 'Error');
  if (errors.length === 0 && root.name !== expected.message) {
    if (!ok) throw withoutMessage(status);
    throw new SupplierError('bad_payload', `expected ${expected.message}, got ${root.name.slice(0, 60)}`);
  }
  if (!ok && errors.length === 0)
    throw new SupplierError('unavailable', `HTTP ${status} with a message that holds no Errors`);
  return summed(root, errors, expected);
}

/** Throws what the failure of a reply means. */
export function throwFailure({ fault, message, refusal }: Failure): never {
  throw new SupplierError(fault, message, true, { refusal });
}

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

function summed(root: XmlNode, errors: readonly XmlNode[], { errorCodes }: BookingReplyExpectation): BookingReply {
  const warnings = items(root, 'Warnings', 'Warning').filter((warning) => attribute(warning, 'Type') !== ADVISORY);
  const known = warnings.filter((warning) => reasonOf(warning, errorCodes) !== undefined);
  const failing = errors.length > 0 ? errors : known;
  return {
    root,
    success: child(root, 'Success') !== undefined,
    hasErrors: errors.length > 0,
    hasUnknownWarnings: known.length < warnings.length,
    failure: failing.length > 0 ? failureOf(failing, errorCodes) : undefined,
    warnings: warnings.map(named),
  };
}

/** EWT list. */
const [NO_IMPLEMENTATION, BUSINESS_RULE, ADVISORY] = ['2', '3', '11'] as const;

const GRAVEST_FIRST: readonly Fault[] = ['unavailable', 'auth', 'throttled', 'rejected'];

/** Of several errors the gravest decides: doubt before refusal. Why it was refused is told where they do not contradict each other. */
function failureOf(errors: readonly XmlNode[], errorCodes: Readonly<Record<string, ErrorReason>>): Failure {
  const reasons = errors.map((error) => reasonOf(error, errorCodes));
  const faults = new Set(errors.map((error, index) => faultOf(reasons[index], attribute(error, 'Type'))));
  const fault = GRAVEST_FIRST.find((candidate) => faults.has(candidate)) ?? 'unavailable';
  const refusals = new Set(reasons.flatMap((reason) => (reason && REFUSALS[reason]) ?? []));
  return {
    fault,
    refusal: fault === 'rejected' && refusals.size === 1 ? [...refusals][0] : undefined,
    reasons: new Set(reasons),
    message: errors.map(named).join('; '),
  };
}

/** By type and code; where they say nothing, a text that the price is gone (docs/trade.md#late-failures: it comes without a code). */
function reasonOf(error: XmlNode, errorCodes: Readonly<Record<string, ErrorReason>>): ErrorReason | undefined {
  const reason = errorReason(attribute(error, 'Type'), attribute(error, 'Code'), errorCodes);
  if (reason) return reason;
  return PRICE_GONE.test(`${attribute(error, 'ShortText') ?? ''} ${textOf(error) ?? ''}`) ? 'rate_expired' : undefined;
}

const PRICE_GONE = /\b(price|rate|quote)\b.{0,30}\b(no longer (available|valid)|expired)\b/i;

/**
 * Whether a refusal is certain. Not so for the supplier's own trouble, for a reference it has seen before (our booking may be the one it
 * means), for "on request" said as an error, and for codes nobody knows unless the type says that it is a rule of the trade.
 */
function faultOf(reason: ErrorReason | undefined, type: string | undefined): Fault {
  switch (reason) {
    case 'auth':
    case 'throttled':
      return reason;
    case 'unavailable':
    case 'duplicate_reference':
    case 'on_request':
      return 'unavailable';
    case undefined:
      return type === BUSINESS_RULE || type === NO_IMPLEMENTATION ? 'rejected' : 'unavailable';
    default:
      return 'rejected';
  }
}

/** What a caller is told of a reason; a reason that is not here is a refusal without a name. */
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

/** A code as it may stand in a log; anything that is not one could be text about the renter. */
function shortCode(error: XmlNode, name: string): string {
  const code = attribute(error, name);
  return code !== undefined && /^\w{1,8}$/.test(code) ? code : '?';
}
