import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { configSchema } from '../../config/config.schema.js';
import { supplierConfigSchema } from '../../config/supplier-config.schema.js';
import { contextOfApplication } from '../../context/fixtures/context.js';
import { RequestContext } from '../../context/request-context.js';
import { OPERATIONS, type Operation, SupplierError, type SupplierHttp } from '../../model/supplier.js';
import { parseScenario } from '../../sandbox/scenario.js';
import type { Supplier } from '../registry.js';
import { SupplierCalls } from '../supplier-call.js';
import { SupplierConnection } from '../supplier-connection.js';
import { BACKGROUND } from './caller.js';
import { SupplierPolicy } from './supplier-policy.js';

const READ = { method: 'GET', path: '/read' } as const;
const WRITE = { method: 'POST', path: '/write', body: '{}' } as const;
type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(code, headers).end();
const ok = status(200);
const hang: Answer = () => undefined;

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

/** A supplier on a real socket with its policy. Any status but 200 is a fault, as in adapters. */
async function world(answer: Answer, more: object = {}) {
  const now = { answer };
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    now.answer(request, response, count);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const quick = Object.fromEntries(
    ['searchVehicles', 'book', 'retrieve', 'cancel'].map((operation) => [operation, 400]),
  );
  const config = supplierConfigSchema.parse({
    ...{ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], url, timeoutMs: quick },
    resilience: { breaker: { minCalls: 4, openMs: 500, probes: 1 }, retry: { share: 0 } },
    ...more,
  });
  const events: string[] = [];
  const watch = {
    guarded: () => () => undefined,
    moved: (_supplier: string, operation: Operation, _scope: string, state: string, reason: string) =>
      events.push(`${operation} ${state}: ${reason}`),
    refused: (_supplier: string, operation: Operation, why: string) => events.push(`${operation} refused: ${why}`),
    retried: (_supplier: string, operation: Operation) => events.push(`${operation} retried`),
    queued: () => undefined,
    paused: (_supplier: string, ms: number) => events.push(`paused ${ms}`),
  };
  const policy = new SupplierPolicy(config, watch);
  const connection = new SupplierConnection(config, { brandsPerCall: 'many' }, url, { policy });
  const supplier: Supplier = { id: 'uno', name: 'Uno', config, connection };
  const calls = new SupplierCalls(configSchema.parse({}), { settled: () => undefined, cutOff: () => undefined });
  closing.push(async () => {
    await connection.close();
    server.closeAllConnections();
    server.close();
  });
  const run = async (
    operation: Operation,
    work: (http: SupplierHttp) => Promise<unknown>,
    { context = new RequestContext('req_1', 0), timeoutMs }: { context?: RequestContext; timeoutMs?: number } = {},
  ) => {
    try {
      await calls.call(supplier, operation, context, (_adapter, { http }) => work(http), { timeoutMs });
      return 'answered';
    } catch (error) {
      if (!(error instanceof SupplierError)) throw error;
      return `${error.fault}${error.sent ? ' sent' : ''}`;
    }
  };
  const read = async (http: SupplierHttp) => judge((await http.send(READ, true)).status);
  const write = async (http: SupplierHttp) => judge((await http.send(WRITE)).status);
  return { now, events, requests: () => count, run, read, write, policy };
}

function judge(code: number): void {
  if (code === 429) throw new SupplierError('throttled', '429');
  if (code === 404) throw new SupplierError('rejected', '404');
  if (code !== 200) throw new SupplierError('unavailable', String(code));
}

