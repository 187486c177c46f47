import { createSecretKey } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import type { Keys } from '../config/keys.js';
import { RequestContext } from '../context/request-context.js';
import { ApiError } from '../status/api-error.js';
import { MemoryRepository } from './fixtures/memory-repository.js';
import { reservationIn, sampleReservation } from './fixtures/sample-reservation.js';
import { Idempotency, type IdempotentAnswer } from './idempotency.js';
import { moved } from './reservation.js';
import type { StoredAnswer } from './reservation.repository.js';

const soon = () => performance.now() + 2_000;
const context = () => new RequestContext('req_1', 0);
const body = { offer_id: 'off_1', driver: { first_name: 'Ada' } };

function response(text: string): StoredAnswer {
  return { status: 201, headers: {}, body: text };
}

function withOther(own: Keys, other: Keys): Keys {
  return Object.assign(own.bind(undefined), { other });
}

/** Gateways that share one database. */
function setup(gateways = 1) {
  const repository = new MemoryRepository();
  const key = createSecretKey(Buffer.alloc(32, 3));
  const made = Array.from({ length: gateways }, () => new Idempotency(repository.asRepository, () => key));
  const [idempotency = new Idempotency(repository.asRepository, () => key)] = made;
  const request = (name = 'k', content: unknown = body) => idempotency.requestKey('app_a', name, content);
  /** Books like BookingService: claims the key, waits, stores the move with its response. */
  const executions: string[] = [];
  const book =
    (text: string, ms = 0) =>
    async () => {
      const reservation = sampleReservation();
      if ((await repository.insert(reservation, request())) !== 'stored') return undefined;
      executions.push(text);
      await wait(ms);
      const after = moved(reservation, { to: 'confirmed', actor: 'gateway', reason: 'booked', at: Date.now() });
      await repository.updateAndAnswer(after, {}, request(), response(text));
      return response(text);
    };
  return { repository, idempotency, gateways: made, request, book, executions };
}

async function cause(run: Promise<unknown>): Promise<string | undefined> {
  try {
    await run;
  } catch (error) {
    if (error instanceof ApiError) return error.problems[0].cause ?? error.problems[0].reason;
    throw error;
  }
  return undefined;
}

describe('the hash of a body', () => {
  const { idempotency } = setup();
  const hash = (content: unknown) => idempotency.requestKey('app_a', 'k', content).bodyHash;

  it('is the same for the same members in any order, at any depth', () => {
    expect(hash({ a: 1, b: { c: [1, { d: 2, e: 3 }] } })).toBe(hash({ b: { c: [1, { e: 3, d: 2 }] }, a: 1 }));
  });

  it.each([
    ['a value', { a: 1 }, { a: 2 }],
    ['a type', { a: 1 }, { a: '1' }],
    ['the order of a list', { a: [1, 2] }, { a: [2, 1] }],
    ['a list and an object', { a: [1] }, { a: { 0: 1 } }],
    ['null and absence', { a: null }, {}],
  ])('differs by %s', (_case, one, other) => {
    expect(hash(one)).not.toBe(hash(other));
  });

  it('requires the key of the gateway and reveals nothing of the body', () => {
    const other = new Idempotency(new MemoryRepository().asRepository, () => createSecretKey(Buffer.alloc(32, 4)));
    expect(other.requestKey('app_a', 'k', body).bodyHash).not.toBe(hash(body));
    expect(JSON.stringify(idempotency.requestKey('app_a', 'k', body))).not.toContain('Ada');
  });
});

