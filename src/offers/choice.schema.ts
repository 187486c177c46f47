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

/** Check of a body with `idFields`: exactly one of them. */
export function onlyOneId({ value, issues }: z.core.ParsePayload<{ offer_id?: string | undefined; quote_id?: string | undefined }>): void {
  const { offer_id, quote_id } = value;
  if ((offer_id === undefined) !== (quote_id === undefined)) return;
  const [field, message] =
    offer_id === undefined
      ? ['offer_id', '"offer_id" or "quote_id" is required.']
      : ['quote_id', 'must not be given together with "offer_id".'];
  issues.push({ code: 'custom', input: value, path: [field], params: { reason: 'invalid_request' }, message });
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
