import { z } from 'zod';
import { commaList, instant, queryInteger, text } from '../http/fields.js';
import { moneyWire } from '../representations/offers.wire.js';
import { statusWire } from '../status/status.wire.js';
import { reservationWire } from './reservation.wire.js';
import { clientReference } from './reservations.schema.js';
import { STATES } from './states.js';

const date = z.iso.date({ error: 'must be a date, such as 2027-05-01.' });

/** Query of GET /cars/reservation/v1/reservations (docs/reservations.md#listing). Instants become epoch milliseconds. */
export const reservationListQuery = z
  .strictObject({
    state: commaList(STATES.length)
      .pipe(z.array(z.enum(STATES, { error: `must be one or more of ${STATES.join(', ')}.` })))
      .optional()
      .describe('One state or a comma-separated list.'),
    supplier: z
      .string()
      .regex(/^[a-z][a-z0-9_]{1,30}$/, { error: 'must be the id of a supplier, such as alpine.' })
      .optional()
      .describe('Id of a supplier.'),
    client_reference: clientReference.optional().describe('Exactly the reference that the booking was sent with.'),
    created_from: instant.optional().describe('Created at this time or later.'),
    created_before: instant.optional().describe('Created before this time.'),
    pickup_from: date.optional().describe('Picked up on this day or later, at the pickup location.'),
    pickup_until: date.optional().describe('Picked up on this day or earlier, at the pickup location.'),
    limit: queryInteger(1, 100).default(20).describe('The most reservations per page.'),
    cursor: text(200)
      .optional()
      .describe('The cursor of links.next of the page before. Send the other parameters unchanged.'),
  })
  .check(({ value, issues }) => {
    const order = (first: 'created_from' | 'pickup_from', second: 'created_before' | 'pickup_until'): void => {
      const [from, until] = [value[first], value[second]];
      if (from === undefined || until === undefined || from <= until) return;
      const message = `"${second}" must not be before "${first}".`;
      issues.push({ code: 'custom', input: value, path: [second], params: { reason: 'invalid_range' }, message });
    };
    order('created_from', 'created_before');
    order('pickup_from', 'pickup_until');
  });

export type ReservationListQuery = z.output<typeof reservationListQuery>;

/** A reservation in a list: without personal data and history. */
export const listedReservationWire = reservationWire
  .pick({
    reservation_id: true,
    confirmation_number: true,
    client_reference: true,
    state: true,
    supplier: true,
    brand: true,
    vehicle: true,
    pickup: true,
    dropoff: true,
    created_at: true,
    updated_at: true,
    version: true,
  })
  .extend({ total: moneyWire.describe("The supplier's total for the complete rental.") })
  .meta({ id: 'ListedReservation' });

/** A page of reservations. */
export const reservationListAnswer = z
  .strictObject({
    status: statusWire,
    reservations: z.array(listedReservationWire).describe('Newest first.'),
    links: z.strictObject({
      next: z
        .string()
        .optional()
        .describe(
          'Path and query of the next page. Absent on the last page. A page before the last may have fewer reservations than limit, or none.',
        ),
    }),
  })
  .meta({ id: 'ReservationListAnswer' });
