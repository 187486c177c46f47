import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { countMove } from '../metrics/metrics.js';
import { maskedText } from '../privacy/masked-text.js';
import { type HistoryRow, type Move, moved, type Reservation } from './reservation.js';
import { type RequestKey, ReservationRepository, type StoredAnswer } from './reservation.repository.js';
import { canMove } from './states.js';

/** How long a request waits if the database becomes unavailable after the supplier was called. */
const REQUEST_WAIT_MS = 3_000;
/** How long the process keeps retrying in the background after that. */
const BACKGROUND_MS = 900_000;
const MAX_PAUSE_MS = 1_000;

/** The response to store with a move, built from the reservation after the move. */
export interface Reply {
  readonly request: RequestKey;
  answer(after: Reservation): StoredAnswer;
}

/** Stores moves. A supplier's result is stored even after concurrent changes and database outages. */
@Injectable()
export class ReservationWriter {
  constructor(
    private readonly repository: ReservationRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Stores a move of exactly this version. Returns undefined if the reservation has changed since; rejects if the
   * database is unavailable.
   */
  async move(before: Reservation, move: Move): Promise<Reservation | undefined> {
    try {
      return await this.#update(before, move, undefined);
    } catch (error) {
      const doubtful = isTaken(error) ? withoutNumber(before, move) : undefined;
      if (!doubtful) throw error;
      return this.#update(before, doubtful, undefined);
    }
  }

  /**
   * Stores the result of a supplier call, even if a reconciler has moved the reservation since or the database is
   * unavailable. Returns undefined if it was not stored: either the database is unavailable and the process keeps
   * retrying in the background (if it exits, the reconciler finds the result again), or the result contradicts a change
   * made since, which is logged.
   */
  async storeResult(before: Reservation, move: Move, reply?: Reply): Promise<Reservation | undefined> {
    const stored = await this.#tryUntil(performance.now() + REQUEST_WAIT_MS, before, move, reply);
    if (stored !== 'unavailable') return stored;
    this.logger.error(
      { reservation: before.id, to: move.to },
      'the database is unavailable: keeping the result of the supplier call in memory',
    );
    // The client gets this response now, so it must stay the response to this request.
    const given = reply?.answer(before);
    void this.#retryInBackground(before, move, reply && given && { request: reply.request, answer: () => given });
    return undefined;
  }

  async #retryInBackground(before: Reservation, move: Move, reply: Reply | undefined): Promise<void> {
    const stored = await this.#tryUntil(performance.now() + BACKGROUND_MS, before, move, reply);
    if (stored === 'unavailable')
      this.logger.error(
        { reservation: before.id, to: move.to },
        'gave up storing the result: the reconciler must find it',
      );
    else if (stored)
      this.logger.info(
        { reservation: stored.id, state: stored.state },
        'stored the result after the database recovered',
      );
  }

  /**
   * Tries until `end` (performance.now). Returns undefined if the move contradicts a change made since. Never rejects.
   */
  async #tryUntil(
    end: number,
    before: Reservation,
    original: Move,
    reply: Reply | undefined,
  ): Promise<Reservation | undefined | 'unavailable'> {
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
        if (performance.now() + pauseMs > end) return 'unavailable';
        await wait(pauseMs, undefined, { ref: false });
      }
    }
  }

  /**
   * Stores the move on top of any moves a reconciler made since `before`. Returns undefined if the move contradicts
   * another change.
   */
  async #write(before: Reservation, move: Move, reply: Reply | undefined): Promise<Reservation | undefined> {
    for (let current = before; ; ) {
      const after = canMove(current.state, move.to) ? await this.#update(current, move, reply) : undefined;
      if (after) return after;
      const stored = await this.repository.get(before.id);
      if (!stored) return this.#contradicted(before, move);
      const since = stored.history.slice(before.history.length);
      // This move was stored but its confirmation was lost, or a reconciler reached the same state.
      if (since.some((row) => isRowOf(row, move)) || (stored.state === move.to && since.every(isReconciled))) {
        if (reply) await this.repository.storeAnswer(before.id, reply.request, reply.answer(stored));
        return stored;
      }
      // An unknown outcome cannot contradict anything.
      if (move.to === 'unknown' || move.to === 'cancel_unknown') return stored;
      if (!since.every(isReconciled) || !canMove(stored.state, move.to)) return this.#contradicted(stored, move);
      current = stored;
    }
  }

  async #update(before: Reservation, move: Move, reply: Reply | undefined): Promise<Reservation | undefined> {
    const after = moved(before, before.personal ? move : withoutPersonal(move));
    const answer = reply && { request: reply.request, answer: reply.answer(after) };
    if (!(await this.repository.update(after, move.patch, answer))) return undefined;
    countMove(after.supplier, after.state, move.actor);
    return after;
  }

  #contradicted({ id, state }: Reservation, { to }: Move): undefined {
    this.logger.error(
      { reservation: id, state, to },
      'the result of the supplier call contradicts the stored reservation: manual review required',
    );
    return undefined;
  }
}

/** Whether a row leaves the supplier's earlier result valid: a reconciler's move, or an erasure. */
function isReconciled({ actor, from, to }: HistoryRow): boolean {
  return actor === 'reconciler' || from === to;
}

function isRowOf(row: HistoryRow, { to, at, actor, reason }: Move): boolean {
  const { from: _before, ...rest } = row;
  return isDeepStrictEqual(rest, { to, at, actor, reason });
}

/** Whether the confirmation number already belongs to another reservation (PostgreSQL 23505). */
function isTaken(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; current = current.cause, depth += 1) {
    if ('code' in current && current.code === '23505') return true;
  }
  return false;
}

/**
 * A confirmation number that belongs to another reservation proves nothing, so it is dropped and the outcome is
 * unknown. Undefined = no valid move.
 */
function withoutNumber({ state }: Reservation, { at, actor }: Move): Move | undefined {
  const reason = 'the supplier gave a confirmation number that belongs to another reservation';
  if (state === 'unknown') return { to: 'manual_review', at, actor, reason, patch: { nextCheckAt: undefined } };
  return canMove(state, 'unknown') ? { to: 'unknown', at, actor, reason, patch: { nextCheckAt: at } } : undefined;
}

/** Personal data erased since must not be written again. */
function withoutPersonal(move: Move): Move {
  const { personal: _personal, change: _change, ...patch } = move.patch ?? {};
  return { ...move, patch: { ...patch, change: undefined } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? maskedText(error.message) : 'unknown';
}
