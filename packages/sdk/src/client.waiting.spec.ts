import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Forecourt } from './client.js';
import { ApiError, BudgetError, ConnectionError, PagesNotKeptError } from './errors.js';
import type { ForecourtOptions } from './types.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const SEARCH = { pickup_location: 'BOS', pickup_date: '2027-05-01T10:00:00', dropoff_date: '2027-05-04T10:00:00' };
const BOOKING = { offer_id: 'off_1', driver: { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com' } };
const BOOKED = { status: { request_time: '' }, reservation: { reservation_id: 'res_1', state: 'confirmed' } };
const FOUND = { status: { request_time: '' }, vehicles: [{ offer_id: 'off_1' }], vehicles_found: 1, suppliers: [] };
const missing = {
  code: '500',
  message: '',
  reason: 'supplier_failure',
  details: '',
  supplier: 'bravo',
  cause: 'timeout',
};

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refused = (status: number, entry: object, headers: Record<string, string> = {}) =>
  json(status, { status: { request_time: '', errors: [{ code: `${status}`, details: '', ...entry }] } }, headers);
/** Takes the request, then resets the connection, as if the answer were lost. */
const lost: Handler = (request) => request.resume().on('end', () => request.socket.resetAndDestroy());

/** A server on a real socket that answers calls of the API with these handlers in turn, the last one repeatedly. */
let server: Server;
let answers: Handler[];
let tokenAnswer: (nth: number) => Handler;
let calls: IncomingMessage[];
let tokens: number;

const clientOf = (options: Partial<ForecourtOptions> = {}): Forecourt => {
  const { port } = server.address() as AddressInfo;
  const credentials = { clientId: 'id', clientSecret: 'secret' };
  return new Forecourt({ baseUrl: `http://127.0.0.1:${port}/`, ...credentials, ...options });
};
const keys = () => calls.map(({ headers }) => headers['idempotency-key']);
const failure = (call: Promise<unknown>): Promise<Record<string, unknown> & Error> =>
  call.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error) => error,
  );

