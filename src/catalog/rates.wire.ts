import { z } from 'zod';
import { chosenShape, moneyWire, offerWire } from '../representations/offers.wire.js';
import { statusWire } from '../status/status.wire.js';

/** An offer at its current price (docs/model.md#quote). */
export const quoteWire = z
  .strictObject({
    quote_id: z
      .string()
      .describe(
        'Opaque. Valid until expires_at and only for your application. Use it to book or to check the price again.',
      ),
    offer: offerWire.describe(
      'The current offer. price.total includes the chosen extras and coverages; offer_id identifies the offer without them.',
    ),
    ...chosenShape,
    price_change: z
      .strictObject({ previous: moneyWire, current: moneyWire, delta: moneyWire })
      .optional()
      .describe(
        'Present if the price has changed since the offer or quote was issued. Both amounts are for the choices made then.',
      ),
    price_guarantee: z.enum(['none']).describe('none: the price is checked again before a booking.'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Quote' });

/** Answer of POST /cars/catalog/v1/vehicles/rates. */
export const ratesAnswer = z.strictObject({ status: statusWire, quote: quoteWire }).meta({ id: 'RatesAnswer' });
