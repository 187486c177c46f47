import { formatAmount, type Money } from '../../model/money.js';
import type { SimulatedAnswer } from '../world.js';

/** All refusals of this supplier: HTTP status and title by code (README.md). */
const PROBLEMS = {
  INVALID_REQUEST: [400, 'The request is invalid'],
  UNAUTHORIZED: [401, 'The API key is missing or unknown'],
  NOT_FOUND: [404, 'No such hold or booking'],
  NO_SUCH_RESOURCE: [404, 'Unknown resource'],
  SOLD_OUT: [409, 'The car is sold out'],
  PRICE_CHANGED: [409, 'The price is higher than expected'],
  ALREADY_CANCELLED: [409, 'The booking is already cancelled'],
  HOLD_CONFIRMED: [409, 'The hold has become a booking'],
  RATE_EXPIRED: [410, 'The rate is no longer sold'],
  HOLD_EXPIRED: [410, 'The hold has expired'],
  UNKNOWN_STATION: [422, 'No such station'],
  STATION_CLOSED: [422, 'The station is closed'],
  DRIVER_NOT_ELIGIBLE: [422, 'The driver is not eligible for this car'],
  EXTRA_NOT_AVAILABLE: [422, 'The extra or protection is not available'],
  TOO_MANY_REQUESTS: [429, 'Too many requests'],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

type ProblemCode = keyof typeof PROBLEMS;

/**
 * A refusal, thrown anywhere below the simulator's entry point, which answers it as problem+json. `detail` is for
 * humans.
 */
export class Problem extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
  ) {
    super(`${code}: ${detail}`);
    this.name = 'Problem';
  }
}

/** A success with a JSON body. */
export function json(status: 200 | 201, body: object): SimulatedAnswer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}

/** A success without content. */
export function noContent(): SimulatedAnswer {
  return { status: 204, headers: {}, body: '' };
}

/** The refusal as application/problem+json (RFC 9457) with the additional member `code`. */
export function problemAnswer({ code, detail }: Problem): SimulatedAnswer {
  const [status, title] = PROBLEMS[code];
  const type = `https://errors.example.com/${code.toLowerCase().replaceAll('_', '-')}`;
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...(status === 429 && { 'retry-after': '1' }) },
    body: JSON.stringify({ type, title, status, code, detail }),
  };
}

/** Minor units in this supplier's format of a standalone amount: {amount: "252.99", currency: "USD"}. */
export function moneyJson(
  amountMinor: number,
  currency: string,
): { readonly amount: string; readonly currency: string } {
  const money: Money = { amountMinor, currency };
  return { amount: formatAmount(money), currency };
}
