import { z } from 'zod';
import { moneyWire, priceWire } from '../representations/offers.wire.js';
import { statusWire } from '../status/status.wire.js';
import { reservationWire } from './reservation.wire.js';

/** A voucher: what the renter shows at the counter. A part of the reservation, with how to reach the supplier. */
export const voucherWire = reservationWire
  .pick({
    reservation_id: true,
    client_reference: true,
    brand: true,
    vehicle: true,
    pickup: true,
    dropoff: true,
    rental_days: true,
    fuel_policy: true,
    included_coverages: true,
    selected_extras: true,
    selected_coverages: true,
    booked_differently: true,
    deposit: true,
    requirements: true,
    cancellation: true,
    terms: true,
    arrival: true,
    payment: true,
  })
  .extend({
    confirmation_number: z.string().optional().describe("The supplier's number. Absent if it gave none."),
    supplier: z.strictObject({
      supplier: z.string().describe('Id of the supplier.'),
      name: z.string(),
      support_phone: z.string().optional().describe('For renters, in E.164 format.'),
      logo_url: z.string().describe('Path of a neutral mark on this gateway, not of a trademark.'),
    }),
    driver: z
      .strictObject({ first_name: z.string(), last_name: z.string() })
      .nullable()
      .describe("null once the renter's data has been erased."),
    additional_drivers: z.array(z.strictObject({ first_name: z.string(), last_name: z.string() })).optional(),
    total: moneyWire.describe("The supplier's total for the complete rental, as it was booked."),
    due_now: moneyWire
      .optional()
      .describe(
        "Absent, like due_at_counter, if the supplier booked at another total than accepted, or if what the rate asks for at the counter is paid with the caller's own voucher.",
      ),
    due_at_counter: moneyWire.optional(),
    local_charges: priceWire.shape.items
      .optional()
      .describe(
        'What must also be paid at the counter and is in no amount above, such as an airport fee. Absent if nothing.',
      ),
    version: z.int().describe('The version of the reservation that the voucher is of.'),
  })
  .meta({ id: 'Voucher' });

/** A response with a voucher. */
export const voucherAnswer = z.strictObject({ status: statusWire, voucher: voucherWire }).meta({ id: 'VoucherAnswer' });
