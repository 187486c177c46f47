import { z } from 'zod';

const TIME_PROBLEM = 'must be a UTC time such as 2027-01-31T04:00:00Z.';

/** A UTC time to the second. */
export const utcTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/, { error: TIME_PROBLEM, abort: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), { error: TIME_PROBLEM, abort: true })
  // PostgreSQL has no year 0.
  .refine((text) => Date.parse(text) >= 0, { error: 'must not be before 1970.', params: { reason: 'invalid_range' } })
  .describe('UTC time (ISO 8601).');

/** Printable text of 1 to `max` characters. */
export const printable = (max: number) =>
  z
    .string()
    .min(1, { error: 'must not be empty.' })
    .max(max, { error: `must have at most ${max} characters.` })
    .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters.' });

/** How many items a page has; in a query, so it is text. */
export const limit = z
  .string()
  .default('100')
  .refine((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 500, {
    error: 'must be a whole number from 1 to 500.',
    params: { reason: 'invalid_range' },
  })
  .transform(Number)
  .describe('At most so many items, 1 to 500; default 100.');

/** The cursor of an earlier page. */
export const cursor = printable(200).optional().describe('The next_cursor of the page before.');

/** The members of a page of a long list: its items in order, and where the next page begins. */
export function pageOf(item: z.ZodRawShape): z.ZodObject {
  return z.strictObject({
    items: z.array(z.strictObject(item)),
    next_cursor: z.string().nullable().describe('Where the next page begins; null if this is the last one.'),
  });
}

/** `true` = the option is given. */
export const flag = z.boolean().default(false);

/** An option without a value, from a flag. */
export function given(isGiven: boolean): true | undefined {
  return isGiven ? true : undefined;
}
