import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type SupplierConfig, supplierConfigSchema } from '../config/supplier-config.schema.js';
import type { BookRequest } from '../model/bookings.js';
import type { VehicleSearch } from '../model/offers.js';
import { type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import type { ReadElsewhere } from './answers/bounded-adapter.js';
import { ReadingQueue } from './answers/reading-queue.js';
import { replay } from './answers/replay.js';
import { SupplierPolicy } from './resilience/supplier-policy.js';
import { SupplierConnection } from './supplier-connection.js';

const READ = { method: 'GET', path: '/read' } as const;
const WRITE = { method: 'POST', path: '/write' } as const;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** How a supplier refuses a session. */
const REFUSALS = {
  'HTTP 401': { status: 401, body: '' },
  'HTTP 403': { status: 403, body: '' },
  'a code under HTTP 200': { status: 200, body: 'session unknown' },
  'a code in a large answer under HTTP 200': { status: 200, body: 'session unknown'.padEnd(100_000) },
} as const;

/** A supplier that accepts only the token of session number `accepts`; other calls get `refusal`. */
async function world(
  authenticate: SupplierAdapter['authenticate'] | undefined = undefined,
  more: object = {},
  reader?: (config: SupplierConfig) => ReadElsewhere,
) {
  const now = { accepts: 1, refusal: REFUSALS['HTTP 401'] as (typeof REFUSALS)[keyof typeof REFUSALS] };
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { token } = request.headers;
    requests.push(`${request.url} ${token}`);
    const { status, body } = token === String(now.accepts) ? { status: 200, body: '' } : now.refusal;
    response.writeHead(status).end(request.url === '/large' ? ' '.repeat(100_000) : body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  let sessions = 0;
  const sent = async (context: SupplierContext, calls: readonly (typeof READ | typeof WRITE)[]): Promise<void> => {
    for (const call of calls) {
      const { status, body } = await context.http.send(call, call === READ);
      if (status !== 200 || body.includes('session unknown')) throw new SupplierError('auth', `refused ${status}`);
    }
  };
  const adapter: SupplierAdapter = {
    brandsPerCall: 'many',
    authenticate: authenticate ?? (async () => ({ headers: { token: String(++sessions) }, expiresInSeconds: 600 })),
    searchVehicles: async (_request, context) => {
      await sent(context, [READ]);
      return { items: [], warnings: [] };
    },
    book: async (request, context) => {
      await sent(context, request.remark === 'in two steps' ? [READ, WRITE] : [WRITE]);
      return { status: 'confirmed', ref: {} };
    },
  };
  const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], url, ...more });
  const refused: string[] = [];
  const nothing = () => undefined;
  const watch = { guarded: () => nothing, moved: nothing, retried: nothing, queued: nothing, paused: nothing };
  const policy = new SupplierPolicy(config, {
    ...watch,
    refused: (_supplier, _operation, why) => refused.push(why),
  });
  const elsewhere: ReadElsewhere = reader?.(config) ?? ((recording) => replay(adapter, recording));
  const connection = new SupplierConnection(config, adapter, url, { policy, elsewhere });
  closing.push(async () => {
    await connection.close();
    server.closeAllConnections();
    server.close();
  });
  const open = (directive?: string) =>
    connection.open('req_1', 'sandbox', directive === undefined ? {} : { directive }, {
      operation: 'searchVehicles',
      endsAtMs: performance.now() + 10_000,
    });
  const run = async (
    work: (adapter: SupplierAdapter, context: SupplierContext) => Promise<unknown> | undefined,
    directive?: string,
  ) => {
    const call = open(directive);
    try {
      await call.run(async () => work(connection.adapter, call.context));
      return 'answered';
    } catch (error) {
      return error instanceof SupplierError ? error.fault : error;
    }
  };
  const search = (directive?: string) =>
    run((bounded, context) => bounded.searchVehicles?.({} as VehicleSearch, context), directive);
  const book = (remark = 'in one step') =>
    run((bounded, context) => bounded.book?.({ remark } as BookRequest, context));
  return { now, requests, sessions: () => sessions, open, search, book, refused };
}