describe('the breaker', () => {
  it('opens after enough failures: calls are rejected immediately and nothing is sent', async () => {
    const { run, read, write, requests, events } = await world(status(503));
    for (let call = 0; call < 4; call += 1) expect(await run('book', write)).toBe('unavailable sent');
    expect([await run('book', write), requests()]).toEqual(['circuit_open', 4]);
    expect(events).toEqual(['book open: failures', 'book refused: circuit_open']);
    expect(await run('searchVehicles', read)).toBe('unavailable');
  });

  it.each<Operation>(['retrieve', 'modify', 'cancel'])('never blocks %s, however often it fails', async (operation) => {
    const { run, write, requests } = await world(status(503));
    for (let call = 0; call < 10; call += 1) await run(operation, write);
    expect(requests()).toBe(10);
  });

  it('opens on timeouts and closes when a probe succeeds', async () => {
    const { now, run, read, events } = await world(hang);
    await untilOpen(events, () => run('searchVehicles', read));
    expect(await run('searchVehicles', read)).toBe('circuit_open');
    now.answer = ok;
    await until(async () => (await run('searchVehicles', read)) === 'answered');
    expect(events.filter((event) => !event.includes('refused'))).toEqual([
      'searchVehicles open: failures',
      'searchVehicles half_open: time',
      'searchVehicles closed: probe',
    ]);
  });

  it('ignores refusals and timeouts of calls with little time', async () => {
    const { now, run, read, events } = await world(status(404));
    for (let call = 0; call < 10; call += 1) expect(await run('searchVehicles', read)).toBe('rejected');
    now.answer = hang;
    await Promise.all(Array.from({ length: 10 }, () => run('searchVehicles', read, { timeoutMs: 30 })));
    expect(events).toEqual([]);
  });

  it('ignores what its own busy event loop made slow or late', async () => {
    const { run, read, events } = await world((request, response) => setTimeout(() => ok(request, response, 0), 50));
    const busy = async (ms: number, times: number): Promise<void> => {
      for (let turn = 0; turn < times; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        for (const end = performance.now() + ms; performance.now() < end; );
      }
    };
    const calls = (): Promise<string>[] => Array.from({ length: 10 }, () => run('searchVehicles', read));
    const late = calls();
    await busy(600, 1);
    expect(new Set(await Promise.all(late))).toEqual(new Set(['timeout']));
    const slow = calls();
    await busy(90, 3);
    await Promise.all(slow);
    expect(events).toEqual([]);
  });

  it('counts calls canceled after a long wait', async () => {
    const { run, read, events } = await world(hang);
    await untilOpen(events, () => {
      const context = new RequestContext('req_1', 0);
      setTimeout(() => context.cancel('client_disconnected'), 300);
      return run('searchVehicles', read, { context });
    });
    expect(events).toEqual(['searchVehicles open: slow']);
  });

  it('admits another probe when one is canceled', async () => {
    const { now, run, read, events } = await world(hang);
    await untilOpen(events, () => run('searchVehicles', read));
    await until(async () => {
      const context = new RequestContext('req_1', 0);
      const probe = run('searchVehicles', read, { context });
      if (events.at(-1) !== 'searchVehicles half_open: time') return (await probe) === 'never';
      expect(await run('searchVehicles', read)).toBe('circuit_open');
      context.cancel('client_disconnected');
      return (await probe) === 'cancelled';
    });
    now.answer = ok;
    await new Promise((resolve) => setImmediate(resolve));
    expect([await run('searchVehicles', read), events.at(-1)]).toEqual(['answered', 'searchVehicles closed: probe']);
  });

  it('of a replaced supplier does not change the reported state of its successor', async () => {
    const { run, read, events, policy } = await world(hang);
    const underWay = Array.from({ length: 4 }, () => run('searchVehicles', read));
    policy.retire();
    await Promise.all(underWay);
    await until(async () => (await run('searchVehicles', read)) === 'circuit_open');
    expect(events).toEqual([]);
  });

  it('ignores timeouts of calls whose answer arrived in time and waits for a thread', async () => {
    const { policy, events } = await world(ok);
    const call = {
      ...({ operation: 'searchVehicles', caller: BACKGROUND, endsAtMs: Number.POSITIVE_INFINITY } as const),
      ...{ requestId: 'req_1', heldMs: 0, hasWritten: false, isOver: true },
    };
    const times = async (count: number, unreadSinceMs: number | undefined): Promise<void> => {
      for (let made = 0; made < count; made += 1)
        await policy
          .run({ ...call, unreadSinceMs }, () => Promise.reject(new SupplierError('timeout', 'late')))
          .catch(() => undefined);
    };
    await times(20, 1);
    expect(events).toEqual([]);
    await times(4, undefined);
    expect(events).toEqual(['searchVehicles open: failures']);
  });

  it('ignores scenarios: they neither open it nor are blocked by it', async () => {
    const { run, read, events, requests } = await world(status(503), { simulator: { dialect: 'ota' }, url: undefined });
    const context = new RequestContext('req_1', 0);
    context.useScenario(parseScenario('*=error(503)', 'header', []));
    for (let call = 0; call < 10; call += 1) await run('searchVehicles', read, { context });
    expect([events, requests()]).toEqual([[], 10]);
    for (let call = 0; call < 5; call += 1) await run('searchVehicles', read);
    await run('searchVehicles', read, { context });
    expect(requests()).toBe(15);
  });
});

