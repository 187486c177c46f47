import { z } from 'zod';
import { isCountry } from '../places/places.js';

/**
 * Fields that several operations share. Query values are text: a `query…` field parses text to a typed value; a body
 * field accepts JSON types only. Messages complete a sentence that begins with the field's name.
 */

/** What is wrong with a country code that ISO 3166-1 doesn't have. */
export const UNKNOWN_COUNTRY = 'is not a country code of ISO 3166-1.';

/** ISO 3166-1 alpha-2, any case; or one of `others`. */
export function countryCodeOr(...others: readonly string[]) {
  return z
    .string()
    .regex(/^[A-Za-z]{2}$/, { error: 'must be a two-letter country code (ISO 3166-1 alpha-2), such as US.' })
    .transform((code) => code.toUpperCase())
    .refine((code) => others.includes(code) || isCountry(code), {
      error: UNKNOWN_COUNTRY,
      params: { reason: 'invalid_range' },
    })
    .describe('Country, ISO 3166-1 alpha-2.');
}

/** ISO 3166-1 alpha-2, any case. */
export const countryCode = countryCodeOr();

/** Control characters (C0, DEL, C1), half characters, line and paragraph separators, and text-direction marks. */
export const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Text of 1 to `max` characters, well-formed Unicode without control characters and direction marks, trimmed. */
export function text(max: number) {
  return z
    .string()
    .trim()
    .min(1, { error: 'must not be empty.' })
    .max(max, { error: `must have at most ${max} characters.` })
    .refine((value) => !UNSEEN.test(value), {
      error: 'must not contain control characters, text-direction marks or invalid Unicode.',
      params: { reason: 'invalid_format' },
    });
}

/** A comma-separated list of up to `max` nonempty parts. */
export function commaList(max: number) {
  return z
    .string()
    .max(400, { error: 'must have at most 400 characters.' })
    .transform((value) => value.split(',').map((part) => part.trim()))
    .pipe(
      z
        .array(z.string().min(1, { error: 'must not have empty parts.' }))
        .max(max, { error: `must have at most ${max} comma-separated parts.` }),
    );
}

/** An integer within a range, from text. */
export function queryInteger(min: number, max: number) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, { error: 'must be an integer.' })
    .transform(Number)
    .pipe(integer(min, max));
}

/** An integer within a range. */
export function integer(min: number, max: number) {
  const error = `must be between ${min} and ${max}.`;
  return z
    .number({ error: 'must be an integer.' })
    .int({ error: 'must be an integer.' })
    .min(min, { error })
    .max(max, { error });
}

/** A decimal number within a range, from text. */
export function queryNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^-?\d{1,9}(\.\d{1,12})?$/, { error: 'must be a decimal number.' })
    .transform(Number)
    .pipe(decimalNumber(min, max));
}

/** A finite number within a range. */
export function decimalNumber(min: number, max: number) {
  const error = `must be between ${min} and ${max}.`;
  return z.number({ error: 'must be a number.' }).min(min, { error }).max(max, { error });
}

/** true or false, from text. */
export const queryBoolean = z
  .enum(['true', 'false'], { error: 'must be true or false.' })
  .transform((value) => value === 'true');

/** A local date and time without a time zone, `YYYY-MM-DDTHH:mm[:ss]`; the result includes seconds. */
export const localDateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/, {
    error: 'must be a local date and time without a time zone, such as 2027-05-01T10:00:00.',
  })
  .transform((value) => (value.length === 16 ? `${value}:00` : value))
  .refine(isRealDateTime, { error: 'is not an existing date and time.', params: { reason: 'invalid_format' } });

function isRealDateTime(value: string): boolean {
  const at = new Date(`${value}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === value;
}

/** The last time that is taken, in milliseconds since 1970. */
export const LAST_INSTANT = Date.UTC(9999, 11, 31);

/**
 * A time with a time zone, of a year that PostgreSQL can read; the result is in epoch milliseconds. The text is checked before it is
 * parsed, so that an API description has its type.
 */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be a time with a time zone, such as 2027-05-01T00:00:00Z.' })
  .refine((value) => Date.parse(value) >= 0, { error: 'must not be before 1970.' })
  .refine((value) => Date.parse(value) <= LAST_INSTANT, { error: 'must not be after 9999-12-31T00:00:00Z.' })
  .transform((value) => Date.parse(value));