describe('one gateway', () => {
  it('executes one of ten concurrent requests; the others get the same response, marked as replayed', async () => {
    const { idempotency, request, book, executions } = setup();
    const given = await Promise.all(
      Array.from({ length: 10 }, (_each, i) => idempotency.answer(request(), soon(), context(), book(`${i}`, 20))),
    );
    expect(executions).toEqual(['0']);
    expect(given).toEqual(given.map((_each, i): IdempotentAnswer => ({ answer: response('0'), replayed: i > 0 })));
  });

  it('replays the stored response later without executing', async () => {
    const { idempotency, request, book, executions } = setup();
    await idempotency.answer(request(), soon(), context(), book('first'));
    expect(await idempotency.answer(request(), soon(), context(), book('second'))).toEqual({
      answer: response('first'),
      replayed: true,
    });
    expect(executions).toEqual(['first']);
  });

  it('rejects another body with the same key, during and after the first request', async () => {
    const { idempotency, request, book } = setup();
    const first = idempotency.answer(request(), soon(), context(), book('first', 20));
    const other = { ...request(), bodyHash: 'other' };
    expect(await cause(idempotency.answer(other, soon(), context(), book('other')))).toBe('idempotency_mismatch');
    await first;
    expect(await cause(idempotency.answer(other, soon(), context(), book('other')))).toBe('idempotency_mismatch');
  });

  it('executes a request once at gateways with either secret or both, and knows another body', async () => {
    const [old, next] = [3, 4].map(
      (byte): Keys =>
        () =>
          createSecretKey(Buffer.alloc(32, byte)),
    ) as [Keys, Keys];
    const steps = [old, withOther(old, next), withOther(next, old), next];
    for (const [nth, first] of steps.entries()) {
      const repository = new MemoryRepository();
      const at = (keys: Keys) => new Idempotency(repository.asRepository, keys);
      const answered = (keys: Keys, content: unknown = body) => {
        const idempotency = at(keys);
        const request = idempotency.requestKey('app_a', 'k', content);
        return idempotency.answer(request, soon(), context(), async () => {
          const reservation = sampleReservation();
          if ((await repository.insert(reservation, request)) !== 'stored') return undefined;
          const after = moved(reservation, { to: 'confirmed', actor: 'gateway', reason: 'booked', at: Date.now() });
          return await repository.updateAndAnswer(after, {}, request, response('first'));
        });
      };
      expect(await answered(first)).toMatchObject({ replayed: false });
      // Gateways one step behind or ahead.
      for (const keys of steps.slice(Math.max(0, nth - 1), nth + 2)) {
        expect(await answered(keys)).toEqual({ answer: response('first'), replayed: true });
        expect(await cause(answered(keys, { offer_id: 'off_2' }))).toBe('idempotency_mismatch');
      }
      expect(repository.reservations.size).toBe(1);
    }
  });

  it('keeps different keys and applications separate', async () => {
    const { idempotency, executions, request } = setup();
    const execute = (text: string) => async () => {
      executions.push(text);
      return response(text);
    };
    const names = [
      request('k'),
      request('k2'),
      { ...request('k'), applicationId: 'app_b' },
      idempotency.requestKey('app_a k', '', body),
    ];
    await Promise.all(names.map((name, i) => idempotency.answer(name, soon(), context(), execute(`${i}`))));
    expect(executions.sort()).toEqual(['0', '1', '2', '3']);
  });

  it('does not store an error of the first request: each waiting request runs on its own, one after the other', async () => {
    const { idempotency, request, book, executions } = setup();
    let running = 0;
    const refuse = async () => {
      running += 1;
      expect(running).toBe(1);
      await wait(5);
      running -= 1;
      throw ApiError.of('no_results');
    };
    const refusals = [refuse, refuse, refuse].map((run) =>
      cause(idempotency.answer(request(), soon(), context(), run)),
    );
    const last = idempotency.answer(request(), soon(), context(), book('booked'));
    expect(await Promise.all(refusals)).toEqual(['no_results', 'no_results', 'no_results']);
    expect(await last).toEqual({ answer: response('booked'), replayed: false });
    expect(executions).toEqual(['booked']);
  });

  it('lets a request with another body run if the first one failed', async () => {
    const { idempotency, request } = setup();
    const first = cause(
      idempotency.answer(request(), soon(), context(), () => Promise.reject(ApiError.of('throttled'))),
    );
    const other = idempotency.answer({ ...request(), bodyHash: 'other' }, soon(), context(), async () =>
      response('other'),
    );
    expect([await first, (await other).answer]).toEqual(['throttled', response('other')]);
  });

  claim(
    'API2',
    'A booking whose token is revoked while it waits for another one with its Idempotency-Key is neither made nor answered.',
    async () => {
      const { idempotency, request, book, executions } = setup();
      const revoked = context();
      revoked.acceptedBy(() => Promise.reject(ApiError.of('authentication_failure')));
      const fail = async () => {
        await wait(5);
        throw ApiError.of('no_results');
      };
      const failing = cause(idempotency.answer(request(), soon(), context(), fail));
      const afterError = cause(idempotency.answer(request(), soon(), revoked, book('after an error')));
      expect([await failing, await afterError]).toEqual(['no_results', 'authentication_failure']);
      const first = idempotency.answer(request(), soon(), context(), book('first', 20));
      expect(await cause(idempotency.answer(request(), soon(), revoked, book('again')))).toBe('authentication_failure');
      await first;
      expect(executions).toEqual(['first']);
    },
  );

  it('rejects while the database is unavailable and recovers afterwards', async () => {
    const { idempotency, request, book, repository } = setup();
    repository.failures.push({ before: new Error('away') });
    await expect(idempotency.answer(request(), soon(), context(), book('first'))).rejects.toThrow('away');
    expect((await idempotency.answer(request(), soon(), context(), book('second'))).answer).toEqual(response('second'));
  });
});

