/**
 * Loose readers for ABG's JSON. Its own examples send numbers as text, text as numbers and "NA" for missing values, and
 * leave out required members, so any read may return undefined and none throws. Hand-written because they run for every
 * vehicle of a search.
 */

import { trimmedCopy } from '../../model/own-copy.js';
import { countryCodeOf } from '../places/country-code.js';
import { flagOf } from '../words/flag-words.js';

/** A JSON object whose members are not validated. */
export type Wire = Readonly<Record<string, unknown>>;

const NOTHING: Wire = {};

/** Undefined for anything but a JSON object. */
export function wireObject(value: unknown): Wire | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Wire) : undefined;
}

/** The object, or an empty one; for members whose absence means the same as an empty object. */
export function group(value: unknown): Wire {
  return wireObject(value) ?? NOTHING;
}

/** The array, or an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Trimmed text; a number becomes text (`model: 500`), unless JSON rounds numbers as large. Undefined for missing values,
 * blanks and other types.
 */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const trimmed = trimmedCopy(value);
  return trimmed === '' ? undefined : trimmed;
}

/** Like `text`, but undefined for "NA", "Na" and "N/A". Not for country codes: NA is Namibia. */
export function word(value: unknown): string | undefined {
  const read = text(value);
  if (read === undefined || read.length > 3) return read;
  const upper = read.toUpperCase();
  return upper === 'NA' || upper === 'N/A' ? undefined : read;
}

const DECIMAL = /^[+-]?\d{1,15}(\.\d{1,12})?$/;

/** A finite number from a number or from plain decimal text. */
export function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const read = text(value);
  return read !== undefined && DECIMAL.test(read) ? Number(read) : undefined;
}

/** An amount in the form that `parseMoney` accepts: only the scalar itself. */
export function scalar(value: unknown): string | number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** true, "true", "Y" and their opposites; undefined for anything else. */
export function flag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const read = text(value);
  return read === undefined ? undefined : flagOf(read);
}

/** ISO 3166-1 alpha-2 in capitals; UK becomes GB. Undefined unless it has two letters. */
export function country(value: unknown): string | undefined {
  const code = text(value);
  return code === undefined ? undefined : countryCodeOf(code);
}

/**
 * One entry of an error body, in any envelope. `code` is an HTTP status, a business code or, from the gateway, a word.
 */
export interface WireFailure {
  readonly code: string;
  readonly reason: string;
}

/**
 * Errors of a body in any of ABG's envelopes: {status: {errors}}, the flat {errors} of the contract's types, the
 * gateway's {error, error_description} and the token endpoint's {errorCode}. Empty if there are none; the count in
 * `request_errors` is not trusted.
 */
export function readFailures(body: Wire): readonly WireFailure[] {
  const nested = list(group(body.status).errors);
  const entries = nested.length > 0 ? nested : list(body.errors);
  const failures: WireFailure[] = [];
  for (const entry of entries) {
    const row = group(entry);
    failures.push({ code: text(row.code) ?? '', reason: text(row.reason) ?? text(row.message) ?? '' });
  }
  if (failures.length > 0) return failures;
  const code = text(body.errorCode) ?? text(body.error);
  return code === undefined ? [] : [{ code, reason: text(body.error_description) ?? text(body.errorSummary) ?? '' }];
}
