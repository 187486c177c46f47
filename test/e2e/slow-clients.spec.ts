import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import type { HttpAnswer } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { answersIn, rawConnect, rawExchange, untilClosed } from '../support/raw-socket.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { SUPPLIERS } from '../support/suppliers.js';

const HEADERS_TIMEOUT_MS = 1_500;
const BUDGET_MS = 3_000;
/** Longer than a busy machine keeps this process from reading. */
const STALL_MS = 700;
/** Node checks its connections once per second; the rest is for a machine under load. */
const CHECK_MS = 1_000;
const SLACK_MS = 4_000;
/** Clients of each kind, all kinds together. */
const HELD = 40;

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

const timeoutMs = { searchLocations: 1_900, searchVehicles: 1_900, priceCheck: 1_900 };
const running = runGateway({
  // The answers of complete searches fill the buffers of sockets.
  env: { SIMULATORS_CARS_PER_LOCATION: '1000' },
  config: {
    tiers: { ...ROOMY, demo_throttled: ROOMY.demo },
    settings: {
      http: { headersTimeoutMs: HEADERS_TIMEOUT_MS, requestBudgetMs: BUDGET_MS, stallMs: STALL_MS },
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
/** The answers to two requests, between which the client waited for longer than headers may take. */
let kept = '';
beforeAll(async () => {
  const { client, gateway } = running();
  // Without a token, the answer is an immediate 401.
  const token = await client.token();
  let over = false;
  const playing = KINDS.map(async ([who, opening, drop]) => {
    const sent = opening.replace('TOKEN', token);
    held.set(who, await Promise.all(Array.from({ length: HELD }, () => hold(gateway.port, sent, drop))));
  });
  const played = Promise.all([...playing, keepConnection(gateway.port)]).finally(() => {
    over = true;
  });
  while (!over) {
    others.push(await client.get(locationsPath('boston')));
    await wait(20);
  }
  await played;
  console.log(`${others.length} others served, p50 ${quantile(others, 0.5)} ms, p99 ${quantile(others, 0.99)} ms`);
});

async function keepConnection(port: number): Promise<void> {
  const socket = await rawConnect(port);
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    kept += chunk;
  });
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
  await wait(HEADERS_TIMEOUT_MS + CHECK_MS + 200);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await closed;
}

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

test('a client that keeps a connection after its answer is not cut off in the middle of its next request', () => {
  expect(answersIn(kept).map(({ status }) => status)).toEqual([200, 200]);
});

/** The largest answers: about 530 offers, 2.7 MB. No two searches are equal. */
const search = (number: number): string =>
  vehiclesPath({
    ...{ pickup_location: 'LHR', max_results: '1000' },
    ...{ pickup_date: dayAhead(30 + number), dropoff_date: dayAhead(190) },
  });

/** Searches that are sent together; the connection closes after the last answer. */
const pipelined = (token: string, count: number): string => {
  const heads = Array.from(
    { length: count },
    (_, at) => `GET ${search(at)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}`,
  );
  return `${heads.join('\r\n\r\n')}\r\nConnection: close\r\n\r\n`;
};

test('a client that reads slowly but steadily gets its complete answer', async () => {
  const { client, gateway } = running();
  const token = await client.token();
  const whole = await eventually(
    () => client.get(search(0), { token }),
    ({ status }) => status === 200,
  );
  const socket = await rawConnect(gateway.port);
  socket.write(pipelined(token, 1));
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
    const socket = await rawConnect(running().gateway.port);
    socket.pause().write(pipelined(token, 5));
    await wait(ms);
    return (await untilClosed(socket.resume(), 30_000)).split('HTTP/1.1 ').length - 1;
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
    // Longer than calls wait for room, a quarter of the budget.
    const headers = { 'x-sandbox-scenario': '*=slow(1800)' };
    // Each may have 1,000 offers of 5.5 kB, so there is room for five.
    const large = Array.from({ length: 8 }, (_, number) => client.get(search(number), { headers }));
    const small = client.get(vehiclesPath({ max_results: '1' }), { token: await client.token('demo-throttled') });
    const refused = (await Promise.all(large)).filter(({ status }) => status === 429);
    const reasons = refused.map(({ errors }) => errors[0]?.details);
    // On a busy machine, one that comes late finds room that an early one has left.
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.length).toBeLessThanOrEqual(3);
    for (const reason of reasons) expect(reason).toMatch(/have not read yet reach 32 MB/);
    expect((await small).status).toBe(200);
  },
);

claim('API4', 'A connection may have 20 unanswered requests: one more gets 429 and closes it.', async () => {
  const request = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const answers = answersIn(await rawExchange(running().gateway.port, request.repeat(30)));
  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  expect(answers.at(-1)?.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
});

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
