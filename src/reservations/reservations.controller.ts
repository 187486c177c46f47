import { Body, Controller, Delete, Get, Headers, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { HeaderValues } from '../http/header-values.decorator.js';
import { Prefer, type Preferences } from '../http/prefer.decorator.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { etagOf, showReservation } from './answers.js';
import { BookingService } from './booking.service.js';
import { CancelService } from './cancel.service.js';
import { refuseStrayCards } from './card-guard.js';
import { ChangeService } from './change.service.js';
import { holdIfMatch } from './change-guard.js';
import { idempotencyKey } from './idempotency.js';
import type { Reservation } from './reservation.js';
import { ReservationRequests } from './reservation-requests.service.js';
import {
  type CreateBody,
  createBody,
  type PatchBody,
  type PutBody,
  patchBody,
  putBody,
  type ReservationQuery,
  reservationQuery,
} from './reservations.schema.js';

const ROOT = 'v1';
const ONE = ['v1', 'v1/:reservation_id'];

const query = new SchemaPipe(reservationQuery);

/** Validates a body, card numbers in wrong places first: they must not come further. */
class BodyPipe<T> extends SchemaPipe<T> {
  override transform(value: unknown): T {
    refuseStrayCards(value);
    return super.transform(value);
  }
}

/** Car Reservation (spec §4.3, rulings 15, 16, 22–25). */
@Controller('cars/reservation')
@Product('car_reservation')
export class ReservationsController {
  constructor(
    private readonly bookings: BookingService,
    private readonly changes: ChangeService,
    private readonly cancellations: CancelService,
    private readonly requests: ReservationRequests,
  ) {}

  @Post(ROOT)
  async create(
    @Body(new BodyPipe<CreateBody>(createBody, 'body')) body: CreateBody,
    @Body() sent: unknown,
    @HeaderValues('idempotency-key') keys: readonly string[],
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const { answer, replayed } = await this.bookings.create(body, sent, idempotencyKey(keys), context);
    return Answer.of(answer, replayed ? { 'idempotent-replayed': 'true' } : {});
  }

  @Get(ONE)
  async read(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number: confirmationNumber }: ReservationQuery,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    await this.requests.begin(context, []);
    const reservation = await this.requests.find({ id, confirmationNumber }, context);
    const { status, body, headers } = showReservation(200, reservation, context.startedAt);
    const { location: _ownAddress, ...rest } = headers;
    return new Answer(status, body, rest);
  }

  @Patch(ONE)
  async patch(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number: confirmationNumber }: ReservationQuery,
    @Body(new BodyPipe<PatchBody>(patchBody, 'body')) body: PatchBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Prefer() preferences: Preferences,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const before = await this.requests.open({ id, confirmationNumber }, context);
    holdIfMatch(ifMatch, before);
    return changed(await this.changes.patch(before, body, context), preferences, context);
  }

  @Put(ONE)
  async put(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number: confirmationNumber }: ReservationQuery,
    @Body(new BodyPipe<PutBody>(putBody, 'body')) body: PutBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const before = await this.requests.open({ id, confirmationNumber }, context);
    holdIfMatch(ifMatch, before);
    const { reservation, unknown } = await this.changes.put(before, body, context);
    return Answer.of(showReservation(unknown ? 202 : 200, reservation, context.startedAt));
  }

  @Delete(ONE)
  async cancel(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number: confirmationNumber }: ReservationQuery,
    @Headers('if-match') ifMatch: string | undefined,
    @Prefer() preferences: Preferences,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const before = await this.requests.open({ id, confirmationNumber }, context);
    return changed(await this.cancellations.cancel(before, ifMatch, context), preferences, context);
  }
}

/** 204, or 200 with the reservation where the caller prefers it (RFC 7240). */
function changed(reservation: Reservation, { representation }: Preferences, { startedAt }: RequestContext): Answer {
  if (!representation) return new Answer(204, '', { etag: etagOf(reservation), 'cache-control': 'no-store' });
  return Answer.of(showReservation(200, reservation, startedAt), { 'preference-applied': 'return=representation' });
}
