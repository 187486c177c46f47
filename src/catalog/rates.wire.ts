import { z } from 'zod';
import { chosenShape, moneyWire, offerWire } from '../representations/offers.wire.js';
import { statusWire } from '../status/status.wire.js';

/** An offer as its supplier prices it now (docs/model.md#quote). */
const quote = z
  .strictObject({
    quote_id: z
      .string()
      .describe('Opaque; valid until expires_at, for your application. Book with it, or price it again.'),
    offer: offerWire.describe(
      'The offer as it is now: price.total contains what was chosen. Its offer_id stands for the offer without that.',
    ),
    ...chosenShape,
    price_change: z
      .strictObject({ previous: moneyWire, current: moneyWire, delta: moneyWire.optional() })
      .optional()
      .describe('Only when the price moved since the id was made; both amounts for the same choice, the earlier one.'),
    price_guarantee: z.enum(['none']).describe('none: the price is checked once more before a booking.'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Quote' });

/** Answer of POST /cars/catalog/v1/vehicles/rates. */
export const ratesAnswer = z.strictObject({ status: statusWire, quote }).meta({ id: 'RatesAnswer' });