describe('an application that provokes failures', () => {
  const asking = (
    applicationId: string,
    scenario?: string,
    accountId = applicationId.replace('app', 'acc'),
  ): RequestContext => {
    const context = contextOfApplication(applicationId, 0, { accountId });
    if (scenario !== undefined) context.useScenario(parseScenario(scenario, 'header', []));
    return context;
  };

  it('opens its own breaker and uses up its own retries, not those of others', async () => {
    let others = 0;
    const fails = (url = ''): boolean => {
      if (url !== '/failing') others += 1;
      return url === '/failing' || others === 1;
    };
    const { run, read, events } = await world(
      (request, response, count) => (fails(request.url) ? status(503) : ok)(request, response, count),
      { resilience: { breaker: { minCalls: 4 }, retry: { share: 0.2, baseMs: 5 } } },
    );
    const failing = async (http: SupplierHttp) => judge((await http.send({ ...READ, path: '/failing' }, true)).status);
    const told: string[] = [];
    for (let call = 0; call < 6; call += 1)
      told.push(await run('searchVehicles', failing, { context: asking('app_a') }));
    expect(told.at(-1)).toBe('circuit_open');
    events.length = 0;
    expect(await run('searchVehicles', read, { context: asking('app_b') })).toBe('answered');
    expect([events, others]).toEqual([['searchVehicles retried'], 2]);
  });

  it('cannot take the sockets of scenarios away from others', async () => {
    const { run, read } = await world(
      (request, response, count) =>
        (request.headers['x-sim-directive'] === 'timeout' ? hang : ok)(request, response, count),
      { simulator: { dialect: 'ota' }, url: undefined, connections: 8 },
    );
    const greedy = Array.from({ length: 50 }, () =>
      run('searchVehicles', read, { context: asking('app_a', '*=timeout') }),
    );
    expect(await run('searchVehicles', read, { context: asking('app_b', '*=slow(1)') })).toBe('answered');
    expect(new Set(await Promise.all(greedy))).toEqual(new Set(['timeout']));
  });

  claim(
    'API4',
    'Hanging searches, changes and cancellations of 20 applications of one account leave connections to a supplier for other accounts, with and without a scenario.',
    async () => {
      const cases = (['searchVehicles', 'modify', 'cancel'] as const).flatMap((operation) =>
        [undefined, '*=timeout'].map((scenario) => ({ operation, scenario })),
      );
      const prove = async ({ operation, scenario }: (typeof cases)[number]): Promise<void> => {
        const { run, read, requests } = await world(
          (request, response, count) =>
            (request.headers['x-sim-directive'] === 'slow(1)' || request.url === '/modest' ? ok : hang)(
              request,
              response,
              count,
            ),
          {
            simulator: { dialect: 'ota' },
            url: undefined,
            // On a busy machine, the calls that are answered take their time.
            timeoutMs: { searchVehicles: 2_000, modify: 2_000, cancel: 2_000 },
            resilience: { breaker: { minCalls: 1_000 } },
          },
        );
        const modest = async (http: SupplierHttp) =>
          judge((await http.send({ ...READ, path: '/modest' }, true)).status);
        const greedy = Array.from({ length: 100 }, (_, number) =>
          run(operation, read, { context: asking(`app_${number % 20}`, scenario, 'acc_greedy') }),
        );
        await until(async () => requests() >= 40);
        const others = (['searchVehicles', operation] as const).flatMap((wanted) =>
          Array.from({ length: 5 }, () => run(wanted, modest, { context: asking('app_b', scenario && '*=slow(1)') })),
        );
        expect({ operation, scenario, others: new Set(await Promise.all(others)) }).toEqual({
          ...{ operation, scenario, others: new Set(['answered']) },
        });
        await Promise.all(greedy);
      };
      await Promise.all(cases.map(prove));
    },
    20_000,
  );
});

