import { createHmac, type KeyObject } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import type { RequestContext } from '../context/request-context.js';
import type { RouteSettings } from '../http/route-settings.js';
import { ApiError } from '../status/api-error.js';
import { createdAnswer, RETRY_WITH } from './answers.js';
import { type KnownKey, ReservationRepository, type StoredAnswer } from './reservation.repository.js';
import { hashesOf, type RequestKey } from './reservation-insertion.js';

const KEY_FIELD = 'Idempotency-Key';
const POLL_MS = 100;
/** How long a repeated request waits for the reconciler to settle an unknown outcome. */
const UNKNOWN_WAIT_MS = 5_000;

/**
 * Reads the Idempotency-Key header; undefined = absent. Throws ApiError 400 if there are several, or if it is not 1–255
 * visible ASCII characters (ruling 16).
 */
export function idempotencyKey(values: readonly string[]): string | undefined {
  const [key, another] = values;
  if (key === undefined || (another === undefined && /^[\x21-\x7e]{1,255}$/.test(key))) return key;
  throw ApiError.of(
    'invalid_request',
    '"Idempotency-Key" must be sent once and have 1 to 255 visible ASCII characters.',
    { field: KEY_FIELD },
  );
}

/**
 * The settings of a route with an Idempotency-Key: its errors say that the same key can be used, because the request stored nothing for
 * it; an earlier one may have. Except an error of the key itself, and one after which the request must not be repeated.
 */
export const KEYED_ROUTE: RouteSettings = {
  errorHeaders: ({ problems: [{ reason, cause, field }] }, { headers }) => {
    const isFinal = field === KEY_FIELD || (reason === 'supplier_failure' && cause === 'outcome_unknown');
    return headers['idempotency-key'] === undefined || isFinal ? {} : RETRY_WITH.sameKey;
  },
};

/** A response, and whether it is a replay (ruling 16). */
export interface IdempotentAnswer {
  readonly answer: StoredAnswer;
  readonly replayed: boolean;
}

/**
 * Executes requests with the same Idempotency-Key only once (ruling 16). The statement that stores the reservation also
 * claims the key, so only one gateway can execute the request. Within one gateway, the second request waits for the
 * first.
 */
@Injectable()
export class Idempotency {
  readonly #hashKeys: AcceptedKeys;
  readonly #inProgress = new Map<string, { readonly bodyHash: string; readonly given: Promise<IdempotentAnswer> }>();

  constructor(
    private readonly repository: ReservationRepository,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#hashKeys = acceptedKeys(keys, 'idempotency');
  }

  /**
   * Identifies a request by keyed hashes of its key and body. A body may contain a card number, which must not be
   * recoverable by brute force, and a key may contain anything.
   */
  requestKey(applicationId: string, key: string, body: unknown): RequestKey {
    const text = canonical(body);
    const hashes = (hashKey: KeyObject) => ({ key: hash(`key ${key}`, hashKey), bodyHash: hash(text, hashKey) });
    const [own, other] = this.#hashKeys;
    return { applicationId, ...hashes(own), ...(other && { other: hashes(other) }) };
  }

  /** Whether a request with the key has made a reservation. */
  async isKnown(request: RequestKey): Promise<boolean> {
    return (await this.#find(request)) !== undefined;
  }

  /**
   * Runs `execute` unless the request already has a response. `execute` returns undefined if another request has
   * claimed the key; its errors are not stored. Waits until `deadline` (performance.now) for a first request that is
   * still running, then responds 202 with the current reservation; the token of a request that waited is checked again.
   * Throws ApiError 400 (cause idempotency_mismatch) if the key was used with another body, which names the reservation.
   */
  async answer(
    request: RequestKey,
    deadline: number,
    context: Pick<RequestContext, 'afterWait'>,
    execute: () => Promise<StoredAnswer | undefined>,
  ): Promise<IdempotentAnswer> {
    const name = JSON.stringify([request.applicationId, request.key]);
    for (;;) {
      const first = this.#inProgress.get(name);
      if (!first) break;
      // An error of the first request is not stored, so this request runs on its own.
      const given = await context.afterWait(first.given.catch(() => undefined));
      if (given && first.bodyHash === request.bodyHash) return { ...given, replayed: true };
    }
    const given = this.#answer(request, deadline, context, execute);
    this.#inProgress.set(name, { bodyHash: request.bodyHash, given });
    try {
      return await given;
    } finally {
      this.#inProgress.delete(name);
    }
  }

  /** What is stored for the key, and whether for the same body. A gateway with the other secret may have stored it. */
  async #find(request: RequestKey): Promise<(KnownKey & { readonly isSame: boolean }) | undefined> {
    for (const { key, bodyHash } of hashesOf(request)) {
      const known = await this.repository.findKey(request.applicationId, key);
      if (known) return { ...known, isSame: known.bodyHash === bodyHash };
    }
    return undefined;
  }

  async #answer(
    request: RequestKey,
    deadline: number,
    context: Pick<RequestContext, 'afterWait'>,
    execute: () => Promise<StoredAnswer | undefined>,
  ): Promise<IdempotentAnswer> {
    let known = await this.#find(request);
    if (!known) {
      const answer = await execute();
      if (answer) return { answer, replayed: false };
      known = await this.#find(request);
      if (!known) throw new Error('a claimed Idempotency-Key does not exist');
    }
    if (!known.isSame) throw bodyMismatch(known.reservationId);
    return {
      answer: known.answer ?? (await context.afterWait(this.#answerOfOther(request, known.reservationId, deadline))),
      replayed: true,
    };
  }

  /** The response to a request that another gateway is executing, or whose gateway exited before responding. */
  async #answerOfOther(request: RequestKey, reservationId: string, deadline: number): Promise<StoredAnswer> {
    const waitUntil = Math.min(deadline, performance.now() + UNKNOWN_WAIT_MS);
    for (;;) {
      const reservation = await this.repository.get(reservationId);
      if (!reservation) throw new Error('the reservation of an Idempotency-Key does not exist');
      const { state } = reservation;
      const stored = state === 'pending' ? undefined : (await this.#find(request))?.answer;
      if (stored) return stored;
      const answer = createdAnswer(reservation, reservation.createdAt);
      const isLate = performance.now() + POLL_MS > (state === 'unknown' ? waitUntil : deadline);
      // The original response was lost, or comes too late. The current outcome becomes the response, including to the first
      // request, unless another gateway has stored one.
      if (isLate || (state !== 'pending' && state !== 'unknown'))
        return this.repository.storeAnswer(reservationId, request, answer);
      await wait(POLL_MS);
    }
  }
}

function hash(text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function bodyMismatch(reservationId: string): ApiError {
  const details = `This Idempotency-Key was already used with a different body: it made the reservation ${reservationId}. Read that reservation at Location, repeat the original request, or use a new key for another reservation.`;
  return ApiError.of('invalid_request', details, {
    field: KEY_FIELD,
    cause: 'idempotency_mismatch',
    headers: { location: `/cars/reservation/v1/${reservationId}` },
  });
}

/** JSON with sorted members, so that their order does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
