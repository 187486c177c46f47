import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createStream } from '../../src/simulators/random.js';
import type { LimitRate } from '../../src/store/gcra.js';
import type { ObservedCall } from './evidence.js';

const PATH = '/cars/locations/v1/';
const LONGEST_ANSWER_MS = 20_000;

/**
 * When calls are due, in milliseconds from the start, in order. From 1 × on, the burst is sent first: what is admitted
 * afterwards is the rate.
 */
export function schedule(rate: LimitRate, load: number, seconds: number, seed: number): number[] {
  const calls = paced(rate, load, seconds, seed);
  return load < 1 ? calls : [...new Array<number>(rate.burst).fill(0), ...calls];
}

/** One call in each slot of the load's rate, at a random time within the slot. */
export function paced(rate: LimitRate, load: number, seconds: number, seed: number): number[] {
  const random = createStream(seed);
  const slotMs = 60_000 / (rate.perMinute * load);
  return Array.from({ length: Math.floor((seconds * 1_000) / slotMs) }, (_, at) => (at + random()) * slotMs);
}

/** Sends calls to the gateways in turn, each when it is due, whether or not earlier calls were answered (open loop). */
export class LoadClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 100 });
  #sent = 0;

  constructor(private readonly ports: readonly number[]) {}

  /** Sends all calls; resolves with the observations, unordered. */
  async run(token: string, dueMs: readonly number[]): Promise<ObservedCall[]> {
    const startedMs = performance.now();
    return await Promise.all(
      dueMs.map(async (due) => {
        await wait(Math.max(0, startedMs + due - performance.now()));
        return await this.send(token);
      }),
    );
  }

  /** Sends one call, without `port` to the next gateway. */
  send(token: string, port = this.#nextPort()): Promise<ObservedCall> {
    const headers = { authorization: `Bearer ${token}` };
    return new Promise((resolve) => {
      const sentMs = performance.now();
      const end = (status: number): void => resolve({ sentMs, answeredMs: performance.now(), status });
      const sent = request({
        host: '127.0.0.1',
        port,
        path: PATH,
        agent: this.#agent,
        headers,
        timeout: LONGEST_ANSWER_MS,
      });
      sent.once('response', (response) => {
        response.resume();
        response.once('end', () => end(response.statusCode ?? 0));
        response.once('error', () => end(0));
      });
      sent.once('timeout', () => sent.destroy());
      sent.once('error', () => end(0));
      sent.end();
    });
  }

  #nextPort(): number | undefined {
    const port = this.ports[this.#sent % this.ports.length];
    this.#sent += 1;
    return port;
  }

  close(): void {
    this.#agent.destroy();
  }
}