describe('retries', () => {
  const repeating = { resilience: { breaker: { minCalls: 1_000 }, retry: { share: 0.2, baseMs: 5 } } };

  it('retry a failed read once', async () => {
    const { run, read, requests, events } = await world(
      (request, response, count) => (count === 1 ? status(503) : ok)(request, response, count),
      repeating,
    );
    expect([await run('searchVehicles', read), requests(), events]).toEqual([
      'answered',
      2,
      ['searchVehicles retried'],
    ]);
  });

  it('stay within their budget when every call fails', async () => {
    const { run, read, requests } = await world(status(503), repeating);
    for (let call = 0; call < 100; call += 1) await run('searchVehicles', read);
    expect(requests()).toBeGreaterThan(110);
    expect(requests()).toBeLessThanOrEqual(121);
  });

  it.each<Operation>(['book', 'modify', 'cancel', 'priceCheck'])('never repeat %s', async (operation) => {
    const { run, read, write, requests } = await world((_request, response) => response.destroy(), repeating);
    expect([await run(operation, write), requests()]).toEqual(['unavailable sent', 1]);
    await run(operation, read);
    expect(requests()).toBe(2);
  });

  it('never repeat a search with a call that is not repeatable', async () => {
    const { run, write, requests } = await world(status(503), repeating);
    expect([await run('searchVehicles', write), requests()]).toEqual(['unavailable sent', 1]);
  });

  it('do not start when half of the time has passed', async () => {
    const { run, read, requests } = await world(
      (_request, response) => setTimeout(() => response.writeHead(503).end(), 250),
      repeating,
    );
    expect([await run('searchVehicles', read), requests()]).toEqual(['unavailable', 1]);
  });

  it.each<[string, Answer, string]>([
    ['a 429', status(429), 'throttled'],
    ['a refusal', status(404), 'rejected'],
    ['a timeout', hang, 'timeout'],
  ])('do not follow %s', async (_case, answer, fault) => {
    const { run, read, requests } = await world(answer, repeating);
    expect([await run('searchVehicles', read), requests()]).toEqual([fault, 1]);
  });
});