describe('two gateways', () => {
  it('execute once; the second waits and returns the response of the first', async () => {
    const { gateways, request, book, executions } = setup(2);
    const given = await Promise.all(
      gateways.map((gateway, i) => gateway.answer(request(), soon(), context(), book(`${i}`, 150))),
    );
    expect(executions).toEqual(['0']);
    expect(given).toEqual([
      { answer: response('0'), replayed: false },
      { answer: response('0'), replayed: true },
    ]);
  });

  it('reject another body at the second while the first is running', async () => {
    const { gateways, request, book } = setup(2);
    const [a, b] = gateways;
    const first = a?.answer(request(), soon(), context(), book('first', 60));
    await wait(10);
    expect(
      await cause(Promise.resolve(b?.answer({ ...request(), bodyHash: 'other' }, soon(), context(), book('other')))),
    ).toBe('idempotency_mismatch');
    await first;
  });

  it('return 202 with the pending reservation to both if the first takes longer than the second may wait', async () => {
    const { idempotency, request, repository, book } = setup();
    await repository.insert(sampleReservation(), request());
    const startedAt = Date.now();
    const { answer, replayed } = await idempotency.answer(request(), performance.now() + 250, context(), book('never'));
    // Allows 250 ms for a busy machine.
    expect(Date.now() - startedAt).toBeLessThan(500);
    expect([answer.status, replayed]).toEqual([202, true]);
    expect(JSON.parse(answer.body)).toMatchObject({ reservation: { state: 'pending' } });
    const stored = repository.reservations.values().next().value;
    if (!stored) throw new Error('not stored');
    const after = moved(stored, { to: 'confirmed', actor: 'gateway', reason: 'booked', at: Date.now() });
    expect(await repository.updateAndAnswer(after, {}, request(), response('booked'))).toEqual(answer);
  });

  it('settle the response of an exited gateway once, the same for all requests from then on', async () => {
    const { gateways, request, repository, book } = setup(3);
    const orphan = sampleReservation();
    await repository.insert(orphan, request());
    const pending = gateways.map((gateway) => gateway.answer(request(), soon(), context(), book('never')));
    await wait(20);
    await repository.update(
      moved(orphan, { to: 'unknown', actor: 'reconciler', reason: 'the gateway stopped', at: Date.now() }),
    );
    await wait(200);
    const found = repository.reservations.get(orphan.id);
    if (found)
      await repository.update(moved(found, { to: 'confirmed', actor: 'reconciler', reason: 'found', at: Date.now() }));
    const given = await Promise.all(pending);
    expect(given.map(({ answer, replayed }) => [answer.status, replayed])).toEqual(given.map(() => [201, true]));
    const later = await Promise.all(
      gateways.map((gateway) => gateway.answer(request(), soon(), context(), book('never'))),
    );
    expect(new Set([...given, ...later].map(({ answer }) => answer.body)).size).toBe(1);
  });

  it('return 202 for a reservation that stays unknown, and store that response', async () => {
    const { idempotency, request, repository, book } = setup();
    await repository.insert(reservationIn('unknown'), request());
    const { answer } = await idempotency.answer(request(), performance.now() + 250, context(), book('never'));
    expect(answer.status).toBe(202);
    expect((await repository.findKey('app_a', request().key))?.answer).toEqual(answer);
  });

  it.each([
    ['confirmed', 201],
    ['failed', 500],
    ['manual_review', 202],
  ] as const)('respond to a reservation that became %s without a response with %i', async (state, status) => {
    const { idempotency, request, repository, book } = setup();
    const reservation = reservationIn(state);
    await repository.insert(reservation, request());
    const { answer, replayed } = await idempotency.answer(request(), soon(), context(), book('never'));
    expect([answer.status, replayed]).toEqual([status, true]);
    expect((await repository.findKey('app_a', request().key))?.answer).toEqual(answer);
  });
});
