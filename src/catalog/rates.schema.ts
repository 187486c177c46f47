import { z } from 'zod';
import { integer } from '../http/fields.js';
import { choiceFields, idFields, onlyOneId } from '../offers/choice.schema.js';
import { currencyCode } from '../offers/currency-code.schema.js';

/** Body of POST /cars/catalog/v1/vehicles/rates. */
export const ratesBody = onlyOneId(
  z.strictObject({
    ...idFields,
    ...choiceFields,
    age: integer(16, 99)
      .optional()
      .describe('Age of the driver in years. Default: calculated from date_of_birth, or the age used in the search.'),
    currency: currencyCode
      .optional()
      .describe('Currency of price.display. Default: that of the search or quote of the id; none if it had none.'),
    date_of_birth: z.iso.date({ error: 'must be a date, such as 1990-05-31.' }).optional(),
  }),
);

export type RatesBody = z.output<typeof ratesBody>;
