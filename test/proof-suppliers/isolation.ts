import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../support/client.js';
import { vehiclesPath } from '../support/rental.js';
import type { SuppliersWorld } from './world.js';

/** How long the other suppliers take while one hangs, beside while none does. */
export interface Isolation {
  readonly hanging: string;
  /** 99th percentile of the others' own times, median over the rounds, milliseconds. */
  readonly calmP99Ms: number;
  readonly hangingP99Ms: number;
  readonly ratio: number;
}

const ROUNDS = 3;
/** A rate that the simulators bear on two cores: their own queues would be taken for the gateway's. */
const PER_SECOND = 10;
const ROUND_REQUESTS = 50;

/** Searches at a fixed rate, in rounds with and without a supplier that never answers, turn by turn so that a busy machine hits both. */
export async function runIsolation({ suppliers, client: newClient }: SuppliersWorld, tell: (line: string) => void): Promise<Isolation> {
  const hanging = suppliers[0]?.id ?? '';
  const client = await newClient();
  const calm: number[] = [];
  const hung: number[] = [];
  try {
    await roundP99(client, hanging, 'ok');
    for (let round = 0; round < ROUNDS; round += 1) {
      calm.push(await roundP99(client, hanging, 'ok'));
      hung.push(await roundP99(client, hanging, 'timeout'));
    }
  } finally {
    client.close();
  }
  tell(`p99 of the others, ms: calm ${calm.map(Math.round).join(', ')}; ${hanging} hanging ${hung.map(Math.round).join(', ')}`);
  const [calmP99Ms, hangingP99Ms] = [median(calm), median(hung)];
  return { hanging, calmP99Ms, hangingP99Ms, ratio: hangingP99Ms / calmP99Ms };
}

/** Each search is sent when it is due, whatever became of those before it (open loop). */
async function roundP99(client: Client, hanging: string, verb: string): Promise<number> {
  const headers = { 'x-sandbox-scenario': `${hanging}=${verb}` };
  const begun = performance.now();
  const asked = Array.from({ length: ROUND_REQUESTS }, async (_, at) => {
    await wait(Math.max(0, begun + (at * 1_000) / PER_SECOND - performance.now()));
    // No two alike: the gateway makes equal searches under way at once only once.
    const answer = await client.get(vehiclesPath({ age: String(25 + (at % 50)), max_results: '1' }), { headers });
    if (answer.status !== 200 && answer.status !== 206) throw new Error(`a search is answered ${answer.status}: ${answer.text}`);
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
