import type { KeyObject } from 'node:crypto';
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../auth/principal.js';
import { Product } from '../auth/public.decorator.js';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { Answer } from '../http/answer.js';
import { isDoubled } from '../http/open-request.js';
import { Operation } from '../http/operation.decorator.js';
import { ERRORS, headerParameter, REQUEST_HEADERS } from '../http/operation-parts.js';
import { scopeOf } from '../http/request-scope.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { type PricedFields, type PricedKey, pricedOf, unknownId } from '../offers/priced-key.js';
import { codeOf } from '../offers/resolve-place.js';
import { enterScenario } from '../sandbox/enter-scenario.js';
import { ApiError } from '../status/api-error.js';
import { errorBody } from '../status/status.wire.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { etagOf, outcomeUnknown, showReservation } from './answers.js';
import { BookingService, type Caller } from './booking.service.js';
import { CancelService } from './cancel.service.js';
import { refuseStrayCards } from './card-guard.js';
import { ChangeService } from './change.service.js';
import { holdIfMatch } from './change-guard.js';
import { Idempotency } from './idempotency.js';
import type { Reservation } from './reservation.js';
import { ReservationRepository, type StoredAnswer } from './reservation.repository.js';
import { reservationAnswer } from './reservation.wire.js';
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
const ONE = ['v1/:reservation_id', 'v1'];

