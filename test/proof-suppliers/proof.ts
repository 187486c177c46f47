import { runIsolation } from './isolation.js';
import { runLeaks } from './leaks.js';
import { runMatrix } from './matrix.js';
import type { Evidence } from './report.js';
import { type SuppliersWorld, startWorld } from './world.js';

/** Long enough for a simulator on a busy machine, short enough to wait for thousands of times. */
const PATIENT = { readMs: 800, writeMs: 1_200 };
const HASTY = { readMs: 100, writeMs: 100 };

/** Gathers the evidence over two worlds of their own, the second with short timeouts for the `calls` that time out. Rejects when it cannot be made. */
export async function runProof(calls: number, tell: (line: string) => void): Promise<Evidence> {
  const [rows, isolation] = await within(
    PATIENT,
    async (world) => [await runMatrix(world, tell), await runIsolation(world, tell)] as const,
  );
  const leaks = await within(HASTY, (world) => runLeaks(world, calls, tell));
  return { rows, isolation, leaks };
}

async function within<T>(timeouts: Parameters<typeof startWorld>[0], work: (world: SuppliersWorld) => Promise<T>): Promise<T> {
  const world = await startWorld(timeouts);
  try {
    return await work(world);
  } finally {
    await world.dispose();
  }
}
