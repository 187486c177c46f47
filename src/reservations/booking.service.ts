import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import type { RequestContext } from '../context/request-context.js';
import { databaseFault } from '../database/database-fault.js';
import { countMove } from '../metrics/metrics.js';
import type { SupplierBooking } from '../model/bookings.js';
import { type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import { type CheckedPrice, PriceCheckService } from '../offers/price-check.service.js';
import { knownId, type PricedKey, pricedOf } from '../offers/priced-key.js';
import { LocationFactsCache } from '../representations/location-view.js';
import type { Problem } from '../status/api-error.js';
import type { Supplier } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { acceptedView } from './accepted-view.js';
import { createdAnswer, notSent, notStored } from './answers.js';
import { concluded } from './booking-outcome.js';
import {
  ageProblems,
  guaranteeProblems,
  paymentProblems,
  refuse,
  residenceProblems,
  untoldProblems,
} from './booking-problems.js';
import { BookingQuota, tooManyOpen } from './booking-quota.js';
import { insertSurely, unbooked } from './booking-storage.js';
import { Idempotency, type IdempotentAnswer } from './idempotency.js';
import { IntentJournal } from './intent-journal.js';
import { type NormalizedBooking, normalizeBooking } from './normalize-booking.js';
import { paidNow } from './paid-before.js';
import { acceptPrice, acceptTerms } from './price-acceptance.js';
import { ownQuoteOf, QuoteUses, quoteUsed, withQuoteUsed } from './quote-uses.js';
import { bookRequest, type Move, type Reservation } from './reservation.js';
import { ReservationRepository, type StoredAnswer } from './reservation.repository.js';
import type { Insertion, RequestKey } from './reservation-insertion.js';
import { ReservationRequests } from './reservation-requests.service.js';
import { ReservationWriter } from './reservation-writer.js';
import type { CreateBody } from './reservations.schema.js';
import { checkedBooking, type Outcome, outcomeOf } from './supplier-outcome.js';
import { commitToCall, sentWindow, timeLeft } from './write-window.js';

/** Time reserved for responding after waiting for another request with the same Idempotency-Key. */
const ANSWER_MS = 1_000;

/**
 * Creates reservations (spec §4.3, rulings 15, 16, 24, 25): checks the price again, stores, books, stores the outcome.
 */
@Injectable()
export class BookingService {
  readonly #keys: AcceptedKeys;

  constructor(
    private readonly requests: ReservationRequests,
    private readonly idempotency: Idempotency,
    private readonly quotes: QuoteUses,
    private readonly quota: BookingQuota,
    private readonly prices: PriceCheckService,
    private readonly calls: SupplierCalls,
    private readonly facts: LocationFactsCache,
    private readonly repository: ReservationRepository,
    private readonly writer: ReservationWriter,
    private readonly journal: IntentJournal,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'offer_id');
  }

  /**
   * Handles a create request, once per Idempotency-Key. `sent` is the raw body that the key identifies. Throws ApiError
   * if the request is rejected before the supplier is asked to book.
   */
  async create(
    body: CreateBody,
    sent: unknown,
    idempotencyKey: string | undefined,
    context: RequestContext,
  ): Promise<IdempotentAnswer> {
    return this.#create(body, sent, idempotencyKey, context).catch((error: unknown) => {
      throw unbooked(error, idempotencyKey !== undefined);
    });
  }

  async #create(
    body: CreateBody,
    sent: unknown,
    idempotencyKey: string | undefined,
    context: RequestContext,
  ): Promise<IdempotentAnswer> {
    const priced = pricedOf(body, this.#keys);
    await this.requests.begin(context, priced ? [priced.search[0], priced.search[1]] : []);
    const { applicationId } = context.policy;
    const quote = ownQuoteOf(body, priced, applicationId);
    if (idempotencyKey === undefined) {
      // Detects an unavailable database before any supplier is called (ruling 26).
      await this.repository.findKey(applicationId, undefined);
      await this.journal.refuseLost(undefined, quote);
      const answer = await this.#book(knownId(priced, body), body, quote, context, undefined);
      if (!answer) throw new Error('a reservation without an Idempotency-Key was not stored');
      return { answer, replayed: false };
    }
    const request = this.idempotency.requestKey(applicationId, idempotencyKey, sent);
    const deadline = context.clockedAt + this.config.reservations.budgetMs - ANSWER_MS;
    return this.idempotency.answer(request, deadline, context, async () => {
      await this.journal.refuseLost(request, quote);
      return this.#book(knownId(priced, body), body, quote, context, request);
    });
  }

  /**
   * Books an offer or quote. The response is replayed for the same Idempotency-Key: 201, 202, or an error if nothing
   * was booked. Returns undefined, having done nothing, if another request has claimed the key.
   */
  async #book(
    priced: PricedKey,
    body: CreateBody,
    quote: string | undefined,
    context: RequestContext,
    request: RequestKey | undefined,
  ): Promise<StoredAnswer | undefined> {
    const booking = normalizeBooking(body, context.startedAt);
    await this.quota.take(context);
    if (quote !== undefined && (await this.#isTaken(quote, request))) return undefined;
    const checked = await this.#check(priced, body, context);
    const { supplier } = checked;
    refuse([
      ...paymentProblems(booking, supplier),
      ...untoldProblems(booking.personal.additionalDrivers, booking.pickupLater, supplier),
      ...guaranteeProblems(booking.payment, checked),
      ...ageProblems(body.driver.date_of_birth, checked),
      ...residenceProblems(body, checked),
    ]);
    acceptPrice(priced, checked, body);
    acceptTerms(priced, checked);
    await this.journal.ready();
    // If the client disconnects before this point, nothing is booked.
    const timeoutMs = commitToCall(context, supplier.config.timeoutMs.book, this.config.reservations.budgetMs);
    const reservation = this.#newReservation(context, checked, booking, timeoutMs);
    this.requests.mark(context, reservation.id);
    const startedAt = performance.now();
    const insertion = await this.quota.ofDay(
      context,
      () =>
        insertSurely(
          () => this.#insert(reservation, request, quote),
          async () => (await this.repository.get(reservation.id)) !== undefined,
          { hasKey: request !== undefined, until: startedAt + timeoutMs / 2 },
        ),
      (result) => result === 'stored',
    );
    if (insertion === 'key_taken') return undefined;
    if (insertion === 'too_many_unresolved' || insertion === 'too_many_on_request')
      throw tooManyOpen(insertion, supplier.name);
    countMove(supplier.id, reservation.state, 'application');
    const unwritten = await this.journal.booking(reservation, request, quote);
    if (unwritten) {
      const isFree = quote === undefined || (await this.quotes.release(reservation.id));
      return this.#notSent(reservation, isFree ? unwritten : withQuoteUsed(unwritten), request, context);
    }
    const { id, rental } = reservation;
    const ask = async (adapter: SupplierAdapter, call: SupplierContext): Promise<SupplierBooking> => {
      if (!adapter.book)
        throw new SupplierError('rejected', 'no booking', false, { refusal: 'unsupported_by_supplier' });
      const { personal, payment } = booking;
      return checkedBooking(
        await adapter.book(bookRequest(id, rental, personal, payment, supplier), call),
        id,
        payment,
        adapter.booking?.findsByReference,
      );
    };
    const outcome = await outcomeOf(
      this.calls.call(supplier, 'book', context, ask, {
        reference: id,
        timeoutMs: timeLeft(timeoutMs, startedAt),
        renter: renterOf(booking),
      }),
    );
    const answer = await this.#conclude(reservation, supplier, outcome, request, context);
    if (quote !== undefined && outcome.kind === 'not_done' && !outcome.error.sent) await this.quotes.release(id);
    return answer;
  }

  /**
   * Whether the key was claimed together with the quote since the key was looked up. Throws ApiError 400 (cause
   * quote_used) if another request has booked the quote.
   */
  async #isTaken(quote: string, request: RequestKey | undefined): Promise<boolean> {
    const made = await this.quotes.reservationOf(quote);
    if (made === undefined) return false;
    if (request && (await this.idempotency.isKnown(request))) return true;
    throw quoteUsed(made);
  }

  /** Stores a reservation, as ReservationRepository. Throws ApiError 400 (cause quote_used) if another one has the quote. */
  async #insert(
    reservation: Reservation,
    request: RequestKey | undefined,
    quote: string | undefined,
  ): Promise<Insertion> {
    try {
      return await this.repository.insert(reservation, request, quote);
    } catch (error) {
      if (databaseFault(error)) throw error;
      // In the same moment, a gateway with one secret claimed one of the two keys.
      if (request?.other && (await this.idempotency.isKnown(request))) return 'key_taken';
      if (quote === undefined) throw error;
      const made = await this.quotes.reservationOf(quote);
      if (made === reservation.id) return 'stored';
      throw made === undefined ? error : quoteUsed(made);
    }
  }

  /** Stores that a booking isn't sent, and builds the response. If that can't be stored yet, it holds all the same. */
  async #notSent(
    reservation: Reservation,
    problem: Problem,
    request: RequestKey | undefined,
    { startedAt }: RequestContext,
  ): Promise<StoredAnswer> {
    const reason = 'not sent: the journal of bookings could not be written';
    const patch = { nextCheckAt: undefined };
    const move: Move = { to: 'failed', actor: 'gateway', reason, at: this.repository.now(), patch };
    const answer = (after: Reservation): StoredAnswer => createdAnswer(after, startedAt, problem);
    const stored = await this.writer.storeResult(reservation, move, request && { request, answer });
    if (!stored) throw notSent(problem, request !== undefined);
    return stored.answer ?? answer(stored.reservation);
  }

  #check(priced: PricedKey, body: CreateBody, context: RequestContext): Promise<CheckedPrice> {
    const requested = {
      extras: body.extras?.map(({ extra_id, quantity }) => ({ code: extra_id, quantity })),
      coverages: body.coverages,
      age: body.driver.age,
      dateOfBirth: body.driver.date_of_birth,
      dateOfBirthField: 'driver.date_of_birth',
    };
    return this.prices.check(priced, requested, context, 'recheck');
  }

  /** Stores the outcome and builds the response. */
  async #conclude(
    reservation: Reservation,
    supplier: Supplier,
    outcome: Outcome<SupplierBooking>,
    request: RequestKey | undefined,
    { startedAt, trace }: RequestContext,
  ): Promise<StoredAnswer> {
    const at = this.repository.now();
    const { move, problem } = concluded(outcome, reservation, supplier, at, at + this.config.reservations.firstCheckMs);
    if (problem) trace?.setEntries([problem]);
    const answer = (after: Reservation): StoredAnswer => createdAnswer(after, startedAt, problem);
    const stored = await this.writer.storeResult(reservation, move, request && { request, answer });
    if (!stored) throw notStored(reservation);
    await this.journal.note('number', stored.reservation);
    return stored.answer ?? answer(stored.reservation);
  }

  #newReservation(
    context: RequestContext,
    checked: CheckedPrice,
    booking: NormalizedBooking,
    timeoutMs: number,
  ): Reservation {
    const { supplier, request, offer } = checked;
    const now = this.repository.now();
    return {
      id: `res_${randomBytes(15).toString('base64url').replaceAll('-', '_')}`,
      applicationId: context.policy.applicationId,
      supplier: supplier.id,
      state: 'pending',
      version: 1,
      ...(booking.clientReference === undefined ? {} : { clientReference: booking.clientReference }),
      rental: {
        ...request,
        total: offer.price.total,
        status: offer.status,
        pickupLater: booking.pickupLater,
        notifyCustomer: booking.notifyCustomer,
      },
      view: acceptedView(checked, this.facts),
      personal: booking.personal,
      payment: paidNow(booking.storedPayment, offer.price),
      ...sentWindow(now, timeoutMs),
      checks: 0,
      createdAt: now,
      updatedAt: now,
      history: [{ to: 'pending', at: now, actor: 'application', reason: 'accepted' }],
    };
  }
}

/** Everything that a booking says about the renter, for the log to leave out. */
function renterOf({ personal, payment }: NormalizedBooking): unknown {
  return payment.type === 'card' ? [personal, payment.card.holder] : personal;
}