const IF_MATCH = headerParameter('If-Match', 'ETag you have seen: the change is made only if nothing came between.');
const CHANGE_HEADERS = [
  ...REQUEST_HEADERS,
  IF_MATCH,
  headerParameter('Prefer', '"return=representation" answers 200 with the reservation instead of 204.'),
];

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
  readonly #key: KeyObject;

  constructor(
    private readonly bookings: BookingService,
    private readonly changes: ChangeService,
    private readonly cancellations: CancelService,
    private readonly idempotency: Idempotency,
    private readonly repository: ReservationRepository,
    private readonly registry: SupplierRegistry,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#key = keys('offer_id');
  }

  @Post(ROOT)
  @Operation({
    id: 'createReservation',
    tag: 'Reservations',
    summary: 'Book an offer or quote',
    description:
      'Prices the offer once more and books it. 202 means that the outcome is not certain yet: read the reservation until it is. An error means that certainly nothing is booked.',
    body: createBody,
    headers: [
      ...REQUEST_HEADERS,
      headerParameter(
        'Idempotency-Key',
        'Yours, 1–255 visible ASCII characters, one for each booking: a repeated request gets the same answer and never books twice.',
      ),
    ],
    answers: {
      201: ['Booked.', reservationAnswer],
      202: ['Accepted: on request, or the supplier gave no clear answer.', reservationAnswer],
      ...ERRORS,
      404: [
        'no_results with cause sold_out; resource_failure: no such id, or with cause rate_expired one that is over.',
        errorBody,
      ],
    },
  })
  async create(
    @Body(new BodyPipe<CreateBody>(createBody, 'body')) body: CreateBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const key = idempotencyKey(request);
    const priced = pricedOf(body, this.#key);
    const caller = await this.#caller(request, reply, priced ? [priced.search[0], priced.search[1]] : []);
    const { applicationId, scope } = caller;
    if (key === undefined) {
      // A database that is away must be noticed before any supplier is called (ruling 26).
      await this.repository.findKey(applicationId, undefined);
      const answer = await this.bookings.book(ours(priced, body), body, caller, undefined);
      if (!answer) throw new Error('a reservation without key was not stored');
      return toAnswer(answer);
    }
    const requestKey = this.idempotency.requestKey(applicationId, key, request.body);
    const deadline = scope.startedAt + this.config.reservations.budgetMs - 1_000;
    const { answer, replayed } = await this.idempotency.answer(requestKey, deadline, () =>
      this.bookings.book(ours(priced, body), body, caller, requestKey),
    );
    return toAnswer(answer, replayed ? { 'idempotent-replayed': 'true' } : {});
  }

  @Get(ONE)
  @Operation({
    id: 'readReservation',
    tag: 'Reservations',
    summary: 'Read a reservation',
    query: reservationQuery,
    headers: REQUEST_HEADERS,
    answers: { 200: ['The reservation with its history.', reservationAnswer], ...ERRORS },
  })
  async read(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number }: ReservationQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const caller = await this.#caller(request, reply, []);
    const reservation = await this.#find(caller.applicationId, id, confirmation_number);
    const { location: _ownAddress, ...headers } = showReservation(200, reservation, caller.scope.startedAt).headers;
    return toAnswer({ ...showReservation(200, reservation, caller.scope.startedAt), headers });
  }

  @Patch(ONE)
  @Operation({
    id: 'changeReservation',
    tag: 'Reservations',
    summary: 'Change parts of a reservation',
    description:
      'Contact, arrival, remark, extras, coverages, pickup_later; null removes. A supplier that cannot is a 400 with cause unsupported_by_supplier.',
    query: reservationQuery,
    body: patchBody,
    headers: CHANGE_HEADERS,
    answers: { 200: ['The reservation as it is now.', reservationAnswer], 204: ['Changed.', null], ...ERRORS },
  })
  async patch(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number }: ReservationQuery,
    @Body(new BodyPipe<PatchBody>(patchBody, 'body')) body: PatchBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const { applicationId } = this.#applicationOf(request);
    const before = await this.#find(applicationId, id, confirmation_number);
    const caller = await this.#caller(request, reply, placesOf(before));
    holdIfMatch(request.headers['if-match'], before);
    const { reservation, unknown } = await this.changes.patch(before, body, caller);
    if (unknown) throw outcomeUnknown(reservation);
    return changed(reservation, request, caller);
  }

  @Put(ONE)
  @Operation({
    id: 'replaceReservation',
    tag: 'Reservations',
    summary: 'Replace the rental of a reservation',
    description:
      'Other dates, places, vehicle or rate: by a fresh offer or quote of the same supplier and brand. The driver stays.',
    query: reservationQuery,
    body: putBody,
    headers: [...REQUEST_HEADERS, IF_MATCH],
    answers: {
      200: ['The reservation as it is now.', reservationAnswer],
      202: ['Sent; the supplier gave no clear answer yet.', reservationAnswer],
      ...ERRORS,
    },
  })
  async put(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number }: ReservationQuery,
    @Body(new BodyPipe<PutBody>(putBody, 'body')) body: PutBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const { applicationId } = this.#applicationOf(request);
    const before = await this.#find(applicationId, id, confirmation_number);
    const caller = await this.#caller(request, reply, placesOf(before));
    holdIfMatch(request.headers['if-match'], before);
    const { reservation, unknown } = await this.changes.put(
      before,
      ours(pricedOf(body, this.#key), body),
      body,
      caller,
    );
    return toAnswer(showReservation(unknown ? 202 : 200, reservation, caller.scope.startedAt));
  }

  @Delete(ONE)
  @Operation({
    id: 'cancelReservation',
    tag: 'Reservations',
    summary: 'Cancel a reservation',
    description: 'Cancelling what is cancelled is the same success.',
    query: reservationQuery,
    headers: CHANGE_HEADERS,
    answers: { 200: ['The cancelled reservation.', reservationAnswer], 204: ['Cancelled.', null], ...ERRORS },
  })
  async cancel(
    @Param('reservation_id') id: string | undefined,
    @Query(query) { confirmation_number }: ReservationQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const { applicationId } = this.#applicationOf(request);
    const before = await this.#find(applicationId, id, confirmation_number);
    const caller = await this.#caller(request, reply, placesOf(before));
    return changed(await this.cancellations.cancel(before, request.headers['if-match'], caller), request, caller);
  }

  #applicationOf(request: FastifyRequest): { applicationId: string; defaultScenario: string | undefined } {
    const { applicationId, defaultScenario } = principalOf(request).policy;
    return { applicationId, defaultScenario };
  }

  /** Who calls; the request gets the longer budget of reservations, then its scenario is entered. */
  async #caller(request: FastifyRequest, reply: FastifyReply, places: readonly string[]): Promise<Caller> {
    const scope = scopeOf(request);
    scope.resetBudget(this.config.reservations.budgetMs);
    const { applicationId, defaultScenario } = this.#applicationOf(request);
    const codes = places.map((place) => codeOf(place, this.#key));
    const { environment } = this.config;
    const scenario = enterScenario(
      request.headers,
      codes,
      defaultScenario,
      environment,
      this.registry.played,
      scope,
      reply,
    );
    // fault=408: the time really runs out, before anything is sent.
    if (scenario?.fault) await new Promise<void>((resolve) => scope.onCancel(resolve));
    return { applicationId, scenario, scope };
  }

  /** The application's reservation. Throws ApiError 404, the same for another application's and for one that never was (ruling 14). */
  async #find(
    applicationId: string,
    id: string | undefined,
    confirmationNumber: string | undefined,
  ): Promise<Reservation> {
    if ((id === undefined) === (confirmationNumber === undefined)) {
      throw ApiError.of(
        'invalid_request',
        'Name one reservation: /cars/reservation/v1/{reservation_id}, or ?confirmation_number= without an id.',
      );
    }
    // Only what can be an id of ours is looked up.
    const possible = id === undefined || /^res_\w{20}$/.test(id);
    if (!possible) throw notYours();
    const found =
      id === undefined
        ? await this.repository.findByConfirmation(applicationId, confirmationNumber ?? '')
        : [await this.repository.find(applicationId, id)];
    const [reservation, another] = found;
    if (another)
      throw ApiError.of('invalid_request', 'Two suppliers gave this confirmation number: use the reservation_id.', {
        field: 'confirmation_number',
      });
    if (!reservation) throw notYours();
    return reservation;
  }
}

