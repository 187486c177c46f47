import { z } from 'zod';
import { integer, text } from '../http/fields.js';

/** Ids contain the supplier's references, so they can be long. */
const pricedId = text(6_000);
const code = text(40);

const chosenExtra = z.strictObject({
  extra_id: code.describe('The extra_id of one of the extras of the offer.'),
  quantity: integer(1, 9).default(1),
});

/** The fields of a body that identify the offer or quote; `onlyOneId` checks that exactly one is given. */
export const idFields = {
  offer_id: pricedId.optional().describe('The offer_id from a search. Send either this or quote_id.'),
  quote_id: pricedId.optional().describe('The quote_id from a price check. Anything you leave out stays as quoted.'),
};

/** The fields of a body that choose extras and coverages. */
export const choiceFields = {
  extras: z
    .array(chosenExtra)
    .max(20, { error: 'must have at most 20 entries.' })
    .check(withoutDuplicates(['extra_id'], (chosen) => chosen.extra_id))
    .optional(),
  coverages: z
    .array(code)
    .max(20, { error: 'must have at most 20 entries.' })
    .check(withoutDuplicates([], (chosen) => chosen))
    .optional()
    .describe('Codes from the coverages of the offer. Included coverages can be omitted.'),
};

interface Ids {
  readonly offer_id?: unknown;
  readonly quote_id?: unknown;
}

/** Checks that a body with `idFields` has exactly one of them, even if other fields are invalid. */
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
      error: 'must not be sent together with "offer_id".',
    });
}

/** Reports the first entry that repeats an earlier one; `path` leads from the entry to its value. */
function withoutDuplicates<T>(path: readonly string[], codeOf: (entry: T) => string): z.core.CheckFn<T[]> {
  return ({ value, issues }) => {
    const values = value.map(codeOf);
    const duplicate = values.findIndex((entry, index) => values.indexOf(entry) !== index);
    if (duplicate === -1) return;
    const params = { reason: 'invalid_request' };
    issues.push({ code: 'custom', input: value, path: [duplicate, ...path], params, message: 'is chosen twice.' });
  };
}
