import { z } from 'zod';
import { chosenShape, localDateTime, moneyWire, rentalWire } from '../representations/offers.wire.js';
import { statusWire } from '../status/status.wire.js';
import { STATES } from './states.js';

const instant = z.iso.datetime();
const state = z.enum(STATES).describe('failed, rejected, cancelled, expired, completed and no_show are final.');
const person = z.strictObject({ first_name: z.string(), last_name: z.string() });

const driver = person.extend({
  email: z.string(),
  phone: z.string().optional(),
  date_of_birth: z.string().optional(),
  licence: z
    .strictObject({ number: z.string(), country_code: z.string().optional(), region: z.string().optional() })
    .optional(),
  address: z
    .strictObject({
      lines: z.array(z.string()),
      city: z.string(),
      region: z.string().optional(),
      postal_code: z.string().optional(),
      country_code: z.string(),
    })
    .optional(),
  loyalty: z.array(z.strictObject({ program: z.string().optional(), number: z.string() })),
});

/** What a supplier booked otherwise than accepted. */
export const differencesWire = z.strictObject({
  sipp_code: z.string().optional().describe('SIPP code of the booked car.'),
  pickup_code: z
    .string()
    .optional()
    .describe("IATA code or the supplier's code of the booked pickup location; `unknown` if it gives only a position."),
  dropoff_code: z.string().optional(),
  pickup_date: localDateTime.optional().describe('Local time of the booked pickup.'),
  dropoff_date: localDateTime.optional(),
  missing_extras: z.array(z.string()).optional().describe('extra_id of each chosen extra that is not booked.'),
  unconfirmed_extras: z
    .array(z.string())
    .optional()
    .describe(
      'extra_id of each chosen extra that the supplier has not confirmed: it has it only on request, or says that an extra is not available and not which one. It moves to missing_extras if the supplier refuses it, and disappears when it is confirmed.',
    ),
  other_extras: z
    .array(z.strictObject({ extra_id: z.string(), name: z.string().optional(), quantity: z.int().optional() }))
    .optional()
    .describe(
      'Each extra of which the supplier has booked more or fewer than chosen, or that it has booked without being chosen, for example because it did not remove it, with the number that it has booked. Without quantity, that number is unknown.',
    ),
});

/** A reservation (docs/model.md#reservation). */
export const reservationWire = z
  .strictObject({
    reservation_id: z.string(),
    confirmation_number: z.string().optional().describe("The supplier's confirmation number, once it is known."),
    client_reference: z.string().optional(),
    state,
    state_reason: z.string(),
    supplier: z.string(),
    brand: z.string(),
    ...rentalWire.omit({ supplier: true, brand: true, status: true, extras: true, coverages: true, dedupe_group: true })
      .shape,
    ...chosenShape,
    included_coverages: z.array(z.strictObject({ code: z.string(), name: z.string() })),
    driver: driver.nullable().describe('null once the personal data has been erased.'),
    additional_drivers: z.array(person).optional(),
    arrival: z
      .strictObject({ carrier_code: z.string(), flight_number: z.string(), arrives_at: z.string().optional() })
      .optional(),
    remark: z.string().optional(),
    driver_age: z.int(),
    pickup_later: z.boolean(),
    payment: z.strictObject({
      type: z.enum(['counter', 'card', 'voucher']),
      last_four: z.string().optional(),
      paid: moneyWire
        .optional()
        .describe(
          'What was paid by card at booking. Present if a change has left another amount due now: whether the supplier pays back the difference is not known.',
        ),
    }),
    price_drift: z
      .strictObject({ accepted: moneyWire, actual: moneyWire })
      .optional()
      .describe('Present if the supplier booked at a total other than the accepted one.'),
    booked_differently: differencesWire
      .optional()
      .describe(
        'Present if the supplier says that it has booked another car, place or time than accepted, or fewer extras, or that it has not confirmed an extra: what it says. The other members show what was accepted. Change or cancel the reservation if the difference matters.',
      ),
    cancellation_result: z
      .strictObject({
        fee: moneyWire.optional().describe('Absent if the supplier did not return a fee.'),
        refund: moneyWire.optional(),
        cancellation_number: z.string().optional(),
        at: instant,
      })
      .optional(),
    history: z
      .array(
        z.strictObject({
          from: state.nullable().describe('null when the reservation was created.'),
          to: state,
          at: instant,
          actor: z.enum(['application', 'gateway', 'reconciler', 'ops']),
          reason: z.string(),
        }),
      )
      .min(1)
      .describe('Changes of state, oldest first; at most the newest 500.'),
    created_at: instant,
    updated_at: instant,
    version: z
      .int()
      .describe(
        'Also the ETag. Send it as If-Match to change the reservation only if it has not changed since you read it.',
      ),
  })
  .meta({ id: 'Reservation' });

/** A response with a reservation. */
export const reservationAnswer = z
  .strictObject({ status: statusWire, reservation: reservationWire })
  .meta({ id: 'ReservationAnswer' });
