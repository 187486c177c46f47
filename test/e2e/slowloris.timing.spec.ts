import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { claim } from '../support/claim.js';
import type { HttpAnswer } from '../support/client.js';
import { rawConnect } from '../support/raw-socket.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { slowed } from '../support/slowness.js';

const CLIENTS = 200;
const MOST_MB = 150;
const MOST_HEALTH_MS = 100;
const ROUNDS = 4;
/** A call waits for room for a quarter of it. */
const BUDGET_MS = 4_200;
const STALL_MS = 500;
/** Longer than waiting for room and for a stalled client. */
const WATCHED_MS = 2_200;
const running = runGateway({
  // The answers of complete searches fill the buffers of sockets.
  env: { SIMULATORS_CARS_PER_LOCATION: '1000' },
  config: {
    // Concurrent calls are limited as shipped.
    tiers: { demo: { perMinute: 600_000, burst: 100_000 } },
    settings: {
      http: { stallMs: STALL_MS, requestBudgetMs: BUDGET_MS },
      search: { timeoutMs: { min: 200, max: BUDGET_MS - 100 } },
    },
  },
});
beforeAll(async () => {
  for (let number = 0; number < 12; number += 1) await running().client.get(search(number));
});

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

/** CPU time of a process's main thread, in milliseconds. */
function mainThreadMs(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Memory of a process that is in use, in MB. */
function residentMb(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}