/** The Idempotency-Key of a request; undefined = it has none. Throws ApiError 400 for one that is not 1–255 visible ASCII characters (ruling 16). */
function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (
    typeof key === 'string' &&
    /^[\x21-\x7e]{1,255}$/.test(key) &&
    !isDoubled(request.raw.rawHeaders, 'idempotency-key')
  )
    return key;
  throw ApiError.of('invalid_request', '"Idempotency-Key" must be one header of 1 to 255 visible ASCII characters.', {
    field: 'Idempotency-Key',
  });
}

function notYours(): ApiError {
  return ApiError.of('resource_failure', 'Your application has no such reservation.');
}

function ours(priced: PricedKey | undefined, body: PricedFields): PricedKey {
  if (priced) return priced;
  throw unknownId(body.quote_id === undefined ? 'offer' : 'quote');
}

function placesOf({ rental }: Reservation): string[] {
  return [rental.pickup.iataCode ?? '', rental.dropoff.iataCode ?? ''];
}

/** 204, or 200 with the reservation where the caller prefers it (RFC 7240). */
function changed(reservation: Reservation, request: FastifyRequest, { scope }: Caller): Answer {
  const prefer = request.headers.prefer ?? '';
  const wanted = (Array.isArray(prefer) ? prefer.join(',') : prefer)
    .split(',')
    .some((part) => /^\s*return\s*=\s*"?representation"?\s*$/i.test(part));
  if (!wanted) return new Answer(204, '', { etag: etagOf(reservation), 'cache-control': 'no-store' });
  return toAnswer(showReservation(200, reservation, scope.startedAt), {
    'preference-applied': 'return=representation',
  });
}

function toAnswer({ status, headers, body }: StoredAnswer, more: Readonly<Record<string, string>> = {}): Answer {
  return new Answer(status, body, { ...headers, ...more });
}
