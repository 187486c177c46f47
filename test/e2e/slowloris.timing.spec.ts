import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import type { HttpAnswer } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { answersIn, rawConnect, rawExchange, untilClosed } from '../support/raw-socket.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { slowed } from '../support/slowness.js';
import { SUPPLIERS } from '../support/suppliers.js';

/** The answers of complete searches fill the buffers of sockets. */
const ALL_CARS = { SIMULATORS_CARS_PER_LOCATION: '1000' };
const HEADERS_TIMEOUT_MS = 1_500;
const BUDGET_MS = 3_000;
/** Node checks its connections once per second; the rest is for a machine under load. */
const CHECK_MS = 1_000;
const SLACK_MS = 4_000;
/** Of each kind, all kinds together. */
const HELD = 60;

/** The result of a connection that was held as long as the gateway allowed. */
interface Held {
  readonly text: string;
  readonly ms: number;
}

/** Opens a connection, sends `opening`, then `drop` every 100 ms until the gateway closes it. */
function hold(port: number, opening: string, drop: string): Promise<Held> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let text = '';
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(opening));
    const dripping = setInterval(() => drop !== '' && socket.write(drop), 100);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    // Writing to a connection that the gateway has closed ends in a reset.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(dripping);
      resolve({ text, ms: performance.now() - startedAt });
    });
  });
}

