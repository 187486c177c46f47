import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { contextOfApplication } from '../context/fixtures/context.js';
import { RequestContext } from '../context/request-context.js';
import type { SupplierBooking } from '../model/bookings.js';
import { type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import { parseScenario } from '../sandbox/scenario.js';
import type { Supplier } from './registry.js';
import { SupplierCalls } from './supplier-call.js';
import { SupplierConnection } from './supplier-connection.js';

const READ = { method: 'GET', path: '/read' } as const;
const WRITE = { method: 'POST', path: '/write', body: '{}' } as const;
const background = new RequestContext('req_1', 0);
type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const ok: Answer = (_request, response) => response.end('ok');
const hang: Answer = () => undefined;
const hangOnWrite: Answer = (request, response) => (request.url === '/write' ? undefined : response.end('ok'));

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A supplier on a real socket; `seen` holds operation and outcome of each observed call, with `!` for a bug. */
async function world(answer: Answer, more: object = {}, operations: Partial<SupplierAdapter> = {}) {
  const requests: { path: string; directive: unknown; seed: unknown; account: unknown }[] = [];
  let aborted = 0;
  const server = createServer((request, response) => {
    requests.push({
      path: request.url ?? '',
      directive: request.headers['x-sim-directive'],
      seed: request.headers['x-sim-seed'],
      account: request.headers['x-sim-account'],
    });
    response.once('close', () => {
      if (!response.writableFinished) aborted += 1;
    });
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const config = supplierConfigSchema.parse({
    id: 'uno',
    name: 'Uno',
    adapter: 'fake',
    brands: ['Uno'],
    url,
    timeoutMs: { book: 800 },
    ...more,
  });
  const connection = new SupplierConnection(config, { brandsPerCall: 'many', ...operations }, url);
  const supplier: Supplier = { id: 'uno', name: 'Uno', config, connection };
  const seen: string[] = [];
  const calls = new SupplierCalls(configSchema.parse({}), {
    settled: ({ operation }, outcome, _ms, error) =>
      seen.push(`${operation} ${outcome}${error === undefined || error instanceof SupplierError ? '' : '!'}`),
    cutOff: ({ operation }) => seen.push(`${operation} cut off`),
  });
  closing.push(async () => {
    await connection.close();
    server.closeAllConnections();
    server.close();
  });
  return { supplier, calls, seen, requests, aborted: () => aborted };
}

async function failure(run: Promise<unknown>): Promise<Pick<SupplierError, 'fault' | 'sent' | 'refusal'>> {
  const error: unknown = await run.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SupplierError)) throw error;
  const { fault, sent, refusal } = error;
  return { fault, sent, refusal };
}

describe('an answer to a write', () => {
  const own = 'res_aaaaaaaaaaaaaaaaaaaa';
  const another = 'res_b2b2b2b2b2b2b2b2b2b2';
  it.each([
    [own, {}, undefined],
    [another, { remark: `With the family of ${another}` }, undefined],
    [another, {}, { fault: 'bad_payload', sent: true, refusal: undefined }],
  ])(
    'that names %s is accepted for the reservation that it names, or whose remark (%j) has it, and its outcome is unknown otherwise',
    async (named, renter, refused) => {
      const { calls, supplier, seen } = await world(
        (_request, response) => response.end(`{"reference":"${named}"}`),
        {},
        {
          book: async (_question, { http }) => {
            await http.send(WRITE, false);
            return { status: 'confirmed', confirmationNumber: 'A1', ref: {} };
          },
        },
      );
      const ask = async (adapter: SupplierAdapter, context: SupplierContext) => adapter.book?.({} as never, context);
      const book = calls.call(supplier, 'book', background, ask, { reference: own, renter });
      if (refused) expect(await failure(book)).toEqual(refused);
      else expect(await book).toMatchObject({ confirmationNumber: 'A1' });
      expect(seen).toEqual([refused ? 'book bad_payload' : 'book answered']);
    },
  );
});

describe('an answer to a retrieval', () => {
  const reference = 'res_aaaaaaaaaaaaaaaaaaaa';
  const retrieve = async (items: readonly SupplierBooking[]) => {
    const { calls, supplier, seen } = await world(
      (_request, response) => response.end(`{"reference":"${reference}"}`),
      {},
      {
        retrieve: async (_question, { http }) => {
          await http.send(READ, true);
          return { items, warnings: [] };
        },
      },
    );
    const ask = async (adapter: SupplierAdapter, context: SupplierContext) => adapter.retrieve?.({} as never, context);
    return { asked: calls.call(supplier, 'retrieve', background, ask, { reference }), seen };
  };
  const one: SupplierBooking = { status: 'confirmed', confirmationNumber: 'A1', ref: {} };

  it('that names the reservation is unclear if nothing was found in it', async () => {
    const { asked, seen } = await retrieve([]);
    expect(await failure(asked)).toEqual({ fault: 'bad_payload', sent: false, refusal: undefined });
    expect(seen).toEqual(['retrieve bad_payload']);
    expect((await (await retrieve([one])).asked)?.items).toEqual([one]);
  });
});

describe('a successful call', () => {
  it('returns what the adapter found and is observed under its operation', async () => {
    const { calls, supplier, seen } = await world(ok);
    const found = await calls.call(supplier, 'retrieve', background, async (_adapter, { http }) =>
      (await http.send(READ, true)).body.toString(),
    );
    expect([found, seen]).toEqual(['ok', ['retrieve answered']]);
  });

  it('sends directive, seed and account to a simulator, but not to a real supplier', async () => {
    const playing = contextOfApplication('app_1', 0, { accountId: 'acc_2' });
    playing.useScenario(parseScenario('*=sold_out; seed=7', 'header', []));
    const heard = [];
    const simulator = { dialect: 'ota' };
    // A supplier with a URL in its file is real.
    for (const more of [{ simulator, url: undefined }, { simulator }, {}]) {
      const { calls, supplier, requests } = await world(ok, more);
      await calls.call(supplier, 'book', playing, (_adapter, { http }) => http.send(WRITE));
      heard.push(requests[0]);
    }
    expect(heard).toMatchObject([
      { directive: 'sold_out', seed: '7', account: 'acc_2' },
      { directive: undefined, seed: undefined, account: undefined },
      { directive: undefined, seed: undefined, account: undefined },
    ]);
  });
});

describe('whether a call may have been sent (ruling 15)', () => {
  const write = (context: SupplierContext) => context.http.send(WRITE);
  const readThenWrite = async (context: SupplierContext) => {
    await context.http.send(READ, true);
    return context.http.send(WRITE);
  };
  const writeThenFail = (thrown: Error) => async (context: SupplierContext) => {
    await context.http.send(WRITE);
    throw thrown;
  };

  it.each<[string, Answer, (context: SupplierContext) => Promise<unknown>, object]>([
    ['timeout after the write was sent', hang, write, { fault: 'timeout', sent: true }],
    ['timeout while reading before the write', hang, readThenWrite, { fault: 'timeout', sent: false }],
    ['timeout of a write after a read', hangOnWrite, readThenWrite, { fault: 'timeout', sent: true }],
    [
      'connection lost on the write',
      (_request, response) => response.destroy(),
      write,
      { fault: 'unavailable', sent: true },
    ],
    [
      'a bug before anything was sent',
      ok,
      () => Promise.reject(new TypeError('x')),
      { fault: 'bad_payload', sent: false },
    ],
    ['a bug after the write', ok, writeThenFail(new TypeError('x')), { fault: 'bad_payload', sent: true }],
    [
      'a later call that was never sent does not hide the write before it',
      ok,
      writeThenFail(new SupplierError('unavailable', 'no connection', false)),
      { fault: 'unavailable', sent: true },
    ],
    [
      'a refusal keeps its reason',
      ok,
      writeThenFail(new SupplierError('rejected', 'no', true, { refusal: 'sold_out' })),
      { fault: 'rejected', sent: true, refusal: 'sold_out' },
    ],
  ])('%s', async (_case, answer, run, expected) => {
    const { calls, supplier } = await world(answer);
    expect(await failure(calls.call(supplier, 'book', background, (_adapter, context) => run(context)))).toMatchObject(
      expected,
    );
  });

  it('not sent: connection refused', async () => {
    const { calls, supplier } = await world(ok);
    const config = { ...supplier.config, url: 'http://127.0.0.1:1' };
    const connection = new SupplierConnection(config, { brandsPerCall: 'many' }, config.url);
    const error = await failure(
      calls.call({ ...supplier, connection }, 'book', background, (_adapter, context) => write(context)),
    );
    expect(error).toMatchObject({ fault: 'unavailable', sent: false });
    await connection.close();
  });

  it('not sent: a write that is still waiting for a free socket at its timeout', async () => {
    const { calls, supplier, requests } = await world(hang, { connections: 1 });
    const slow = {
      ...supplier,
      config: { ...supplier.config, timeoutMs: { ...supplier.config.timeoutMs, book: 5_000 } },
    };
    const first = failure(
      calls.call(slow, 'book', background, (_adapter, context) => write(context), { timeoutMs: 400 }),
    );
    const second = await failure(
      calls.call(supplier, 'book', background, (_adapter, context) => write(context), { timeoutMs: 150 }),
    );
    expect(second).toMatchObject({ fault: 'timeout', sent: false });
    expect(await first).toMatchObject({ fault: 'timeout', sent: true });
    expect(requests).toHaveLength(1);
  });

  it('not sent: a write that gets its socket when most of its timeout has passed', async () => {
    const { calls, supplier, requests } = await world(hang, { connections: 1 });
    const first = failure(
      calls.call(supplier, 'book', background, (_adapter, context) => write(context), { timeoutMs: 400 }),
    );
    const second = await failure(
      calls.call(supplier, 'book', background, (_adapter, context) => write(context), { timeoutMs: 500 }),
    );
    expect(second).toMatchObject({ fault: 'timeout', sent: false });
    await first;
    expect(requests).toHaveLength(1);
  });
});

describe('time and cancellation', () => {
  it('continues for a committed request even if the client disconnects', async () => {
    const { calls, supplier, seen } = await world(ok);
    const context = new RequestContext('req_1', 0);
    context.commit();
    const run = calls.call(supplier, 'book', context, (_adapter, { http }) => http.send(WRITE));
    context.cancel('client_disconnected');
    expect([(await run).status, seen]).toEqual([200, ['book answered']]);
  });

  it('is not sent if no time is left, which says nothing about what others have sent', async () => {
    const { supplier, calls, requests, seen } = await world(ok);
    const book = (timeoutMs: number) =>
      calls.call(supplier, 'book', background, (_adapter, { http }) => http.send(WRITE), { timeoutMs });
    // With an open connection, a call begins within a millisecond.
    await book(800);
    for (let time = 0; time < 20; time += 1)
      expect(await failure(book(0))).toEqual({ fault: 'timeout', sent: true, refusal: undefined });
    expect([requests.length, seen.length]).toEqual([1, 1]);
  });

  it('times out at the operation’s timeout, or earlier if less time is left, and closes the socket', async () => {
    const { calls, supplier, aborted, seen } = await world(hang);
    for (const [timeoutMs, least, most] of [
      [undefined, 780, 1_500],
      [40, 35, 600],
      [10_000, 780, 1_500],
    ] as const) {
      const startedAt = performance.now();
      await failure(calls.call(supplier, 'book', background, (_adapter, { http }) => http.send(WRITE), { timeoutMs }));
      const ms = performance.now() - startedAt;
      expect([timeoutMs, ms > least && ms < most]).toEqual([timeoutMs, true]);
    }
    expect(seen).toEqual(['book timeout', 'book timeout', 'book timeout']);
    for (let ms = 0; ms < 2_000 && aborted() < 3; ms += 10) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(aborted()).toBe(3);
  });

  it('is aborted when the request is canceled, and reported as such instead of an outcome', async () => {
    const { calls, supplier, seen } = await world(hang);
    const context = new RequestContext('req_1', 0);
    const run = failure(calls.call(supplier, 'priceCheck', context, (_adapter, { http }) => http.send(READ, true)));
    context.cancel('client_disconnected');
    expect([await run, seen]).toMatchObject([{ fault: 'cancelled' }, ['priceCheck cut off']]);
  });

  it('does not call the supplier for a request that is already canceled', async () => {
    const { calls, supplier, requests } = await world(ok);
    const over = new RequestContext('req_1', 0);
    over.cancel('client_disconnected');
    const run = calls.call(supplier, 'priceCheck', over, (_adapter, { http }) => http.send(READ, true));
    expect([(await failure(run)).fault, requests]).toEqual(['cancelled', []]);
  });
});

it('an adapter that throws synchronously, and not a SupplierError, is reported as a bug', async () => {
  const { calls, supplier, seen } = await world(ok);
  const run = calls.call(supplier, 'cancel', background, () => {
    throw new RangeError('at once');
  });
  expect([(await failure(run)).fault, seen]).toEqual(['bad_payload', ['cancel bad_payload!']]);
});
