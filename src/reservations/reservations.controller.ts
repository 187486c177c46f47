import { Body, Controller, Delete, Get, Headers, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { HeaderValues } from '../http/header-values.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { ERRORS, headerParameter, REQUEST_HEADERS } from '../http/operation-parts.js';
import { Prefer, type Preferences } from '../http/prefer.decorator.js';
import { Settings } from '../http/route-settings.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { errorBody } from '../status/status.wire.js';
import { statusContainer } from '../status/status-container.js';
import { etagOf, showReservation } from './answers.js';
import { BookingService } from './booking.service.js';
import { CancelService } from './cancel.service.js';
import { ChangeService } from './change.service.js';
import { checkIfMatch } from './change-guard.js';
import { idempotencyKey, KEYED_ROUTE } from './idempotency.js';
import type { Reservation } from './reservation.js';
import { reservationAnswer } from './reservation.wire.js';
import { ReservationList } from './reservation-list.js';
import { type ReservationListQuery, reservationListAnswer, reservationListQuery } from './reservation-list.wire.js';
import { ReservationRequests } from './reservation-requests.service.js';
import {
  BODY_HINTS,
  type CreateBody,
  createBody,
  type PatchBody,
  type PutBody,
  patchBody,
  putBody,
  QUERY_HINTS,
  type ReservationQuery,
  reservationQuery,
} from './reservations.schema.js';

const ROOT = 'v1';
const LIST = 'v1/reservations';
const ONE = ['v1/:reservation_id', 'v1'];

const IF_MATCH = headerParameter(
  'If-Match',
  'The ETag you last read. The change is made only if the reservation has not changed since.',
);
const CHANGE_HEADERS = [
  ...REQUEST_HEADERS,
  IF_MATCH,
  headerParameter('Prefer', '"return=representation" returns 200 with the reservation instead of 204.'),
];

const query = new SchemaPipe(reservationQuery, 'query', undefined, QUERY_HINTS);
const listQuery = new SchemaPipe(reservationListQuery);
/** The only field for a card number (ruling 25). */
const CARD_FIELD = 'payment.credit_card_number';

/** Car Reservation (spec §4.3, rulings 15, 16, 22–25). */
@Controller('cars/reservation')
@Product('car_reservation')
export class ReservationsController {
  constructor(
    private readonly bookings: BookingService,
    private readonly changes: ChangeService,
    private readonly cancellations: CancelService,
    private readonly requests: ReservationRequests,
    private readonly reservations: ReservationList,
  ) {}

  @Post(ROOT)
  @Settings(KEYED_ROUTE)
  @Operation({
    id: 'createReservation',
    tag: 'Reservations',
    summary: 'Book an offer or quote',
    description:
      'Checks the price of the offer again and books it. 202 means that the outcome is not yet known: poll the reservation until it is. An error means that nothing was booked, unless its cause is outcome_unknown.',
    body: createBody,
    headers: [
      ...REQUEST_HEADERS,
      headerParameter(
        'Idempotency-Key',
        'A unique value you choose for each booking, 1–255 visible ASCII characters. A repeated request returns the same response and never books twice.',
      ),
    ],
    answers: {
      201: ['Booked.', reservationAnswer],
      202: ['Accepted. The booking is on request, or its outcome is not yet known.', reservationAnswer],
      ...ERRORS,
      404: [
        'no_results with cause sold_out; resource_failure for an unknown id, or with cause rate_expired for an expired one.',
        errorBody,
      ],
    },
  })
  async create(
    @Body(new SchemaPipe<CreateBody>(createBody, 'body', CARD_FIELD)) body: CreateBody,
    @Body() sent: unknown,
    @HeaderValues('idempotency-key') keys: readonly string[],
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const { answer, replayed } = await this.bookings.create(body, sent, idempotencyKey(keys), context);
    const [id] = /res_\w{20}$/.exec(answer.headers.location ?? '') ?? [];
    if (id !== undefined) this.requests.mark(context, id);
    return Answer.of(answer, replayed ? { 'idempotent-replayed': 'true' } : {});
  }

  @Get(LIST)
  @Operation({
    id: 'listReservations',
    tag: 'Reservations',
    summary: 'List reservations',
    description:
      "Lists your application's reservations, newest first, without personal data. To find a booking whose response you missed, filter by client_reference.",
    query: reservationListQuery,
    headers: REQUEST_HEADERS,
    answers: { 200: ['A page of reservations.', reservationListAnswer], ...ERRORS },
  })
  async list(@Query(listQuery) query: ReservationListQuery, @Context() context: RequestContext): Promise<Answer> {
    await this.requests.enter(context);
    const page = await this.reservations.page(query, context);
    const status = statusContainer(context.startedAt, 200, []);
    return Answer.json(200, { status, ...page }, { 'cache-control': 'no-store' });
  }

  @Get(ONE)
  @Operation({
    id: 'readReservation',
    tag: 'Reservations',
    summary: 'Read a reservation',
    description: 'Returns the reservation with its history, and its ETag for If-Match.',
    query: reservationQuery,
    headers: REQUEST_HEADERS,
    answers: { 200: ['The reservation with its history.', reservationAnswer], ...ERRORS },
  })
  async read(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number: confirmationNumber }: ReservationQuery,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    await this.requests.enter(context);
    const reservation = await this.requests.find({ id, confirmationNumber }, context);
    const { status, body, headers } = showReservation(200, reservation, context.startedAt);
    const { location: _self, ...rest } = headers;
    return new Answer(status, body, rest);
  }

  @Patch(ONE)
  @Operation({
    id: 'changeReservation',
    tag: 'Reservations',
    summary: 'Change parts of a reservation',
    description:
      'Changes contact details, arrival, remark, extras, coverages or pickup_later; null removes a value. If the supplier does not support a change, the response is 400 with cause unsupported_by_supplier.',
    query: reservationQuery,
    body: patchBody,
    headers: CHANGE_HEADERS,
    answers: { 200: ['The updated reservation.', reservationAnswer], 204: ['Changed.', null], ...ERRORS },
  })
  async patch(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number: confirmationNumber }: ReservationQuery,
    @Body(new SchemaPipe<PatchBody>(patchBody, 'body', undefined, BODY_HINTS)) body: PatchBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Prefer() preferences: Preferences,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const before = await this.requests.open({ id, confirmationNumber }, context);
    checkIfMatch(ifMatch, before);
    return done('changed', await this.changes.patch(before, body, context), preferences, context);
  }

  @Put(ONE)
  @Operation({
    id: 'replaceReservation',
    tag: 'Reservations',
    summary: 'Replace the rental of a reservation',
    description:
      'Changes the dates, locations, vehicle or rate to those of a new offer or quote from the same supplier and brand. The driver stays the same.',
    query: reservationQuery,
    body: putBody,
    headers: [...REQUEST_HEADERS, IF_MATCH],
    answers: {
      200: ['The updated reservation.', reservationAnswer],
      202: ['Sent. The outcome is not yet known.', reservationAnswer],
      ...ERRORS,
    },
  })
  async put(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number: confirmationNumber }: ReservationQuery,
    @Body(new SchemaPipe<PutBody>(putBody, 'body', undefined, BODY_HINTS)) body: PutBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const before = await this.requests.open({ id, confirmationNumber }, context);
    checkIfMatch(ifMatch, before);
    const { reservation, unknown } = await this.changes.put(before, body, context);
    const done = unknown ? 'changing' : 'changed';
    return Answer.of(showReservation(unknown ? 202 : 200, reservation, context.startedAt, done));
  }

  @Delete(ONE)
  @Operation({
    id: 'cancelReservation',
    tag: 'Reservations',
    summary: 'Cancel a reservation',
    description: 'Cancelling a cancelled reservation succeeds again.',
    query: reservationQuery,
    headers: CHANGE_HEADERS,
    answers: { 200: ['The cancelled reservation.', reservationAnswer], 204: ['Cancelled.', null], ...ERRORS },
  })
  async cancel(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number: confirmationNumber }: ReservationQuery,
    @Headers('if-match') ifMatch: string | undefined,
    @Prefer() preferences: Preferences,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const before = await this.requests.open({ id, confirmationNumber }, context);
    return done('cancelled', await this.cancellations.cancel(before, ifMatch, context), preferences, context);
  }
}

/** 204, or 200 with the reservation if the client prefers it (RFC 7240). */
function done(
  what: 'changed' | 'cancelled',
  reservation: Reservation,
  { representation }: Preferences,
  { startedAt }: RequestContext,
): Answer {
  if (!representation) return new Answer(204, '', { etag: etagOf(reservation), 'cache-control': 'no-store' });
  return Answer.of(showReservation(200, reservation, startedAt, what), {
    'preference-applied': 'return=representation',
  });
}
