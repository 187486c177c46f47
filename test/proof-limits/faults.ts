import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { hashText } from '../../src/simulators/random.js';
import type { LimitRate } from '../../src/store/gcra.js';
import { ADMITTED, type FaultRun, type ObservedCall, type Phase } from './evidence.js';
import { LoadClient, paced } from './load.js';
import { applicationOf } from './proof.js';
import { type LimitsWorld, tokenOf } from './world.js';

const RATE: LimitRate = { perMinute: 1_200, burst: 20 };
const LOAD = 1.5;
const SERVED = [ADMITTED, 429];
const BACK_WITHIN_MS = 20_000;

/**
 * Under load, Redis loses its scripts three times, is flushed, and is stopped and restarted empty; tokens are restored
 * after each loss. Each phase lasts `phaseMs`.
 */
export async function runFaults(
  world: LimitsWorld,
  seed: number,
  tell: (line: string) => void,
  phaseMs = 1_500,
): Promise<FaultRun> {
  const client = new LoadClient(world.ports);
  const policy = applicationOf('faults', { application: RATE });
  const token = tokenOf(policy);
  const phases: Phase[] = [];
  const lossesMs: number[] = [];
  const during = async (
    name: string,
    statuses: readonly number[],
    work: () => Promise<unknown> = () => wait(phaseMs),
  ): Promise<void> => {
    tell(`Redis: ${name}`);
    const fromMs = performance.now();
    await work();
    phases.push({ name, fromMs, toMs: performance.now(), statuses });
  };
  await world.put(policy, token);
  const load = new EndlessLoad(client, token, seed);
  await during('available', SERVED);
  await during('scripts lost', SERVED, () => loseScripts(world.redis.url, phaseMs));
  await run(world.redis.url, (redis) => redis.flushall());
  lossesMs.push(performance.now());
  await during('data lost', [401]);
  await world.put(policy, token);
  await during('tokens put back', SERVED);
  await world.redis.stop();
  await during('unavailable', [503]);
  lossesMs.push(performance.now());
  await world.redis.start();
  await untilReached(client, token, world.ports);
  await during('started again, empty', [401]);
  await putAgain(() => world.put(policy, token));
  await during('tokens put back again', SERVED);
  const calls = await load.end();
  client.close();
  return { rate: RATE, phases, lossesMs, calls, gatewaysStarted: world.ports.length, gatewaysAlive: world.alive() };
}

/** Calls once per second until it is stopped. */
class EndlessLoad {
  #over = false;
  readonly #calls: Promise<ObservedCall[]>;

  constructor(client: LoadClient, token: string, seed: number) {
    this.#calls = this.#run(client, token, seed);
  }

  end(): Promise<ObservedCall[]> {
    this.#over = true;
    return this.#calls;
  }

  async #run(client: LoadClient, token: string, seed: number): Promise<ObservedCall[]> {
    const calls: Promise<ObservedCall[]>[] = [];
    for (let second = 0; !this.#over; second += 1) {
      const due = paced(RATE, LOAD, 1, hashText(seed, `faults ${second}`));
      calls.push(client.run(token, due));
      await wait(1_000);
    }
    return (await Promise.all(calls)).flat();
  }
}

async function loseScripts(url: string, phaseMs: number): Promise<void> {
  for (let time = 0; time < 3; time += 1) {
    await run(url, (redis) => redis.script('FLUSH'));
    await wait(phaseMs / 3);
  }
}

async function run(url: string, work: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis(url);
  await work(redis);
  redis.disconnect();
}

/**
 * Waits until every gateway has answered with a working store. Each is asked itself, because the load takes turns as well: of
 * answers in turn, all may be those of the other gateways.
 */
export async function untilReached(client: LoadClient, token: string, ports: readonly number[]): Promise<void> {
  const endMs = performance.now() + BACK_WITHIN_MS;
  for (const port of ports)
    while ((await client.send(token, port)).status === 503 && performance.now() < endMs) await wait(10);
}

async function putAgain(put: () => Promise<void>): Promise<void> {
  for (const endMs = performance.now() + BACK_WITHIN_MS; ; ) {
    try {
      return await put();
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await wait(50);
    }
  }
}