// All of them wait, together, each at a supplier of its own.
describe('a 429 with Retry-After', () => {
  const patient = { timeoutMs: Object.fromEntries(OPERATIONS.map((operation) => [operation, 2_500])) };
  const first =
    (headers: Record<string, string>, next: Answer = ok): Answer =>
    (request, response, count) =>
      count === 1 ? response.writeHead(429, headers).end() : next(request, response, count);

  it.concurrent.each<Operation>(['searchLocations', 'searchVehicles', 'priceCheck', 'retrieve'])(
    'of %s is waited for within its timeout, and then the call is sent once more',
    async (operation) => {
      const { run, read, requests, events } = await world(first({ 'retry-after': '1' }), patient);
      const startedAt = performance.now();
      expect([await run(operation, read), requests()]).toEqual(['answered', 2]);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(999);
      expect(events).toEqual(['paused 1000']);
    },
  );

  it.concurrent('is waited for again while the time allows, and is then a failure within the timeout', async () => {
    const { run, read, requests } = await world(status(429, { 'retry-after': '1' }), patient);
    const startedAt = performance.now();
    expect([await run('searchVehicles', read), requests()]).toEqual(['throttled', 3]);
    expect(performance.now() - startedAt).toBeLessThan(2_500);
  });

  it.concurrent.each([
    ['longer than the timeout', { 'retry-after': '3' }],
    ['of ten digits', { 'retry-after': '4294967296' }],
    ['that says nothing', { 'retry-after': 'later' }],
    ['that is missing', {}],
  ])('%s: the call fails immediately and is not sent again', async (_case, headers: Record<string, string>) => {
    const { run, read, requests } = await world(first(headers), patient);
    const startedAt = performance.now();
    expect([await run('searchVehicles', read), requests()]).toEqual(['throttled', 1]);
    // Milliseconds; a call that is sent again waits for at least a second.
    expect(performance.now() - startedAt).toBeLessThan(900);
  });

  it.concurrent.each<Operation>(['book', 'modify', 'cancel'])(
    'of a write is a clear refusal: %s is never sent again',
    async (operation) => {
      const { run, write, requests } = await world(first({ 'retry-after': '1' }), patient);
      expect([await run(operation, write), requests()]).toEqual(['throttled sent', 1]);
    },
  );

  it.concurrent('however short, leads to at most three more calls', async () => {
    const { run, read, requests } = await world(status(429, { 'retry-after': '0.001' }), patient);
    expect([await run('searchVehicles', read), requests()]).toEqual(['throttled', 4]);
  });

  it.concurrent('does not let repeated searches take the places that are kept for bookings', async () => {
    const answer: Answer = (request, response, count) => {
      const next = count <= 2 ? status(429, { 'retry-after': '0.2' }) : request.url === '/write' ? ok : hang;
      next(request, response, count);
    };
    const bulkhead = { searchShare: 0.5, accountShare: 1 };
    const { run, read, write, requests } = await world(answer, {
      ...patient,
      connections: 4,
      resilience: { bulkhead },
    });
    const searches = [run('searchVehicles', read), run('searchVehicles', read)];
    await until(async () => requests() === 2);
    searches.push(run('searchVehicles', read), run('searchVehicles', read));
    await until(async () => requests() >= 4);
    expect([await run('book', write), requests()]).toEqual(['answered', 5]);
    await Promise.all(searches);
  });

  it.concurrent('is waited for by a booking of which nothing was sent', async () => {
    const { run, read, write, requests, events } = await world(first({ 'retry-after': '1' }), patient);
    const search = run('searchVehicles', read);
    await until(async () => events.includes('paused 1000'));
    expect([await run('book', write), await search, requests()]).toEqual(['answered', 'answered', 3]);
  });

  it.concurrent('does not count as slow, and ends with the call that waits for it', async () => {
    const { run, read, requests, events } = await world(first({ 'retry-after': '2' }), patient);
    const context = new RequestContext('req_1', 0);
    setTimeout(() => context.cancel('client_disconnected'), 100);
    expect([await run('searchVehicles', read, { context }), requests()]).toEqual(['cancelled', 1]);
    const waiting = Array.from({ length: 4 }, () => run('searchVehicles', read));
    expect(await Promise.all(waiting)).toEqual(['answered', 'answered', 'answered', 'answered']);
    expect(events).toEqual(['paused 2000']);
  });
});

describe('the bulkhead', () => {
  it('admits only calls for existing reservations until the Retry-After of a 429 has passed', async () => {
    const { now, run, read, write, requests, events } = await world(status(429, { 'retry-after': '1' }));
    expect(await run('searchVehicles', read)).toBe('throttled');
    now.answer = ok;
    expect([await run('searchVehicles', read), await run('book', write), requests()]).toEqual([
      'throttled',
      'throttled',
      1,
    ]);
    expect([await run('cancel', write), requests()]).toEqual(['answered', 2]);
    expect(events).toEqual(['paused 1000', 'searchVehicles refused: paused', 'book refused: paused']);
    await until(async () => (await run('searchVehicles', read)) === 'answered');
  });

  it('does not block the second call of a booking whose first call was sent', async () => {
    const { run, write, requests } = await world(status(429, { 'retry-after': '60' }));
    const twoSteps = async (http: SupplierHttp): Promise<void> => {
      await http.send(WRITE);
      await write(http);
    };
    expect([await run('book', twoSteps), requests()]).toEqual(['throttled sent', 2]);
  });

  it('does not count calls that it rejected as failures of the supplier', async () => {
    const { run, read, events } = await world(ok, { quota: { perSecond: 0.1 } });
    expect(await run('searchVehicles', read)).toBe('answered');
    for (let call = 0; call < 10; call += 1) expect(await run('searchVehicles', read)).toBe('throttled');
    expect(new Set(events)).toEqual(new Set(['searchVehicles refused: quota']));
  });
});

/** Makes four calls at a time until they open the breaker: while a busy machine makes the event loop late, none counts. */
async function untilOpen(events: readonly string[], call: () => Promise<string>): Promise<void> {
  for (const before = events.length; events.length === before; ) await Promise.all(Array.from({ length: 4 }, call));
}

/** Polls until the condition is true; the test's timeout ends it otherwise. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
