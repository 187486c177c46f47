import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { countLateBooking, countMove } from '../metrics/metrics.js';
import { maskedText } from '../privacy/masked-text.js';
import { requestInDoubt } from './answers.js';
import { awaitsExtras } from './booked-differences.js';
import { storeSurely } from './booking-storage.js';
import { isTaken } from './confirmation-numbers.js';
import { type HistoryRow, type Move, moved, type Reservation } from './reservation.js';
import { ReservationRepository, type StoredAnswer } from './reservation.repository.js';
import type { RequestKey } from './reservation-insertion.js';
import { canMove, isLookedUpAgain } from './states.js';

/** How long a request waits if the database becomes unavailable after the supplier was called. */
const REQUEST_WAIT_MS = 3_000;
/** How long the process keeps retrying in the background after that. */
const BACKGROUND_MS = 900_000;
const MAX_PAUSE_MS = 1_000;
/** When an extra that isn't confirmed is looked up, if second bookings never are. */
const EXTRAS_SECONDS = 120;

/** The response to store with a move, built from the reservation after the move. */
export interface Reply {
  readonly request: RequestKey;
  answer(after: Reservation): StoredAnswer;
}

/** What is stored: the reservation and, if the request has a key, the response to give. */
export interface Stored {
  readonly reservation: Reservation;
  readonly answer?: StoredAnswer;
}

/** Stores moves. A supplier's result is stored even after concurrent changes and database outages. */
@Injectable()
export class ReservationWriter {
  constructor(
    private readonly repository: ReservationRepository,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Stores a move of exactly this version. Returns undefined if the reservation has changed since; rejects if the
   * database is unavailable.
   */
  async move(before: Reservation, move: Move): Promise<Reservation | undefined> {
    try {
      return await this.#update(before, move);
    } catch (error) {
      const doubtful = isTaken(error) ? withoutNumber(before, move) : undefined;
      if (!doubtful) throw error;
      return this.#update(before, doubtful);
    }
  }

  /**
   * Stores a request before it is sent, as `move`, even if the connection breaks while it does: a request that is stored will be
   * sent, so none of them must be answered as if nothing had happened. Throws ApiError 503 (cause outcome_unknown) if it isn't known
   * `until` (performance.now) whether it is stored.
   */
  async request(before: Reservation, move: Move, until: number): Promise<Reservation | undefined> {
    const find = async (): Promise<Reservation | undefined> => {
      const found = await this.repository.get(before.id);
      if (!found || !rowsSince(found, before.version).some((row) => isRowOf(row, move))) return undefined;
      // A reconciler that took it over sends it.
      if (found.state !== move.to) throw requestInDoubt(found);
      this.#count(before, found, move);
      return found;
    };
    return storeSurely(() => this.move(before, move), find, {
      isStored: (stored) => stored !== undefined,
      inDoubt: (error) => requestInDoubt(before, error),
      until,
    });
  }

  /**
   * Stores the result of a supplier call, even if a reconciler has moved the reservation since or the database is
   * unavailable for a moment. A result that contradicts a change made since is logged and not stored. Undefined =
   * nothing is stored yet: the database is unavailable, and the process keeps retrying in the background (if it exits,
   * the reconciler finds the result again).
   */
  async storeResult(before: Reservation, move: Move, reply?: Reply): Promise<Stored | undefined> {
    const stored = await this.#tryUntil(performance.now() + REQUEST_WAIT_MS, before, move, reply);
    if (stored) return stored;
    this.logger.error(
      { reservation: before.id, to: move.to },
      'the database is unavailable: keeping the result of the supplier call in memory',
    );
    void this.#retryInBackground(before, move, reply);
    return undefined;
  }

  async #retryInBackground(before: Reservation, move: Move, reply: Reply | undefined): Promise<void> {
    const stored = await this.#tryUntil(performance.now() + BACKGROUND_MS, before, move, reply);
    if (stored)
      this.logger.info(
        { reservation: before.id, state: stored.reservation.state },
        'stored the result after the database recovered',
      );
    else
      this.logger.error(
        { reservation: before.id, to: move.to },
        'gave up storing the result: the reconciler must find it',
      );
  }

