import { createHmac, type KeyObject } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { KEYS, type Keys } from '../config/config.module.js';
import { ApiError } from '../status/api-error.js';
import { createdAnswer } from './answers.js';
import { type RequestKey, ReservationRepository, type StoredAnswer } from './reservation.repository.js';

const POLL_MS = 100;
/** How long a repeated request waits for what a reconciler will find out. */
const PATIENCE_MS = 5_000;

/**
 * The key of a request, from all its Idempotency-Key headers; undefined = it has none. Throws ApiError 400 for several, and for one that is not
 * 1–255 visible ASCII characters (ruling 16).
 */
export function idempotencyKey(values: readonly string[]): string | undefined {
  const [key, another] = values;
  if (key === undefined || (another === undefined && /^[\x21-\x7e]{1,255}$/.test(key))) return key;
  throw ApiError.of('invalid_request', '"Idempotency-Key" must be one header of 1 to 255 visible ASCII characters.', {
    field: 'Idempotency-Key',
  });
}

/** An answer, and whether it was given before (ruling 16). */
export interface GivenAnswer {
  readonly answer: StoredAnswer;
  readonly replayed: boolean;
}

/**
 * Answers requests with the same Idempotency-Key once (ruling 16). The key is claimed in the statement that stores the reservation, so several
 * gateways cannot both execute it; inside one gateway the second request waits for the first.
 */
@Injectable()
export class Idempotency {
  readonly #hashKey: KeyObject;
  readonly #underWay = new Map<string, { readonly bodyHash: string; readonly given: Promise<GivenAnswer> }>();

  constructor(
    private readonly repository: ReservationRepository,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#hashKey = keys('idempotency');
  }

  /**
   * Names a request by its key and body, both as keyed hashes: a body may hold a card number, which nobody shall find by trying, and callers put
   * into keys what they like.
   */
  requestKey(applicationId: string, key: string, body: unknown): RequestKey {
    return { applicationId, key: this.#hash(`key ${key}`), bodyHash: this.#hash(canonical(body)) };
  }

  /**
   * Runs `execute` unless the request was answered before. `execute` gives undefined when the key was claimed elsewhere meanwhile; what it throws
   * is not stored. Until `deadline` (epoch milliseconds) it waits for a first request that still runs; then the answer is 202, the reservation as
   * it is. Throws ApiError 400 (cause idempotency_mismatch) for the same key with another body.
   */
  async answer(
    request: RequestKey,
    deadline: number,
    execute: () => Promise<StoredAnswer | undefined>,
  ): Promise<GivenAnswer> {
    const name = JSON.stringify([request.applicationId, request.key]);
    for (;;) {
      const first = this.#underWay.get(name);
      if (!first) break;
      // What the first was refused for is its own affair: then this one runs by itself.
      const given = await first.given.catch(() => undefined);
      if (given && first.bodyHash === request.bodyHash) return { ...given, replayed: true };
    }
    const given = this.#answer(request, deadline, execute);
    this.#underWay.set(name, { bodyHash: request.bodyHash, given });
    try {
      return await given;
    } finally {
      this.#underWay.delete(name);
    }
  }

  #hash(text: string): string {
    return createHmac('sha256', this.#hashKey).update(text).digest('base64url');
  }

  async #answer(
    request: RequestKey,
    deadline: number,
    execute: () => Promise<StoredAnswer | undefined>,
  ): Promise<GivenAnswer> {
    let known = await this.repository.findKey(request.applicationId, request.key);
    if (!known) {
      const answer = await execute();
      if (answer) return { answer, replayed: false };
      known = await this.repository.findKey(request.applicationId, request.key);
      if (!known) throw new Error('an Idempotency-Key was claimed and is not there');
    }
    if (known.bodyHash !== request.bodyHash) throw otherBody();
    return {
      answer: known.answer ?? (await this.#answerOfOther(request, known.reservationId, deadline)),
      replayed: true,
    };
  }

  /** The answer to a request that another gateway executes, or that one died of before it could answer. */
  async #answerOfOther(request: RequestKey, reservationId: string, deadline: number): Promise<StoredAnswer> {
    const patience = Math.min(deadline, Date.now() + PATIENCE_MS);
    for (;;) {
      const reservation = await this.repository.get(reservationId);
      if (!reservation) throw new Error('an Idempotency-Key names a reservation that is not there');
      const { state } = reservation;
      const stored = state === 'pending' ? undefined : await this.#storedAnswer(request);
      if (stored) return stored;
      const answer = createdAnswer(reservation, reservation.createdAt);
      const isLate = Date.now() + POLL_MS > (state === 'unknown' ? patience : deadline);
      // While it is pending somebody may still store the real answer: this one is for now only.
      if (state === 'pending' && isLate) return answer;
      if (state !== 'pending' && (state !== 'unknown' || isLate)) {
        // Nobody could answer: what became of it is the answer from now on, and the first to store it decides.
        await this.repository.storeAnswer(reservationId, request, answer);
        return (await this.#storedAnswer(request)) ?? answer;
      }
      await wait(POLL_MS);
    }
  }

  async #storedAnswer({ applicationId, key }: RequestKey): Promise<StoredAnswer | undefined> {
    return (await this.repository.findKey(applicationId, key))?.answer;
  }
}

function otherBody(): ApiError {
  const details =
    'This Idempotency-Key was used with another body. Repeat the request unchanged, or use a new key for a new request.';
  return ApiError.of('invalid_request', details, { field: 'Idempotency-Key', cause: 'idempotency_mismatch' });
}

/** JSON text that does not depend on the order of members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
