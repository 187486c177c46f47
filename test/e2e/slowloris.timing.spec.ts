import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { claim } from '../support/claim.js';
import type { HttpAnswer } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { answersIn } from '../support/raw-socket.js';
import { locationsPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { SUPPLIERS } from '../support/suppliers.js';

const HEADERS_TIMEOUT_MS = 1_500;
const BUDGET_MS = 3_000;
/** Node checks its connections once per second; the rest is for a machine under load. */
const CHECK_MS = 1_000;
const SLACK_MS = 4_000;
const HELD = 300;

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

describe('slow clients', () => {
  const timeoutMs = { searchLocations: 1_000, searchVehicles: 1_000, priceCheck: 1_000 };
  const running = runGateway({
    config: {
      tiers: ROOMY,
      settings: {
        http: { headersTimeoutMs: HEADERS_TIMEOUT_MS, requestBudgetMs: BUDGET_MS },
        search: { timeoutMs: { min: 200, max: 2_000 } },
      },
      suppliers: { ...Object.fromEntries(SUPPLIERS.map(({ id }) => [id, { timeoutMs }])), cobalt: null, ember: null },
    },
  });
  claim.each([
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
      'POST /cars/catalog/v1/vehicles HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n',
      ' ',
      BUDGET_MS,
    ],
    [
      'that send their body in chunks of one byte',
      'POST /cars/catalog/v1/vehicles HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
      BUDGET_MS,
    ],
  ])(
    'API4',
    'Clients that send their request byte by byte, or not at all, are disconnected in time with 408, and others are served meanwhile.',
    `${HELD} clients %s`,
    async (who, opening, drop, limitMs) => {
      const { client, gateway } = running();
      await client.token();
      let over = false;
      const held = Promise.all(Array.from({ length: HELD }, () => hold(gateway.port, opening, drop))).finally(() => {
        over = true;
      });
      const others: HttpAnswer[] = [];
      while (!over) {
        others.push(await client.get(locationsPath('boston')));
        await wait(20);
      }
      const results = await held;
      const longestMs = Math.max(...results.map(({ ms }) => ms));
      const p99Ms = quantile(others, 0.99);
      console.log(
        `${HELD} clients ${who}: held ${longestMs.toFixed(0)} ms at most; ${others.length} others served, p50 ${quantile(others, 0.5)} ms, p99 ${p99Ms} ms`,
      );
      expect(longestMs).toBeLessThan(limitMs + CHECK_MS + SLACK_MS);
      const told = new Set(results.map(({ text }) => outcomesIn(text)));
      expect(told).toContain('408 timeout');
      // A client that writes just when it is closed may lose the answer to the reset.
      expect([...told].filter((outcomes) => outcomes !== '408 timeout' && outcomes !== '')).toEqual([]);
      expect(others.filter(({ status }) => status !== 200)).toEqual([]);
      expect(p99Ms).toBeLessThan(1_000);
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