describe('clients that search and never read', () => {
  const CLIENTS = 200;
  const MOST_MB = 150;
  const MOST_HEALTH_MS = 100;
  const ROUNDS = 4;
  /** Longer than waiting for room and for a stalled client. */
  const WATCHED_MS = 4_000;
  const STALL_MS = 500;
  /** Concurrent calls are limited as shipped. */
  const tiers = { demo: { perMinute: 600_000, burst: 100_000 }, demo_throttled: ROOMY.demo };
  const running = runGateway({ env: ALL_CARS, config: { tiers, settings: { http: { stallMs: STALL_MS } } } });

  /** The largest answers: about 530 offers, 2.7 MB. No two searches are equal. */
  const search = (number: number): string =>
    vehiclesPath({
      ...{ pickup_location: 'LHR', max_results: '1000' },
      ...{ pickup_date: dayAhead(30 + (number % 150)), dropoff_date: dayAhead(190 + Math.floor(number / 150)) },
    });

  /**
   * How long a check waits for the gateway, in milliseconds: not longer than the gateway computes meanwhile, because
   * what it waits for other processes of this machine isn't the gateway's delay.
   */
  const delayOf = async (check: () => Promise<HttpAnswer>): Promise<number> => {
    const { pid } = running().gateway.child.process;
    const before = mainThreadMs(pid);
    const { ms } = await check();
    return Math.min(ms, mainThreadMs(pid) - before);
  };

  /** Opens connections that send `requests` and read nothing. */
  const ignoring = async (connections: number, requests: (connection: number) => string) => {
    const sockets = await Promise.all(Array.from({ length: connections }, () => rawConnect(running().gateway.port)));
    for (const [at, socket] of sockets.entries()) socket.pause().write(requests(at));
    return sockets;
  };

  /** Searches that are sent together; the connection closes after the last answer. */
  const pipelined = (token: string, first: number, count: number): string => {
    const head = (number: number): string =>
      `GET ${search(number)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}`;
    const heads = Array.from({ length: count }, (_, index) => head(first + index));
    return `${heads.join('\r\n\r\n')}\r\nConnection: close\r\n\r\n`;
  };

  claim.each([
    ['on a connection each', CLIENTS, 1],
    ['that pipeline their requests', 10, CLIENTS / 10],
  ] as const)(
    'API4',
    'With 200 searches of clients of one tenant that never read, the health check takes less than 100 ms and the memory grows by less than 150 MB.',
    '%s',
    async (who, connections, each) => {
      const { client, gateway } = running();
      const token = await client.token();
      for (let number = 0; number < 12; number += 1) await client.get(search(number));
      // A momentarily busy machine is measured again; a gateway that stalls does so in every round.
      let [mostMs, mostMb, limitMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
      for (let round = 0; round < ROUNDS && (mostMs >= limitMs || mostMb >= MOST_MB); round += 1) {
        const before = residentMb(gateway.child.process.pid);
        const sockets = await ignoring(connections, (at) => pipelined(token, at * each, each));
        [mostMs, mostMb] = [0, 0];
        for (const until = performance.now() + WATCHED_MS; performance.now() < until; await wait(20)) {
          mostMs = Math.max(mostMs, await delayOf(() => client.get('/health/live', { token: null })));
          mostMb = Math.max(mostMb, residentMb(gateway.child.process.pid) - before);
        }
        for (const socket of sockets) socket.destroy();
        limitMs = slowed(MOST_HEALTH_MS);
        console.log(
          `${CLIENTS} searches of clients ${who}: health check ${mostMs.toFixed(0)} ms of ${limitMs.toFixed(0)}, ${mostMb.toFixed(0)} MB`,
        );
      }
      expect(mostMs).toBeLessThan(limitMs);
      expect(mostMb).toBeLessThan(MOST_MB);
    },
  );

  test('a client that reads slowly but steadily gets its complete answer', async () => {
    const { client, gateway } = running();
    const token = await client.token();
    const whole = await eventually(
      () => client.get(search(0), { token }),
      ({ status }) => status === 200,
    );
    const socket = await rawConnect(gateway.port);
    socket.write(pipelined(token, 0, 1));
    let bytes = 0;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (let isOpen = true; isOpen; isOpen = (await Promise.race([closed, wait(20, 'open')])) === 'open')
      bytes += (socket.read(Math.min(65_536, socket.readableLength || 1)) as Buffer | null)?.length ?? 0;
    expect(bytes).toBeGreaterThan(Buffer.byteLength(whole.text));
  });

  claim('API4', 'A client that reads nothing of its answers is disconnected.', async () => {
    const token = await running().client.token();
    // The kernel holds 4 MB at most, so at least the second answer waits in the gateway.
    const unreadFor = async (ms: number): Promise<number> => {
      const [socket] = await ignoring(1, () => pipelined(token, 0, 5));
      await wait(ms);
      return socket ? (await untilClosed(socket.resume(), 30_000)).split('HTTP/1.1 ').length - 1 : 0;
    };
    // A busy machine needs longer for five answers.
    let answers = await unreadFor(3_000);
    for (let ms = 6_000; answers === 5 && ms < 20_000; ms *= 2) answers = await unreadFor(ms);
    expect(answers).toBeLessThan(5);
  });

  claim(
    'API4',
    'The answers that the applications of an account requested and have not read yet occupy at most 32 MB per gateway: their further searches wait, then get 429.',
    async () => {
      const { client } = running();
      const headers = { 'x-sandbox-scenario': '*=slow(2500)' };
      // Each may have 1,000 offers of 5.5 kB, so there is room for five.
      const large = Array.from({ length: 8 }, (_, number) => client.get(search(number), { headers }));
      const small = client.get(vehiclesPath({ max_results: '1' }), { token: await client.token('demo-throttled') });
      const refused = (await Promise.all(large)).filter(({ status }) => status === 429);
      expect(refused.map(({ errors }) => errors[0]?.details)).toEqual(
        Array.from({ length: 3 }, () => expect.stringMatching(/have not read yet reach 32 MB/)),
      );
      expect((await small).status).toBe(200);
    },
  );

  claim('API4', 'A connection may have 20 unanswered requests: one more gets 429 and closes it.', async () => {
    const request = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    const answers = answersIn(await rawExchange(running().gateway.port, request.repeat(30)));
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
    expect(answers.at(-1)?.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
  });
});

describe('slow clients', () => {
  const timeoutMs = { searchLocations: 1_000, searchVehicles: 1_000, priceCheck: 1_000 };
  const running = runGateway({
    env: ALL_CARS,
    config: {
      tiers: ROOMY,
      settings: {
        http: { headersTimeoutMs: HEADERS_TIMEOUT_MS, requestBudgetMs: BUDGET_MS },
        search: { timeoutMs: { min: 200, max: 2_000 } },
      },
      suppliers: { ...Object.fromEntries(SUPPLIERS.map(({ id }) => [id, { timeoutMs }])), cobalt: null, ember: null },
    },
  });
  const KINDS: readonly (readonly [who: string, opening: string, drop: string, limitMs: number])[] = [
    ['that never send a byte', '', '', HEADERS_TIMEOUT_MS],
    [
      'that send their headers byte by byte',
      `GET ${locationsPath('boston')} HTTP/1.1\r\nHost: x\r\nX-A: `,
      'a',
      HEADERS_TIMEOUT_MS,
    ],
    ['that send one header after the other', 'GET / HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n', HEADERS_TIMEOUT_MS],
    [
      'that send their body byte by byte',
      'POST /cars/catalog/v1/vehicles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n',
      ' ',
      BUDGET_MS,
    ],
    [
      'that send their body in chunks of one byte',
      'POST /cars/catalog/v1/vehicles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
      BUDGET_MS,
    ],
  ];
  /** By kind. */
  const held = new Map<string, readonly Held[]>();
  const others: HttpAnswer[] = [];
  beforeAll(async () => {
    const { client, gateway } = running();
    // Without a token, the answer is an immediate 401.
    const token = await client.token();
    let over = false;
    const playing = KINDS.map(async ([who, opening, drop]) => {
      const sent = opening.replace('TOKEN', token);
      held.set(who, await Promise.all(Array.from({ length: HELD }, () => hold(gateway.port, sent, drop))));
    });
    const played = Promise.all(playing).finally(() => {
      over = true;
    });
    while (!over) {
      others.push(await client.get(locationsPath('boston')));
      await wait(20);
    }
    await played;
    console.log(`${others.length} others served, p50 ${quantile(others, 0.5)} ms, p99 ${quantile(others, 0.99)} ms`);
  });

  claim.each(KINDS)(
    'API4',
    'Clients that send their request byte by byte, or not at all, are disconnected in time with 408, and others are served meanwhile.',
    'clients %s',
    (who, _opening, _drop, limitMs) => {
      const results = held.get(who) ?? [];
      const longestMs = Math.max(...results.map(({ ms }) => ms));
      console.log(`clients ${who}: held ${longestMs.toFixed(0)} ms at most`);
      expect(results.length).toBe(HELD);
      expect(longestMs).toBeLessThan(limitMs + CHECK_MS + SLACK_MS);
      const told = new Set(results.map(({ text }) => outcomesIn(text)));
      expect(told).toContain('408 timeout');
      // A client that writes just when it is closed may lose the answer to the reset.
      expect([...told].filter((outcomes) => outcomes !== '408 timeout' && outcomes !== '')).toEqual([]);
      expect(others.length).toBeGreaterThan(3);
      expect([...new Set(others.map(({ status }) => status))]).toEqual([200]);
      expect(quantile(others, 0.99)).toBeLessThan(1_000);
    },
  );

  test('a client that keeps a connection after its answer is not cut off in the middle of its next request', async () => {
    const { gateway } = running();
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await wait(HEADERS_TIMEOUT_MS + CHECK_MS + 200);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await closed;
    expect(answersIn(text).map(({ status }) => status)).toEqual([200, 200]);
  });
});

/** CPU time of a process's main thread, in milliseconds. */
function mainThreadMs(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Memory of a process that is in use, in MB. */
function residentMb(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Status and reason of each answer. */
function outcomesIn(text: string): string {
  return answersIn(text)
    .map(({ status, body }) => `${status} ${/"reason":"(\w+)"/.exec(body)?.[1]}`)
    .join();
}

function quantile(answers: readonly HttpAnswer[], share: number): number {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
}
