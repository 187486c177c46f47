import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { RequestScope } from '../http/request-scope.js';
import { countMove } from '../metrics/metrics.js';
import type { SupplierBooking } from '../model/bookings.js';
import { SupplierError } from '../model/supplier.js';
import { chosenView } from '../offers/chosen-view.js';
import { type CheckedPrice, PriceCheckService } from '../offers/price-check.service.js';
import type { PricedKey } from '../offers/priced-key.js';
import { faultProblem, refusalProblem, searchedOnly } from '../offers/refusal.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { rentalView } from '../representations/rental-view.js';
import type { Scenario } from '../sandbox/scenario.js';
import { ApiError, type Problem } from '../status/api-error.js';
import type { Supplier } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { createdAnswer } from './answers.js';
import { type NormalizedBooking, normalizeBooking } from './normalize-booking.js';
import { acceptPrice } from './price-acceptance.js';
import { bookRequest, type Move, type Reservation } from './reservation.js';
import { type RequestKey, ReservationRepository, type StoredAnswer } from './reservation.repository.js';
import { ReservationWriter } from './reservation-writer.js';
import type { CreateBody } from './reservations.schema.js';
import { checkedBooking, isNumber, type Outcome, outcomeOf } from './supplier-outcome.js';

/** Who calls, with which scenario, inside which request. */
export interface Caller {
  readonly applicationId: string;
  readonly scenario: Scenario | undefined;
  readonly scope: RequestScope;
}

/** Time kept for the database after a supplier call, milliseconds. */
export const DATABASE_MS = 1_500;

/** With less time than this a supplier is not asked to do anything. */
export const LEAST_MS = 200;

/** How long after a gateway must have finished it is taken for dead. */
export const GRACE_MS = 5_000;

/** Creates reservations (spec §4.3, rulings 15, 16, 24, 25): price once more, store, book, store. */
@Injectable()
export class BookingService {
  constructor(
    private readonly prices: PriceCheckService,
    private readonly calls: SupplierCalls,
    private readonly facts: LocationFactsCache,
    private readonly repository: ReservationRepository,
    private readonly keeper: ReservationWriter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Books what an id names. The answer is what shall be given again for the same Idempotency-Key: 201, 202, or the error of a booking that was
   * certainly not made. Undefined: the key was claimed by somebody else meanwhile, nothing was done. Throws ApiError for what is refused
   * before the supplier is asked to book.
   */
  async book(
    priced: PricedKey,
    body: CreateBody,
    caller: Caller,
    request: RequestKey | undefined,
  ): Promise<StoredAnswer | undefined> {
    const { scope, scenario } = caller;
    const understood = normalizeBooking(body, scope.startedAt);
    const checked = await this.#check(priced, body, caller);
    const { supplier } = checked;
    refuse([
      ...paymentProblems(understood, supplier),
      ...ageProblems(body.driver.date_of_birth, checked),
      ...residenceProblems(body, checked),
    ]);
    acceptPrice(priced, checked, body);
    const timeoutMs = Math.min(supplier.config.timeoutMs.book, this.#timeLeft(caller));
    // From here on nobody's leaving stops it: what was sent must be stored. Who has left by now has not booked.
    if (timeoutMs < LEAST_MS || !scope.commit()) throw ApiError.of('timeout');
    const reservation = this.#newReservation(caller, checked, understood, timeoutMs);
    if (!(await this.repository.insert(reservation, request))) return undefined;
    countMove(supplier.id, reservation.state, 'application');
    const directive = scenario?.bookingDirective('book', supplier.id);
    const terms = { requestId: scope.id, directive, seed: scenario?.seed, timeoutMs, trace: scope.trace };
    const outcome = await outcomeOf(
      this.calls.call(supplier, 'book', terms, async (adapter, context) => {
        if (!adapter.book)
          throw new SupplierError('rejected', 'no booking', false, { refusal: 'unsupported_by_supplier' });
        const { id, rental } = reservation;
        return checkedBooking(
          await adapter.book(bookRequest(id, rental, understood.personal, understood.payment), context),
          id,
        );
      }),
    );
    return this.#conclude(reservation, supplier, outcome, request, scope);
  }

  #check(priced: PricedKey, body: CreateBody, { applicationId, scenario, scope }: Caller): Promise<CheckedPrice> {
    const wish = {
      extras: body.extras?.map(({ extra_id, quantity }) => ({ code: extra_id, quantity })),
      coverages: body.coverages,
      age: body.driver.age,
      dateOfBirth: body.driver.date_of_birth,
      dateOfBirthField: 'driver.date_of_birth',
    };
    return this.prices.check(priced, wish, { applicationId, scenario, scope }, 'recheck');
  }

  /** Stores what the supplier said and makes the answer of it. */
  async #conclude(
    reservation: Reservation,
    supplier: Supplier,
    outcome: Outcome<SupplierBooking>,
    request: RequestKey | undefined,
    { startedAt, trace }: RequestScope,
  ): Promise<StoredAnswer> {
    const at = Date.now();
    const { move, problem } = concluded(outcome, reservation, supplier, at, at + this.config.reservations.firstCheckMs);
    if (problem) trace?.tell([problem]);
    const answer = (after: Reservation): StoredAnswer => createdAnswer(after, startedAt, problem);
    const after = await this.keeper.keep(reservation, move, request && { request, answer });
    return answer(after ?? reservation);
  }

