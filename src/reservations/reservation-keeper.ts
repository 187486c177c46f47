import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { countMove } from '../metrics/metrics.js';
import { type Move, moved, type Reservation } from './reservation.js';
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

/** Stores moves: plainly before a supplier is called, and against all odds after. */
@Injectable()
export class ReservationKeeper {
  constructor(
    private readonly repository: ReservationRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Stores a move of exactly this version; undefined = somebody else changed it meanwhile. Rejects when the database is away. */
  async move(before: Reservation, move: Move): Promise<Reservation | undefined> {
    const after = moved(before, move);
    if (!(await this.repository.update(after))) return undefined;
    countMove(after.supplier, after.state, move.actor);
    return after;
  }

  /**
   * Stores what a supplier has said, whoever changed the reservation meanwhile and however long the database is away. Undefined = not stored
   * yet: the process goes on trying, and if it dies the reconciler finds out by itself.
   */
  async keep(before: Reservation, move: Move, reply?: Reply): Promise<Reservation | undefined> {
    return (await this.#tryUntil(Date.now() + PATIENCE_MS, before, move, reply)) ?? this.#goOn(before, move, reply);
  }

  #goOn(before: Reservation, move: Move, reply: Reply | undefined): undefined {
    this.logger.error({ reservation: before.id, to: move.to }, 'the database is away: what the supplier said is kept in memory');
    void this.#tryUntil(Date.now() + BACKGROUND_MS, before, move, reply).then(
      (after) => {
        if (after) this.logger.info({ reservation: after.id, state: after.state }, 'stored after the database came back');
        else this.logger.error({ reservation: before.id, to: move.to }, 'given up storing: the reconciler must find out');
      },
      (error: unknown) => this.logger.error({ reservation: before.id, err: error }, 'what the supplier said cannot be stored'),
    );
    return undefined;
  }

  async #tryUntil(end: number, before: Reservation, move: Move, reply: Reply | undefined): Promise<Reservation | undefined> {
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.#write(before, move, reply);
      } catch (error) {
        if (isTaken(error)) return await this.#write(before, withoutNumber(before, move));
        if (error instanceof IllegalMove || Date.now() + pauseMs > end) {
          this.logger.warn({ reservation: before.id, err: error }, 'a move could not be stored');
          return undefined;
        }
        await wait(pauseMs, undefined, { ref: false });
      }
    }
  }

  /** Stores the move on top of what is there; a write whose confirmation was lost is recognised. */
  async #write(before: Reservation, move: Move, reply?: Reply): Promise<Reservation> {
    for (let current = before; ; ) {
      if (!canMove(current.state, move.to)) {
        // Somebody came to the same conclusion; anything else is a contradiction that a person must see.
        if (current.state === move.to) return current;
        this.logger.error({ reservation: current.id, state: current.state, to: move.to }, 'the supplier contradicts what is stored');
        throw new IllegalMove(`${current.state} to ${move.to}`);
      }
      const after = moved(current, move);
      if (await this.repository.update(after, reply && { request: reply.request, answer: reply.answer(after) })) {
        countMove(after.supplier, after.state, move.actor);
        return after;
      }
      const stored = await this.repository.get(before.id);
      if (!stored) throw new IllegalMove('the reservation is not there');
      if (stored.version === after.version && stored.state === after.state && stored.updatedAt === after.updatedAt) return stored;
      current = stored;
    }
  }
}

class IllegalMove extends Error {}

/** Whether the confirmation number already belongs to another reservation (PostgreSQL 23505). */
function isTaken(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; current = current.cause, depth += 1) {
    if ('code' in current && current.code === '23505') return true;
  }
  return false;
}

/** A number that belongs to another reservation proves nothing: the outcome is unknown. */
function withoutNumber({ state }: Reservation, move: Move): Move {
  return {
    ...move,
    to: state === 'unknown' ? 'manual_review' : 'unknown',
    reason: 'the supplier gave a confirmation number that belongs to another reservation',
    patch: { ...move.patch, confirmationNumber: undefined },
  };
}
