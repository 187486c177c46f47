import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../support/client.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import type { Held } from './prober.js';
import type { SuppliersWorld } from './world.js';

/** What the gateway process held before and after calls that all timed out. */
export interface LeakRun {
  /** Supplier calls that timed out, as counted by the gateway. */
  readonly calls: number;
  readonly seconds: number;
  readonly before: Held;
  readonly after: Held;
}

const CONCURRENCY = 32;
/** Enough that code is compiled and pools have reached their size. */
const WARM_UP_CALLS = 3_000;
const PATIENCE_MS = 10_000;

/**
 * Makes every supplier hang for this many calls. Rejects if any answer is neither a timeout of all suppliers nor the
 * refusal of an overloaded gateway.
 */
export async function runLeaks(world: SuppliersWorld, calls: number, tell: (line: string) => void): Promise<LeakRun> {
  await openSessions(world);
  world.hang(world.suppliers.map(({ id }) => id));
  await timeOut(world, Math.min(WARM_UP_CALLS, calls), tell);
  const before = await settled(world);
  const [countBefore, begun] = [await timedOut(world), performance.now()];
  await timeOut(world, calls, tell);
  const seconds = (performance.now() - begun) / 1_000;
  return { calls: (await timedOut(world)) - countBefore, seconds, before, after: await settled(world, before) };
}

/** The search must hang, not the token call that it needs. Only abg has sessions; the others may be late here. */
async function openSessions(world: SuppliersWorld): Promise<void> {
  const client = await world.client();
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const { status, errors } = await client.get(locationsPath('BOS'));
    if (status < 300 && !errors.some(({ supplier }) => supplier === 'abg')) break;
    if (performance.now() > end) throw new Error('abg does not open a session');
  }
  client.close();
}

async function timeOut(world: SuppliersWorld, calls: number, tell: (line: string) => void): Promise<void> {
  const target = (await timedOut(world)) + calls;
  const client = await world.client();
  let sent = 0;
  let isEnough = false;
  const work = async (): Promise<void> => {
    while (!isEnough) {
      sent += 1;
      await hang(client, sent);
    }
  };
  const watch = async (): Promise<void> => {
    for (let told = 0; !isEnough; await wait(250)) {
      const count = await timedOut(world);
      isEnough = count >= target;
      if (performance.now() - told > 10_000) {
        told = performance.now();
        tell(`${calls - Math.max(0, target - count)} of ${calls} calls timed out`);
      }
    }
  };
  try {
    await Promise.all([watch(), ...Array.from({ length: CONCURRENCY }, work)]);
  } finally {
    isEnough = true;
    client.close();
  }
}

async function hang(client: Client, index: number): Promise<void> {
  const days = 30 + (index % 200);
  const path = vehiclesPath({
    pickup_date: dayAhead(days),
    dropoff_date: dayAhead(days + 3),
    age: String(25 + (index % 50)),
  });
  const answer = await client.get(path);
  // On a busy machine the gateway may refuse a search. Only calls that timed out are counted.
  if (answer.errors[0]?.cause === 'gateway_overloaded') return wait(100);
  if (answer.status !== 500 || !answer.missing.every((entry) => entry.endsWith(' timeout')))
    throw new Error(answer.text);
}

/** Calls that have timed out so far, over all suppliers. */
async function timedOut({ gateway }: SuppliersWorld): Promise<number> {
  const text = await gateway.metrics();
  const counts = text.matchAll(/^forecourt_supplier_seconds_count\{(?=[^}]*outcome="timeout")[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/**
 * What is held once callers have disconnected and the count is stable; with `before`, as soon as it is at most
 * `before`, or after the time limit.
 */
async function settled(world: SuppliersWorld, before?: Held): Promise<Held> {
  const until = performance.now() + PATIENCE_MS;
  for (let last = await world.probe(); ; ) {
    await wait(500);
    const now = await world.probe();
    const isCalm = before ? isWithin(now, before) : isWithin(last, now);
    if (isCalm || performance.now() > until) return now;
    last = now;
  }
}

function isWithin(held: Held, most: Held): boolean {
  return held.sockets <= most.sockets && held.timers <= most.timers;
}