  #newReservation(
    caller: Caller,
    checked: CheckedPrice,
    understood: NormalizedBooking,
    timeoutMs: number,
  ): Reservation {
    const { supplier, request, offer } = checked;
    const now = Date.now();
    const sentUntil = now + timeoutMs;
    return {
      id: `res_${randomBytes(15).toString('base64url').replaceAll('-', '_')}`,
      applicationId: caller.applicationId,
      supplier: supplier.id,
      state: 'pending',
      version: 1,
      ...(understood.clientReference === undefined ? {} : { clientReference: understood.clientReference }),
      rental: {
        ...request,
        total: offer.price.total,
        status: offer.status,
        pickupLater: understood.pickupLater,
        notifyCustomer: understood.notifyCustomer,
      },
      view: { ...rentalView(supplier.id, offer, this.facts), ...chosenView(offer, request) },
      personal: understood.personal,
      payment: understood.kept,
      sentUntil,
      nextCheckAt: sentUntil + GRACE_MS,
      checks: 0,
      createdAt: now,
      updatedAt: now,
      history: [{ to: 'pending', at: now, actor: 'application', reason: 'accepted' }],
    };
  }

  #timeLeft({ scope }: Caller): number {
    return scope.startedAt + this.config.reservations.budgetMs - DATABASE_MS - Date.now();
  }
}

/** The move that an outcome of booking makes of a pending reservation, and the entry for the caller when it was certainly not booked. */
export function concluded(
  outcome: Outcome<SupplierBooking>,
  reservation: Reservation,
  supplier: Supplier,
  at: number,
  nextCheckAt: number,
): { readonly move: Move; readonly problem?: Problem } {
  if (outcome.kind === 'unknown') {
    const reason = `${supplier.name} gave no clear answer: it may have booked`;
    // The call is over: nothing of it leaves any more.
    return { move: { to: 'unknown', actor: 'gateway', reason, at, patch: { nextCheckAt, sentUntil: at } } };
  }
  if (outcome.kind === 'not_done') {
    const problem = faultProblem(outcome.error, supplier);
    return {
      move: {
        to: 'failed',
        actor: 'gateway',
        reason: `not booked: ${problem.cause}`,
        at,
        patch: { nextCheckAt: undefined },
      },
      problem,
    };
  }
  const booking = outcome.result;
  if (booking.status === 'rejected') {
    const details = `${supplier.name} did not accept the booking. Nothing is booked; choose another offer.`;
    const problem: Problem = { reason: 'supplier_failure', supplier: supplier.id, cause: 'rejected', details };
    return {
      move: { to: 'failed', actor: 'gateway', reason: 'not booked: rejected', at, patch: { nextCheckAt: undefined } },
      problem,
    };
  }
  const to = booking.status === 'on_request' ? 'on_request' : 'confirmed';
  const reason = to === 'confirmed' ? 'booked' : 'the supplier must accept it by hand';
  const patch = { ...bookedPatch(reservation, booking), nextCheckAt: to === 'on_request' ? nextCheckAt : undefined };
  return { move: { to, actor: 'gateway', reason, at, patch } };
}

/** What a supplier's booking adds to a reservation: its number, what later calls need, and whether the price is the accepted one. */
export function bookedPatch({ rental }: Reservation, booking: SupplierBooking): NonNullable<Move['patch']> {
  const { total } = booking;
  const drifted =
    total !== undefined && (total.amountMinor !== rental.total.amountMinor || total.currency !== rental.total.currency);
  return {
    ...(isNumber(booking.confirmationNumber) ? { confirmationNumber: booking.confirmationNumber } : {}),
    rental: { ...rental, ref: { ...rental.ref, ...booking.ref } },
    priceDrift: drifted ? { accepted: rental.total, actual: total } : undefined,
  };
}

function paymentProblems({ payment }: NormalizedBooking, supplier: Supplier): Problem[] {
  const { booking } = supplier.connection.adapter;
  if (payment.type === 'card' && !booking?.takesCards)
    return [refusalProblem('unsupported_by_supplier', supplier, 'payment.type')];
  if (payment.type === 'voucher' && !booking?.takesVouchers)
    return [refusalProblem('unsupported_by_supplier', supplier, 'payment.type')];
  return supplier.connection.adapter.book ? [] : [searchedOnly(supplier)];
}

/** What is wrong with the age that an offer was priced for; `dateOfBirth` when the driver gave one. */
export function ageProblems(dateOfBirth: string | undefined, { supplier, request, offer }: CheckedPrice): Problem[] {
  const { minAge = 0, maxAge = Number.POSITIVE_INFINITY } = offer.requirements;
  if (request.age >= minAge && request.age <= maxAge) return [];
  const details = `${supplier.name} rents this car to drivers of ${minAge}${Number.isFinite(maxAge) ? ` to ${maxAge}` : ' or more'} years; this one will be ${request.age}.`;
  return [
    {
      ...refusalProblem('not_eligible', supplier, dateOfBirth === undefined ? 'driver.age' : 'driver.date_of_birth'),
      details,
    },
  ];
}

function residenceProblems({ driver }: CreateBody, { request }: CheckedPrice): Problem[] {
  if (driver.country_code === undefined || driver.country_code === request.countryCode) return [];
  const details = `The offer is priced for residents of ${request.countryCode}. Search again with country_code=${driver.country_code}.`;
  return [{ reason: 'invalid_range', field: 'driver.country_code', details }];
}

/** Throws ApiError with the problems, if there are any. */
export function refuse([first, ...rest]: readonly Problem[]): void {
  if (first) throw new ApiError([first, ...rest]);
}
