import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../support/client.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { FEW_CARS, type SuppliersWorld } from './world.js';

/** How long the other suppliers take while one hangs, compared with while none does. */
export interface Isolation {
  readonly hanging: string;
  /** When the hanging supplier is given up, in milliseconds: every call that waits for it takes this long. */
  readonly deadlineMs: number;
  /** How many rounds of each kind were measured. */
  readonly rounds: number;
  /** 99th percentile of the others' own times per round, median over the rounds, in milliseconds. */
  readonly calmP99Ms: number;
  readonly hangingP99Ms: number;
  readonly ratio: number;
}

/**
 * A call that shares sockets or the process with a hanging supplier waits for that supplier's deadline; one that shares
 * a queue waits as long as the queue allows. With one bulkhead for all suppliers the ratio is 2 to 3. A busy machine
 * can raise a percentile by half.
 */
const MOST_RATIO = 1.5;

const LEAST_ROUNDS = 3;
/** A momentarily busy machine is measured again; a supplier that slows the others does so in every round. */
const MOST_ROUNDS = 12;
/** A rate that the simulators can serve on two cores: their own queues would be mistaken for the gateway's. */
const PER_SECOND = 10;
const ROUND_REQUESTS = 30;
/** Multiples of it modulo 1 are spread evenly. */
const GOLDEN = 0.618034;

/** Whether a hanging supplier slows the others, or they are too slow for an effect to be visible. */
export function isSlowed({ ratio, calmP99Ms, deadlineMs }: Isolation): boolean {
  return !(ratio <= MOST_RATIO && calmP99Ms * MOST_RATIO < deadlineMs);
}

/**
 * Searches at a fixed rate, alternating rounds with and without a hanging supplier so that a busy machine affects both.
 */
export async function runIsolation(world: SuppliersWorld, tell: (line: string) => void): Promise<Isolation> {
  const [first] = world.suppliers;
  if (!first) throw new Error('there is no supplier to hang');
  const { id: hanging, timeoutMs } = first;
  const client = await world.client();
  const calm: number[] = [];
  const hung: number[] = [];
  try {
    await roundP99(client, hanging);
    for (;;) {
      calm.push(await roundP99(client, hanging));
      world.hang([hanging]);
      hung.push(await roundP99(client, hanging));
      world.hang([]);
      tell(`p99 of the others, ms: ${calm.at(-1)?.toFixed(0)}, with ${hanging} hanging ${hung.at(-1)?.toFixed(0)}`);
      const found = isolationOf(hanging, timeoutMs.searchVehicles, calm, hung);
      if (found.rounds >= MOST_ROUNDS || (found.rounds >= LEAST_ROUNDS && !isSlowed(found))) return found;
    }
  } finally {
    client.close();
  }
}

function isolationOf(hanging: string, deadlineMs: number, calm: readonly number[], hung: readonly number[]): Isolation {
  const [calmP99Ms, hangingP99Ms] = [median(calm), median(hung)];
  return { hanging, deadlineMs, rounds: calm.length, calmP99Ms, hangingP99Ms, ratio: hangingP99Ms / calmP99Ms };
}

/**
 * Sends each search when it is due, whether or not earlier ones were answered (open loop); one without an answer counts
 * as its full time.
 */
async function roundP99(client: Client, hanging: string): Promise<number> {
  const begun = performance.now();
  const asked = Array.from({ length: ROUND_REQUESTS }, async (_, at) => {
    // Never in step with the deadline: otherwise each given-up call would coincide with a new search.
    const due = (at + ((at * GOLDEN) % 1)) / PER_SECOND;
    await wait(Math.max(0, begun + due * 1_000 - performance.now()));
    // No two alike: the gateway runs identical concurrent searches only once.
    const answer = await client.get(
      vehiclesPath({ ...FEW_CARS, pickup_date: dayAhead(30 + at), dropoff_date: dayAhead(33 + at) }),
    );
    if (answer.status !== 200 && answer.status !== 206) return [answer.ms];
    return answer.body.suppliers.filter(({ supplier }) => supplier !== hanging).map(({ duration_ms }) => duration_ms);
  });
  return percentile99((await Promise.all(asked)).flat());
}

function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
