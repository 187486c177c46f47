import { z } from 'zod';
import { integer, text } from '../http/fields.js';

/** Ids hold what a supplier needs to price an offer again: as long as its references are. */
const pricedId = text(6_000);
const code = text(40);

const chosenExtra = z.strictObject({
  extra_id: code.describe('As in the extras of the offer.'),
  quantity: integer(1, 9).default(1),
});

/** The fields of a body that name what is to be priced or booked; `onlyOneId` holds that exactly one is given. */
export const idFields = {
  offer_id: pricedId.optional().describe('From a search. Either this or quote_id.'),
  quote_id: pricedId.optional().describe('From a quote: what is not given stays as it was quoted.'),
};

/** The fields of a body that choose what comes beside the car. */
export const choiceFields = {
  extras: z
    .array(chosenExtra)
    .max(20, { error: 'must have at most 20 entries.' })
    .check(noneTwice(['extra_id'], (chosen) => chosen.extra_id))
    .optional(),
  coverages: z
    .array(code)
    .max(20, { error: 'must have at most 20 entries.' })
    .check(noneTwice([], (chosen) => chosen))
    .optional()
    .describe('Codes, as in the coverages of the offer; included ones need not be named.'),
};

interface Ids {
  readonly offer_id?: unknown;
  readonly quote_id?: unknown;
}

/** Holds a body with `idFields` to exactly one of them, whatever else is wrong with it. */
export function onlyOneId<T extends z.ZodType<Ids>>(schema: T): T {
  const one = { params: { reason: 'invalid_request' }, when: () => true };
  return schema
    .refine(({ offer_id, quote_id }) => offer_id !== undefined || quote_id !== undefined, {
      ...one,
      path: ['offer_id'],
      error: '"offer_id" or "quote_id" is required.',
    })
    .refine(({ offer_id, quote_id }) => offer_id === undefined || quote_id === undefined, {
      ...one,
      path: ['quote_id'],
      error: 'must not be given together with "offer_id".',
    });
}

/** An issue at the first entry that repeats an earlier one; `path` leads from the entry to its value. */
function noneTwice<T>(path: readonly string[], codeOf: (entry: T) => string): z.core.CheckFn<T[]> {
  return ({ value, issues }) => {
    const values = value.map(codeOf);
    const doubled = values.findIndex((entry, index) => values.indexOf(entry) !== index);
    if (doubled === -1) return;
    const params = { reason: 'invalid_request' };
    issues.push({ code: 'custom', input: value, path: [doubled, ...path], params, message: 'is chosen twice.' });
  };
}
