import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { countMove } from '../metrics/metrics.js';
import { type HistoryRow, type Move, moved, type Reservation } from './reservation.js';
import { type RequestKey, ReservationRepository, type StoredAnswer } from './reservation.repository.js';
import { canMove } from './states.js';

/** How long a request waits for a database that went away after the supplier was called. */
const PATIENCE_MS = 3_000;
/** How long the process goes on trying after that. */
const BACKGROUND_MS = 900_000;
const LONGEST_PAUSE_MS = 1_000;

/** Answer to store with a move: made from the reservation as it is after it. */
export interface Reply {
  readonly request: RequestKey;
  answer(after: Reservation): StoredAnswer;
}

/** Stores moves: of exactly one version, and against all odds what a supplier has said. */
@Injectable()
export class ReservationWriter {
  constructor(
    private readonly repository: ReservationRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Stores a move of exactly this version; undefined = somebody else changed it meanwhile. Rejects when the database is away. */
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
   * Stores what a supplier has said to the one who asked, whatever a reconciler made of it meanwhile and however long the database is away.
   * Undefined = not stored: the database is away and the process goes on trying in the background (if it dies, the reconciler finds out by itself),
   * or somebody else has changed it to what this contradicts, which is logged.
   */
  async keep(before: Reservation, move: Move, reply?: Reply): Promise<Reservation | undefined> {
    const stored = await this.#tryUntil(Date.now() + PATIENCE_MS, before, move, reply);
    if (stored !== 'away') return stored;
    this.logger.error(
      { reservation: before.id, to: move.to },
      'the database is away: what the supplier said is kept in memory',
    );
    // The caller is told now; what it is told is the answer to this request for good.
    const given = reply?.answer(before);
    void this.#goOn(before, move, reply && given && { request: reply.request, answer: () => given });
    return undefined;
  }

  async #goOn(before: Reservation, move: Move, reply: Reply | undefined): Promise<void> {
    const stored = await this.#tryUntil(Date.now() + BACKGROUND_MS, before, move, reply);
    if (stored === 'away')
      this.logger.error({ reservation: before.id, to: move.to }, 'given up storing: the reconciler must find out');
    else if (stored)
      this.logger.info({ reservation: stored.id, state: stored.state }, 'stored after the database came back');
  }

  /** Undefined = contradicted. Never rejects. */
  async #tryUntil(
    end: number,
    before: Reservation,
    asked: Move,
    reply: Reply | undefined,
  ): Promise<Reservation | undefined | 'away'> {
    let move = asked;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.#write(before, move, reply);
      } catch (error) {
        const doubtful = isTaken(error) && move === asked ? withoutNumber(before, move) : undefined;
        if (doubtful) {
          move = doubtful;
          continue;
        }
        this.logger.warn({ reservation: before.id, why: messageOf(error) }, 'a move could not be stored yet');
        if (Date.now() + pauseMs > end) return 'away';
        await wait(pauseMs, undefined, { ref: false });
      }
    }
  }

  /** Stores the move on top of what a reconciler made of the version it began with. Undefined = contradicted by somebody else's change. */
  async #write(before: Reservation, move: Move, reply: Reply | undefined): Promise<Reservation | undefined> {
    for (let current = before; ; ) {
      const after = canMove(current.state, move.to) ? await this.#update(current, move, reply) : undefined;
      if (after) return after;
      const stored = await this.repository.get(before.id);
      if (!stored) return this.#contradicted(before, move);
      const since = stored.history.slice(before.history.length);
      // A write whose confirmation was lost, or a reconciler that came to the same conclusion.
      if (since.some((row) => isRowOf(row, move)) || (stored.state === move.to && since.every(isReconciled))) {
        if (reply) await this.repository.storeAnswer(before.id, reply.request, reply.answer(stored));
        return stored;
      }
      // A lost answer knows nothing that could contradict.
      if (move.to === 'unknown' || move.to === 'cancel_unknown') return stored;
      if (!since.every(isReconciled) || !canMove(stored.state, move.to)) return this.#contradicted(stored, move);
      current = stored;
    }
  }

  async #update(before: Reservation, move: Move, reply: Reply | undefined): Promise<Reservation | undefined> {
    const after = moved(before, before.personal ? move : withoutPersonal(move));
    if (!(await this.repository.update(after, reply && { request: reply.request, answer: reply.answer(after) })))
      return undefined;
    countMove(after.supplier, after.state, move.actor);
    return after;
  }

  #contradicted({ id, state }: Reservation, { to }: Move): undefined {
    this.logger.error(
      { reservation: id, state, to },
      'what the supplier said contradicts what is stored: a person must look',
    );
    return undefined;
  }
}

/** A row that takes nothing from an earlier word of the supplier: a reconciler's, or an erasure. */
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

/** A number that belongs to another reservation proves nothing: it is left out, and the outcome is not known. Undefined = no move at all. */
function withoutNumber({ state }: Reservation, { at, actor }: Move): Move | undefined {
  const reason = 'the supplier gave a confirmation number that belongs to another reservation';
  if (state === 'unknown') return { to: 'manual_review', at, actor, reason, patch: { nextCheckAt: undefined } };
  return canMove(state, 'unknown') ? { to: 'unknown', at, actor, reason, patch: { nextCheckAt: at } } : undefined;
}

/** What was erased meanwhile must not come back. */
function withoutPersonal(move: Move): Move {
  const { personal: _personal, change: _change, ...patch } = move.patch ?? {};
  return { ...move, patch: { ...patch, change: undefined } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown';
}
