import { holdsCardNumber } from '../http/sensitive-url.js';
import { ApiError, type Problem } from '../status/api-error.js';

/** The only field for a card number (ruling 25), and fields whose own values may look like one. */
const ALLOWED = new Set(['payment.credit_card_number', 'driver.licence.number', 'offer_id', 'quote_id']);
const LOYALTY_NUMBER = /^driver\.loyalty\.\d+\.number$/;
const MAX_DEPTH = 8;

/**
 * Rejects card numbers outside the card field, where they would be stored, logged or shown. Throws ApiError 400 with
 * one entry per field, without quoting the value. `body` is the raw JSON body.
 */
export function refuseStrayCards(body: unknown): void {
  const [first, ...rest] = strayCards(body, '', 0);
  if (first) throw new ApiError([first, ...rest.slice(0, 19)]);
}

function strayCards(value: unknown, field: string, depth: number): Problem[] {
  if (ALLOWED.has(field) || LOYALTY_NUMBER.test(field) || depth > MAX_DEPTH) return [];
  // A number with a country prefix is a phone number, even if it passes the check digit test.
  if (field === 'driver.phone' && typeof value === 'string' && value.startsWith('+')) return [];
  if (typeof value === 'string' || typeof value === 'number')
    return holdsCardNumber(String(value)) ? [stray(field)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (holdsCardNumber(key)) return [stray(field)];
    return strayCards(inner, field === '' ? key : `${field}.${key}`, depth + 1);
  });
}

function stray(field: string): Problem {
  const details = 'A value looks like a payment card number. Send card numbers only in payment.credit_card_number.';
  return { reason: 'invalid_request', details, ...(field === '' ? {} : { field: field.slice(0, 100) }) };
}