describe('a session', () => {
  it('is fetched once for concurrent calls', async () => {
    const { search, sessions } = await world();
    expect(await Promise.all(Array.from({ length: 10 }, () => search()))).toEqual(Array(10).fill('answered'));
    expect(sessions()).toBe(1);
  });

  it.each(Object.keys(REFUSALS) as (keyof typeof REFUSALS)[])(
    'that the supplier refuses with %s is replaced once for all calls in flight, and reads start over',
    async (how) => {
      const { now, search, sessions, requests } = await world();
      now.refusal = REFUSALS[how];
      await search();
      now.accepts = 2;
      expect(await Promise.all(Array.from({ length: 20 }, () => search()))).toEqual(Array(20).fill('answered'));
      expect([sessions(), requests.length]).toEqual([2, 41]);
    },
  );

  it('that expired before a write is replaced for the next call, and the write is not sent again', async () => {
    const { now, search, book, requests } = await world();
    await search();
    now.accepts = 2;
    expect([await book(), await book()]).toEqual(['auth', 'answered']);
    expect(requests).toEqual(['/read 1', '/write 1', '/write 2']);
  });

  it('that expired before a booking sent its write is replaced, and the booking starts over', async () => {
    const { now, search, book, requests } = await world();
    await search();
    now.accepts = 2;
    expect(await book('in two steps')).toBe('answered');
    expect(requests).toEqual(['/read 1', '/read 1', '/read 2', '/write 2']);
  });

  it('that is always refused leads to at most three more logins in a burst, not one per call', async () => {
    const { now, search, sessions, requests } = await world();
    now.accepts = -1;
    for (let call = 0; call < 20; call += 1) expect(await search()).toBe('auth');
    expect([sessions(), requests.length]).toEqual([4, 23]);
  });

  it('for which the login is always refused leads to at most three more logins in a burst', async () => {
    let logins = 0;
    const { search, requests } = await world(() => {
      logins += 1;
      throw new SupplierError('auth', 'wrong password');
    });
    for (let call = 0; call < 20; call += 1) expect(await search()).toBe('auth');
    expect([logins, requests]).toEqual([4, []]);
  });

  it.each(['auth', 'error(401)', 'error(403)'])(
    'is kept when a scenario simulates a refusal: %s',
    async (directive) => {
      const { now, search, sessions } = await world(undefined, { url: undefined, simulator: { dialect: 'flat' } });
      await search();
      now.accepts = 2;
      expect([await search(directive), sessions()]).toEqual(['auth', 1]);
    },
  );

  it('that comes in a large answer is rejected, because it would be read in this thread', async () => {
    const { search } = await world(async ({ http }) => {
      await http.send({ method: 'GET', path: '/large' });
      return { headers: { token: '1' }, expiresInSeconds: 600 };
    });
    expect(await search()).toBe('bad_payload');
  });

  it('that cannot be fetched fails the waiting calls, and the next call tries again', async () => {
    let tries = 0;
    const { search } = await world(
      () => {
        tries += 1;
        if (tries === 1) throw new SupplierError('unavailable', 'no session', false);
        return Promise.resolve({ headers: { token: '1' }, expiresInSeconds: 600 });
      },
      { resilience: { retry: { share: 0 } } },
    );
    expect(await Promise.all([search(), search()])).toEqual(['unavailable', 'unavailable']);
    expect([await search(), tries]).toEqual(['answered', 2]);
  });
});

it('an aborted call does not use the quota', async () => {
  const { open, search, refused, requests } = await world(undefined, { quota: { perSecond: 0.1, burst: 1 } });
  const over = open();
  over.abort(new SupplierError('cancelled', 'nobody waits'));
  await expect(over.context.http.send(READ, true)).rejects.toMatchObject({ fault: 'cancelled' });
  expect([await search(), refused, requests.length]).toEqual(['answered', [], 1]);
});

it('an answer that the gateway has no thread to read in time is counted', async () => {
  const queue = new ReadingQueue(
    1,
    () => Promise.reject(new Error('no thread')),
    () => 1e12,
  );
  const { now, search, refused } = await world(undefined, {}, (config) => queue.readerOf(config));
  now.accepts = 0;
  now.refusal = REFUSALS['a code in a large answer under HTTP 200'];
  expect([await search(), refused]).toEqual(['unavailable', ['unread']]);
});