  /** Tries until `end` (performance.now). Undefined = it could not be stored. Never rejects. */
  async #tryUntil(
    end: number,
    before: Reservation,
    original: Move,
    reply: Reply | undefined,
  ): Promise<Stored | undefined> {
    let move = original;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        return await this.#write(before, move, reply);
      } catch (error) {
        const doubtful = isTaken(error) && move === original ? withoutNumber(before, move) : undefined;
        if (doubtful) {
          move = doubtful;
          continue;
        }
        this.logger.warn({ reservation: before.id, why: messageOf(error) }, 'could not store a move');
        if (performance.now() + pauseMs > end) return undefined;
        await wait(pauseMs, undefined, { ref: false });
      }
    }
  }

  /** Stores the move on top of any moves a reconciler made since `before`. */
  async #write(before: Reservation, result: Move, reply: Reply | undefined): Promise<Stored | undefined> {
    let move = result;
    for (let current = before; ; ) {
      const stored = canMove(current.state, move.to) ? await this.#updateAndAnswer(current, move, reply) : undefined;
      if (stored) return stored;
      const found = await this.repository.get(before.id);
      // The database was restored to a time before this reservation.
      if (!found) return undefined;
      const since = rowsSince(found, before.version);
      if (
        found.state === 'failed' &&
        since.every(isReconciled) &&
        (move.to === 'confirmed' || move.to === 'on_request')
      ) {
        countLateBooking(found.supplier);
        move = lateMove(move);
      }
      // This move was stored but its confirmation was lost, or a reconciler reached the same state.
      const isDone = since.some((row) => isRowOf(row, move)) || (found.state === move.to && since.every(isReconciled));
      // An unknown outcome cannot contradict anything.
      const isVague = move.to === 'unknown' || move.to === 'cancel_unknown';
      if (!isDone && !isVague && since.every(isReconciled) && canMove(found.state, move.to)) {
        current = found;
        continue;
      }
      if (!isDone && !isVague) this.#reportContradiction(found, move);
      // Whatever happened, the response is stored before it is given.
      const answer = reply && (await this.repository.storeAnswer(found.id, reply.request, reply.answer(found)));
      return { reservation: found, ...(answer ? { answer } : {}) };
    }
  }

  async #updateAndAnswer(before: Reservation, move: Move, reply: Reply | undefined): Promise<Stored | undefined> {
    if (!reply) {
      const reservation = await this.#update(before, move);
      return reservation && { reservation };
    }
    const { after, patch } = this.#afterMove(before, move);
    const answer = await this.repository.updateAndAnswer(after, patch, reply.request, reply.answer(after));
    if (answer) this.#count(before, after, move);
    return answer && { reservation: after, answer };
  }

  async #update(before: Reservation, move: Move): Promise<Reservation | undefined> {
    const { after, patch } = this.#afterMove(before, move);
    if (!(await this.repository.update(after, patch))) return undefined;
    this.#count(before, after, move);
    return after;
  }

  /**
   * The reservation after a move, and what the move sets. Personal data erased since is not written again. What is
   * confirmed, cancelled, rejected or expired is looked up once more: a request may have been delivered twice. So are extras that aren't
   * confirmed.
   */
  #afterMove(before: Reservation, move: Move): { readonly after: Reservation; readonly patch: Move['patch'] } {
    const { patch, ...own } = before.personal ? move : withoutPersonal(move);
    const isOpen = awaitsExtras({ state: move.to, view: patch?.view ?? before.view });
    // The end of a watch on second bookings isn't that of the extras.
    const isAtEnd = patch !== undefined && 'nextCheckAt' in patch && patch.nextCheckAt === undefined;
    const isNew = before.state !== move.to && isLookedUpAgain(move.to);
    const isLookedUp = isNew || (isOpen && (isAtEnd || !awaitsExtras(before)));
    const seconds = this.config.reservations.secondCheckSeconds || (isOpen ? EXTRAS_SECONDS : 0);
    const nextCheckAt = move.at + seconds * 1_000;
    const whole = isLookedUp && seconds > 0 ? { ...patch, nextCheckAt, checks: 0 } : patch;
    return { after: moved(before, { ...own, ...(whole ? { patch: whole } : {}) }), patch: whole };
  }

  #count(before: Reservation, { id, supplier, state, view, payment }: Reservation, { actor }: Move): void {
    countMove(supplier, state, actor);
    const differences = view.booked_differently;
    if (differences && !isDeepStrictEqual(differences, before.view.booked_differently))
      this.logger.warn({ reservation: id, supplier, differences }, 'the supplier booked something else than accepted');
    const wantsCard = ({ requirements }: Reservation['view']) => requirements.credit_card_required === true;
    // An offer that was accepted with a change may say so of its rate, which isn't what the supplier answered.
    const accepted = [before.view, ...(before.change ? [before.change.view] : [])];
    if (payment.type !== 'card' && wantsCard(view) && !accepted.some(wantsCard))
      this.logger.warn({ reservation: id, supplier }, 'the supplier needs a card to finish a booking without one');
  }

  #reportContradiction({ id, state }: Reservation, { to }: Move): void {
    this.logger.error(
      { reservation: id, state, to },
      'the result of the supplier call contradicts the stored reservation: manual review required',
    );
  }
}

/** The rows of the history after a version. */
function rowsSince({ history, version }: Reservation, before: number): readonly HistoryRow[] {
  return history.slice(Math.max(0, history.length - (version - before)));
}

/** Whether a row leaves the supplier's earlier result valid: a reconciler's move, or an erasure. */
function isReconciled({ actor, from, to }: HistoryRow): boolean {
  return actor === 'reconciler' || from === to;
}

function isRowOf(row: HistoryRow, { to, at, actor, reason }: Move): boolean {
  const { from: _before, ...rest } = row;
  return isDeepStrictEqual(rest, { to, at, actor, reason });
}

/**
 * A confirmation number that belongs to another reservation proves nothing, so it is dropped and the outcome is
 * unknown. Undefined = no valid move.
 */
function withoutNumber({ state }: Reservation, { at, actor }: Move): Move | undefined {
  const reason = 'the supplier gave a confirmation number that belongs to another reservation';
  if (state === 'unknown' || state === 'failed' || state === 'on_request')
    return { to: 'manual_review', at, actor, reason, patch: { nextCheckAt: undefined } };
  return canMove(state, 'unknown') ? { to: 'unknown', at, actor, reason, patch: { nextCheckAt: at } } : undefined;
}

/**
 * The move for a booking that was made although the reservation was already given up, and perhaps reported as failed: an
 * operator decides.
 */
function lateMove({ at, actor, patch }: Move): Move {
  const reason = 'the supplier made the booking after it was given up';
  return { to: 'manual_review', at, actor, reason, patch: { ...patch, nextCheckAt: undefined } };
}

function withoutPersonal(move: Move): Move {
  const { personal: _personal, change: _change, ...patch } = move.patch ?? {};
  return { ...move, patch: { ...patch, change: undefined } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? maskedText(error.message) : 'unknown';
}