beforeEach(async () => {
  [calls, tokens] = [[], 0];
  tokenAnswer = (nth) => json(200, { access_token: `token-${nth}`, expires_in: 7_199 });
  server = createServer((request, response) => {
    if (request.url === '/oauth/token/v1') {
      tokens += 1;
      tokenAnswer(tokens)(request, response);
      return;
    }
    calls.push(request);
    const [next = json(500, {})] = answers;
    if (answers.length > 1) answers.shift();
    next(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe('a booking', () => {
  it('has one key through lost answers, timeouts, 502, 503 and 504', async () => {
    const slow: Handler = () => undefined;
    const proxy: Handler = (_, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>');
    const cut: Handler = (_, response) => {
      response.writeHead(201, { 'content-length': '500' }).write('{"reserv');
      setTimeout(() => response.destroy(), 20);
    };
    // In two rows, because pauses grow with each attempt.
    for (const row of [
      [lost, slow, proxy],
      [refused(503, { reason: 'maintenance' }), json(504, {}), cut],
    ]) {
      calls = [];
      answers = [...row, json(201, BOOKED)];
      const reservation = await clientOf({ attempts: 4, attemptMs: 1_000 }).book(BOOKING);
      expect(reservation.state).toBe('confirmed');
      expect(new Set(keys()).size).toBe(1);
      expect(keys()[0]).toMatch(/^[\w-]{36}$/);
      expect(calls).toHaveLength(4);
    }
  });

  it('has another key than the next one, or the given one; an error has it to continue', async () => {
    answers = [lost];
    const client = clientOf({ attempts: 2 });
    const error = await failure(client.book(BOOKING));
    expect(error).toBeInstanceOf(ConnectionError);
    answers = [json(201, BOOKED)];
    await client.book(BOOKING, { idempotencyKey: String(error.idempotencyKey) });
    await client.book(BOOKING);
    const [first, second, third, fourth] = keys();
    expect([second, third]).toEqual([first, first]);
    expect(fourth).not.toBe(first);
  });

  it('is repeated with its key after an answer that has no reservation, whatever its status', async () => {
    const empty: Handler = (request) =>
      request.resume().on('end', () => request.socket.end('HTTP/1.1 201 Created\r\nconnection: close\r\n\r\n'));
    const portal: Handler = (_, response) => response.end('<h1>Log in to the Wi-Fi</h1>');
    for (const row of [
      [empty, portal],
      [json(200, {}), json(200, null)],
    ]) {
      calls = [];
      answers = [...row, json(201, BOOKED)];
      expect((await clientOf({ attempts: 3 }).book(BOOKING)).state).toBe('confirmed');
      expect([new Set(keys()).size, calls.length]).toEqual([1, 3]);
    }
    answers = [json(200, {})];
    const error = await failure(clientOf({ attempts: 1 }).book(BOOKING));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.idempotencyKey).toBe(keys()[3]);
  });

  it('has its key in the error if no token can be had after a lost answer', async () => {
    answers = [lost];
    let asked = 0;
    const token = async () => {
      asked += 1;
      // The calls wait for the second token together.
      await wait(100);
      if (asked > 1) throw new Error('The vault is away.');
      return { access_token: 'token', expires_in: 0 };
    };
    const client = clientOf({ clientId: undefined, clientSecret: undefined, token } as Partial<ForecourtOptions>);
    const errors = await Promise.all([failure(client.book(BOOKING)), failure(client.book(BOOKING))]);
    expect(errors).toMatchObject([{ cause: { message: 'The vault is away.' } }, { cause: expect.any(Error) }]);
    expect(errors.map((error) => error.idempotencyKey).sort()).toEqual(keys().sort());
    expect(new Set(keys()).size).toBe(2);
    tokenAnswer = () => refused(400, { reason: 'invalid_request', field: 'client_secret' });
    const without = clientOf();
    const [first, second] = await Promise.all([failure(without.book(BOOKING)), failure(without.book(BOOKING))]);
    expect([first, second]).toMatchObject([{ status: 400 }, { status: 400 }]);
    expect(first).toBeInstanceOf(ApiError);
    expect(first.idempotencyKey).not.toBe(second.idempotencyKey);
    expect(first.stack).toContain('ApiError');
  });

  it('is not repeated after an answer that is stored for its key, or an unknown outcome', async () => {
    answers = [refused(503, { reason: 'supplier_failure' }, { 'idempotent-retry': 'new-key' })];
    expect(await failure(clientOf().book(BOOKING))).toMatchObject({ status: 503, retryWith: 'new-key' });
    answers = [refused(500, { reason: 'supplier_failure', cause: 'outcome_unknown' })];
    expect(await failure(clientOf().book(BOOKING))).toMatchObject({ status: 500, isOutcomeUnknown: true });
    expect(calls).toHaveLength(2);
  });
});

describe('waiting', () => {
  it('respects Retry-After of 429 and 503', async () => {
    const seconds = { 'retry-after': '1' };
    answers = [refused(429, { reason: 'throttled' }, seconds), json(200, FOUND)];
    const begin = performance.now();
    expect((await clientOf().searchVehicles(SEARCH)).complete).toBe(true);
    // Timers of Node may fire a millisecond early.
    expect(performance.now() - begin).toBeGreaterThan(995);
  });

  it('ends with the error if Retry-After is beyond the bound or the budget', async () => {
    answers = [refused(503, { reason: 'maintenance', cause: 'database_full' }, { 'retry-after': '30' })];
    const error = await failure(clientOf().searchVehicles(SEARCH));
    expect(error).toMatchObject({ status: 503, retryAfterMs: 30_000, entries: [{ cause: 'database_full' }] });
    await failure(clientOf({ maxWaitMs: 60_000, budgetMs: 20_000 }).searchVehicles(SEARCH));
    expect(calls).toHaveLength(2);
  });

  it('ends with the budget, or with the reason of the signal', async () => {
    answers = [() => undefined];
    expect(await failure(clientOf().searchVehicles(SEARCH, { budgetMs: 200 }))).toBeInstanceOf(BudgetError);
    const controller = new AbortController();
    const stopped = failure(clientOf().searchVehicles(SEARCH, { signal: controller.signal }));
    const reason = new Error('left the page');
    setTimeout(() => controller.abort(reason), 50);
    expect(await stopped).toBe(reason);
  });

  it('a change other than a booking is repeated only if it was refused', async () => {
    const test = (client: Forecourt) =>
      client.request('post', '/cars/webhooks/v1/endpoints/{endpoint_id}/test', {
        path: { endpoint_id: 'whe_1' },
        body: {},
      });
    answers = [lost, json(202, {})];
    expect(await failure(test(clientOf()))).toBeInstanceOf(ConnectionError);
    answers = [json(503, {}), json(202, {})];
    expect(await failure(test(clientOf()))).toBeInstanceOf(ApiError);
    answers = [refused(503, { reason: 'maintenance' }), json(202, { done: true })];
    expect(await test(clientOf())).toEqual({ done: true });
    expect(calls).toHaveLength(4);
  });
});

describe('the token', () => {
  it('is requested once for concurrent calls, even from a slow endpoint that one of them does not wait for', async () => {
    answers = [json(200, FOUND)];
    tokenAnswer = (nth) => (request, response) =>
      void wait(600).then(() => json(200, { access_token: `token-${nth}`, expires_in: 7_199 })(request, response));
    const client = clientOf();
    const impatient = failure(client.searchVehicles(SEARCH, { budgetMs: 100 }));
    const others = Array.from({ length: 20 }, () => client.searchVehicles(SEARCH));
    expect(await impatient).toBeInstanceOf(BudgetError);
    expect((await Promise.all(others)).every(({ complete }) => complete)).toBe(true);
    expect([tokens, calls.length]).toEqual([1, 20]);
  });

  it('is renewed once after 401s of concurrent calls, and a booking keeps its key', async () => {
    const client = clientOf();
    const unlessNew: Handler = (request, response) =>
      (request.headers.authorization === 'Bearer token-1'
        ? refused(401, { reason: 'authentication_failure' })
        : json(201, BOOKED))(request, response);
    answers = [unlessNew];
    await Promise.all(Array.from({ length: 10 }, () => client.book(BOOKING)));
    expect(tokens).toBe(2);
    expect(new Set(keys()).size).toBe(10);
    answers = [refused(401, { reason: 'authentication_failure' })];
    const before = calls.length;
    expect(await failure(client.book(BOOKING))).toMatchObject({ status: 401 });
    expect(calls.length - before).toBe(2);
  });

  it('is renewed before it expires; the old one is used while it is valid and no new one can be had', async () => {
    answers = [json(200, FOUND)];
    tokenAnswer = (nth) => (nth === 1 ? json(200, { access_token: 'short', expires_in: 5 }) : refused(400, {}));
    const client = clientOf();
    await client.searchVehicles(SEARCH);
    await client.searchVehicles(SEARCH);
    expect(tokens).toBe(1);
    await wait(4_550);
    await client.searchVehicles(SEARCH);
    expect(tokens).toBe(2);
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer short'));
  });

  it('that cannot be had fails the call with the reasons of the token operation', async () => {
    tokenAnswer = () => refused(400, { reason: 'invalid_request', field: 'client_secret' });
    expect(await failure(clientOf().searchVehicles(SEARCH))).toMatchObject({ entries: [{ field: 'client_secret' }] });
    expect([tokens, calls.length]).toEqual([1, 0]);
  });
});

describe('a search', () => {
  it('is complete, or names what is missing: in a 206, and in the 200 of a POST', async () => {
    const partial = { ...FOUND, status: { request_time: '', errors: [missing] }, added_later: { deep: [1] } };
    answers = [json(200, FOUND), json(206, partial), json(200, partial)];
    const client = clientOf();
    expect(await client.searchVehicles(SEARCH)).toEqual({ complete: true, data: FOUND });
    const expected = { complete: false, missing: [missing], partial };
    expect(await client.searchVehicles(SEARCH)).toEqual(expected);
    expect(await client.searchVehicles(SEARCH)).toEqual(expected);
  });

  it('has pages, as long as the gateway kept them', async () => {
    const page = (number: number, next?: string) =>
      json(206, { ...FOUND, page: { number, count: 3 }, links: next === undefined ? {} : { next } });
    answers = [page(1, '/cars/catalog/v1/searches/sea_1?cursor=2'), page(2, '//elsewhere.example/')];
    const seen: boolean[] = [];
    const read = async () => {
      for await (const { complete } of clientOf().vehiclePages({ ...SEARCH, page_size: 10 })) seen.push(complete);
    };
    expect((await failure(read())).message).toMatch(/not a path/);
    expect(seen).toEqual([false, false]);
    expect(calls[1]?.url).toBe('/cars/catalog/v1/searches/sea_1?cursor=2');
    answers = [page(1)];
    expect(await failure(read())).toBeInstanceOf(PagesNotKeptError);
  });
});

describe('a list of reservations', () => {
  const page = (next: string | undefined, ...ids: string[]) =>
    json(200, {
      status: { request_time: '' },
      reservations: ids.map((reservation_id) => ({ reservation_id })),
      links: next === undefined ? {} : { next: `/cars/reservation/v1/reservations?cursor=${next}` },
    });
  const read = async () => {
    const ids: string[] = [];
    for await (const { reservation_id: id } of clientOf().reservations()) ids.push(id);
    return ids;
  };

  it('goes on after any number of empty pages', async () => {
    answers = [...Array.from({ length: 250 }, (_, index) => page(`c${index}`)), page(undefined, 'res_1')];
    expect(await read()).toEqual(['res_1']);
  });

  it.each([1, 2, 3])('ends with an error if %d pages lead to each other', async (count) => {
    answers = Array.from({ length: 20 }, (_, index) => page(`c${index % count}`));
    expect((await failure(read())).message).toBe('The gateway linked a page of reservations that was read before.');
    expect(calls).toHaveLength(count + 1);
  });
});

describe('a stream', () => {
  const lines = [
    { search_id: 'sea_1', request: {} },
    { supplier: 'alpine', outcome: 'answered', offers: 1, duration_ms: 1, vehicles: [{ offer_id: 'é' }] },
    { status: { request_time: '', errors: [missing] } },
  ].map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
  const streamOf = async () => {
    const seen: unknown[] = [];
    const error = await (async () => {
      for await (const line of clientOf().streamVehicles(SEARCH)) {
        const [offer] = line.type === 'supplier' ? line.vehicles : [];
        seen.push(line.type === 'end' ? line : (offer?.offer_id ?? line.type));
      }
    })().catch((reason) => reason);
    return { seen, error };
  };

  it('has lines however they are cut into chunks, and says in the last one what is missing', async () => {
    answers = [
      async (_, response) => {
        const bytes = Buffer.concat(lines);
        for (let at = 0; at < bytes.length; at += 1) {
          response.write(bytes.subarray(at, at + 1));
          await wait(1);
        }
        response.end();
      },
    ];
    const end = { type: 'end', complete: false, missing: [missing] };
    expect(await streamOf()).toEqual({ seen: ['search', 'é', end], error: undefined });
    expect(calls[0]?.headers.accept).toBe('application/x-ndjson');
  });

  it.each([
    ['ends', (response: ServerResponse) => response.end()],
    ['breaks off', (response: ServerResponse) => void setTimeout(() => response.destroy(), 50)],
  ])('that %s before its last line fails', async (_, stop) => {
    answers = [
      (_, response) => {
        response.write(lines[0]);
        response.write(lines[1]?.subarray(0, 20));
        stop(response);
      },
    ];
    const { seen, error } = await streamOf();
    expect(seen).toEqual(['search']);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(calls).toHaveLength(1);
  });
});
