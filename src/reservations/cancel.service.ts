import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { RequestContext } from '../context/request-context.js';
import type { CancelResult } from '../model/bookings.js';
import { type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import { faultProblem, refusalProblem } from '../offers/refusal.js';
import { holdsCardNumber } from '../privacy/card-numbers.js';
import { ApiError } from '../status/api-error.js';
import { type Supplier, SupplierRegistry } from '../suppliers/registry.js';
import { type CallOptions, SupplierCalls } from '../suppliers/supplier-call.js';
import { outcomeUnknown } from './answers.js';
import { checkIfMatch, notChangeable, supplierOf } from './change-guard.js';
import { refuseOver } from './confirmation-numbers.js';
import { IntentJournal } from './intent-journal.js';
import { bookingKey, type Move, type Reservation } from './reservation.js';
import { ReservationRepository } from './reservation.repository.js';
import { ReservationWriter } from './reservation-writer.js';
import { isNumber, type Outcome, outcomeOf } from './supplier-outcome.js';
import { callDeadline, commitToCall, sentWindow, timeLeft } from './write-window.js';

const POLL_MS = 100;

/** Cancels reservations (spec §4.3 DELETE, ruling 22). */
@Injectable()
export class CancelService {
  /** The next reading of each reservation whose cancellation requests wait for. */
  readonly #reading = new Map<string, Promise<Reservation>>();

  constructor(
    private readonly registry: SupplierRegistry,
    private readonly calls: SupplierCalls,
    private readonly repository: ReservationRepository,
    private readonly writer: ReservationWriter,
    private readonly journal: IntentJournal,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Returns the cancelled reservation, including one that was cancelled before. Throws ApiError: 400 if the state, the
   * version or the supplier does not allow it, 500 with cause outcome_unknown if it is not known whether the supplier
   * cancelled.
   */
  async cancel(found: Reservation, ifMatch: string | undefined, context: RequestContext): Promise<Reservation> {
    const reservation = await this.#settled(found, context);
    if (reservation.state === 'cancelled') return reservation;
    if (reservation.state === 'cancel_unknown' || reservation.state === 'cancel_pending')
      throw outcomeUnknown(reservation);
    checkIfMatch(ifMatch, reservation);
    if (reservation.state !== 'confirmed' && reservation.state !== 'on_request') notChangeable(reservation);
    refuseOver(reservation, this.repository.now());
    const supplier = this.#reach(reservation);
    const timeoutMs = commitToCall(context, supplier.config.timeoutMs.cancel, this.config.reservations.budgetMs);
    const at = this.repository.now();
    const startedAt = performance.now();
    const request: Move = {
      to: 'cancel_pending',
      actor: 'application',
      reason: 'cancellation requested',
      at,
      patch: { ...sentWindow(at, timeoutMs), checks: 0 },
    };
    const pending = await this.writer.request(reservation, request, startedAt + timeoutMs / 2);
    if (!pending) return this.cancel(await this.#again(reservation), ifMatch, context);
    await this.journal.note('cancel', pending);
    const outcome = await outcomeOf(
      requestCancellation(this.calls, supplier, pending, context, { timeoutMs: timeLeft(timeoutMs, startedAt) }),
    );
    const move = cancelMove(outcome, reservation.state, this.repository.now(), this.config.reservations.firstCheckMs);
    const after = (await this.writer.storeResult(pending, move))?.reservation ?? pending;
    if (after.state === 'cancelled') return after;
    if (outcome.kind === 'not_done' && after.state === reservation.state) {
      await this.journal.note('refused', after);
      throw new ApiError([faultProblem(outcome.error, supplier)]);
    }
    throw outcomeUnknown(after);
  }

  /**
   * Waits for a cancellation in progress to finish, at most until the request's deadline. All requests of this gateway
   * that wait for one reservation share what is read.
   */
  async #settled(reservation: Reservation, context: RequestContext): Promise<Reservation> {
    const deadline = callDeadline(context, this.config.reservations.budgetMs);
    let current = reservation;
    while (current.state === 'cancel_pending' && performance.now() < deadline) {
      const next = this.#reading.get(current.id) ?? this.#readLater(current);
      this.#reading.set(current.id, next);
      current = await next;
    }
    return current;
  }

  async #readLater(reservation: Reservation): Promise<Reservation> {
    try {
      await wait(POLL_MS);
      return await this.#again(reservation);
    } finally {
      this.#reading.delete(reservation.id);
    }
  }

  async #again({ id }: Reservation): Promise<Reservation> {
    const current = await this.repository.get(id);
    if (!current) throw new Error('a stored reservation no longer exists');
    return current;
  }

  #reach(reservation: Reservation): Supplier {
    const supplier = supplierOf(this.registry, reservation, this.config.maintenance.retryAfterSeconds);
    if (!supplier.connection.adapter.cancel) throw new ApiError([refusalProblem('unsupported_by_supplier', supplier)]);
    return supplier;
  }
}

/** Asks the supplier to cancel. Idempotent: a cancelled booking stays cancelled. */
export function requestCancellation(
  calls: SupplierCalls,
  supplier: Supplier,
  reservation: Reservation,
  context: RequestContext,
  options?: CallOptions,
): Promise<CancelResult> {
  const ask = async (adapter: SupplierAdapter, call: SupplierContext): Promise<CancelResult> => {
    if (!adapter.cancel)
      throw new SupplierError('rejected', 'no cancellation', false, { refusal: 'unsupported_by_supplier' });
    return adapter.cancel(bookingKey(reservation), call);
  };
  return calls.call(supplier, 'cancel', context, ask, {
    ...options,
    reference: reservation.id,
    renter: reservation.personal,
  });
}

/**
 * The move for the outcome of a cancellation in progress. `before` is the state it started from. If the supplier has no
 * such booking, that does not prove a cancellation: the outcome stays unknown.
 */
export function cancelMove(
  outcome: Outcome<CancelResult>,
  before: 'confirmed' | 'on_request',
  at: number,
  firstCheckMs: number,
): Move {
  if (outcome.kind === 'done') {
    const { fee, refund, cancellationNumber } = outcome.result;
    const cancellation = {
      ...(fee ? { fee } : {}),
      ...(refund ? { refund } : {}),
      // Nothing needs it, so it is left out if it looks like a card number.
      ...(isNumber(cancellationNumber) && !holdsCardNumber(cancellationNumber) ? { cancellationNumber } : {}),
      at,
    };
    return {
      to: 'cancelled',
      actor: 'gateway',
      reason: 'cancelled',
      at,
      // An operator may cancel a booking with a change in doubt, of which nothing is left.
      patch: { cancellation, change: undefined, nextCheckAt: undefined },
    };
  }
  const nextCheckAt = at + firstCheckMs;
  if (outcome.kind === 'not_done' && outcome.error.refusal !== 'not_found') {
    const reason = `cancellation refused: ${outcome.error.refusal ?? outcome.error.fault}`;
    return {
      to: before,
      actor: 'gateway',
      reason,
      at,
      patch: { nextCheckAt: before === 'on_request' ? nextCheckAt : undefined },
    };
  }
  const reason =
    outcome.kind === 'unknown'
      ? 'the supplier gave no clear answer to the cancellation'
      : 'the supplier has no such booking';
  return { to: 'cancel_unknown', actor: 'gateway', reason, at, patch: { nextCheckAt, sentUntil: at } };
}
