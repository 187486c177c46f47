import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { listedIds } from '../../reservations/operator-list.js';
import { RESOLUTIONS } from '../../reservations/operator-resolution.js';
import { STATES } from '../../reservations/states.js';
import { type AdminOperation, changes, lists, reads, wordsOf } from '../admin-operation.js';
import { cursor, flag, given, limit, pageOf, printable, utcTime } from './fields.js';
import { cursorColumn, olderThan, pageFrom } from './keyset.js';

const tag = 'reservations';
const RESERVATION = '/reservations/{reservation}';
const r = sql.raw('r');
const searchQuery = z.strictObject({
  limit,
  cursor,
  state: z
    .enum(['attention', ...STATES])
    .optional()
    .describe('A state; attention: in review, unknown, or with a second booking.'),
  supplier: printable(100).optional(),
  application: printable(100).optional(),
  text: printable(100).optional().describe('An id, confirmation number or client reference.'),
});
const instant = (column: string) => sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Reservations of all accounts, without data of renters. */
export const reservationOperations: readonly AdminOperation[] = [
  reads(
    {
      ...{ id: 'listReservations', path: '/reservations', tag, command: 'reservation unclear' },
      summary: 'Reservations, newest first',
    },
    searchQuery,
    pageOf({
      ...{ id: z.string(), supplier: z.string(), state: z.enum(STATES), reason: z.string().nullable() },
      ...{ confirmation_number: z.string().nullable(), application: z.string(), has_second_booking: z.boolean() },
      ...{ created_at: z.iso.datetime(), updated_at: z.iso.datetime() },
    }),
    async ({ gateway: { database, config } }, query) => {
      const { limit: most, state, supplier, application, text } = query;
      const and = [olderThan(query.cursor, r), ...(supplier === undefined ? [] : [sql`r.supplier = ${supplier}`])];
      const ids = listedIds({ environment: config.environment, state, application, text, and }, 'newest', most + 1);
      const rows = await database.reports.rows<{ readonly cursor: string }>(sql`
        select r.id, r.supplier, r.state, r.state_reason as reason, r.confirmation_number, r.application_id as application,
          r.strays is not null as has_second_booking, ${instant('r.created_at')} as created_at,
          ${instant('r.updated_at')} as updated_at, ${cursorColumn(r)}
        from (${ids}) those join reservations r on r.id = those.id order by r.created_at desc, r.id desc`);
      return pageFrom(rows, most);
    },
  ),
  reads(
    {
      ...{ id: 'getReservation', path: RESERVATION, tag, command: 'reservation show' },
      summary: 'One reservation with its history, without the driver',
    },
    z.strictObject({}),
    z.strictObject({ reservation: z.looseObject({}) }),
    async ({ params: { reservation = '' }, command }) => ({
      reservation: (await command(wordsOf('reservation show', { args: [reservation] }))).result,
    }),
  ),
  lists(
    {
      ...{ id: 'auditReservations', path: '/reservation-audit', tag, command: 'reservation audit' },
      summary: "Reservations and the journal compared with the suppliers' books",
    },
    {
      ...{ reference: z.string(), supplier: z.string(), application: z.string(), verdict: z.string() },
      ...{ note: z.string(), here: z.string().nullable(), number: z.string().nullable() },
    },
    (_params, { since }) => ({ options: { since: String(since) } }),
    z.strictObject({ since: utcTime }),
  ),
  changes(
    {
      ...{ id: 'resolveReservation', method: 'POST', path: `${RESERVATION}/resolution`, tag },
      ...{ summary: 'Record the outcome of a reservation in manual_review', command: 'reservation resolve' },
    },
    { as: z.enum(RESOLUTIONS), confirmation_number: printable(64).optional() },
    (body, { reservation = '' }) => ({
      options: { as: body.as, 'confirmation-number': body.confirmation_number },
      args: [reservation],
    }),
  ),
  changes(
    {
      ...{ id: 'cancelReservation', method: 'POST', path: `${RESERVATION}/cancellation`, tag },
      ...{ summary: 'Let the gateways cancel a booking in manual_review', command: 'reservation cancel' },
    },
    { second: flag.describe('Only further bookings of the reservation.') },
    ({ second }, { reservation = '' }) => ({ options: { second: given(second) }, args: [reservation] }),
  ),
  changes(
    {
      ...{ id: 'eraseReservation', method: 'POST', path: `${RESERVATION}/erasure`, tag },
      ...{ summary: 'Erase the personal data of a reservation', command: 'reservation erase' },
    },
    { force: flag.describe('Even if the reservation is not final.') },
    ({ force }, { reservation = '' }) => ({ options: { force: given(force) }, args: [reservation] }),
  ),
];
