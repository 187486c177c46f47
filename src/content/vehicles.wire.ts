import { z } from 'zod';
import { statusWire } from '../status/status.wire.js';

const name = z.string().describe('In the language of the answer.');
const named = z.strictObject({ value: z.string().describe('As in vehicle.sipp of an offer.'), name }).nullable();

/** The meaning of a SIPP code in words, with a picture. */
export const vehicleContentWire = z
  .strictObject({
    sipp_code: z.string(),
    edition: z.string().describe('The edition of the table with which the code was decoded.'),
    category: named.describe('null, as below, if the letter is unknown or ambiguous.'),
    type: named,
    transmission: named,
    drive: named,
    fuel: named,
    air_conditioning: z.strictObject({ value: z.boolean(), name }).nullable(),
    image: z.strictObject({
      url: z.string().describe('Path on this gateway of an SVG that needs no token: a silhouette, not a photo.'),
      body: z.string(),
      size: z.enum(['small', 'medium', 'large']),
      width: z.int(),
      height: z.int(),
    }),
  })
  .meta({ id: 'VehicleContent' });

/** Answer of GET /cars/vehicles/v1/{sipp_code}. */
export const vehicleContentAnswer = z
  .strictObject({ status: statusWire, vehicle: vehicleContentWire })
  .meta({ id: 'VehicleContentAnswer' });

const names = z.record(z.string(), z.string());

/** Answer of GET /cars/vehicles/v1: names of all enumerated values. */
export const wordsAnswer = z
  .strictObject({
    status: statusWire,
    names: z
      .strictObject({
        category: names,
        type: names,
        transmission: names,
        drive: names,
        fuel: names,
        air_conditioning: names,
        rate_payment: names.describe('rate.payment of an offer.'),
        payment: names.describe('payment.type of a reservation.'),
        card: names.describe('requirements.accepted_cards of an offer.'),
        state: names.describe('state of a reservation.'),
        fuel_policy: names.describe('fuel_policy of an offer.'),
      })
      .describe('By kind, value → name.'),
  })
  .meta({ id: 'NamesAnswer' });
