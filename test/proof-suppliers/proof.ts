import { rmSync } from 'node:fs';
import { migratedFolder } from '../support/migrated-folder.js';
import { runIsolation } from './isolation.js';
import { runLeaks } from './leaks.js';
import { runMatrix } from './matrix.js';
import type { Evidence } from './report.js';
import { type SuppliersWorld, type SuppliersWorldOptions, startWorld } from './world.js';

/** Long enough for a simulator on a busy machine. So few sockets that a hanging supplier occupies all of its own. */
const PATIENT = { readMs: 800, writeMs: 1_200, connections: 24 };
/** Short enough to wait for thousands of times, with one socket for each concurrent hanging call. */
const HASTY = { readMs: 100, writeMs: 100, connections: 128 };

/**
 * Gathers the evidence in two worlds, the second with short timeouts for the `calls` that time out. Rejects if it
 * cannot be gathered.
 */
export async function runProof(calls: number, tell: (line: string) => void): Promise<Evidence> {
  const dataFolder = await migratedFolder();
  try {
    const [rows, isolation] = await within(
      { ...PATIENT, dataFolder },
      async (world) => [await runMatrix(world, tell), await runIsolation(world, tell)] as const,
    );
    const leaks = await within({ ...HASTY, dataFolder }, (world) => runLeaks(world, calls, tell));
    return { rows, isolation, leaks };
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function within<T>(options: SuppliersWorldOptions, work: (world: SuppliersWorld) => Promise<T>): Promise<T> {
  const world = await startWorld(options);
  try {
    return await work(world);
  } finally {
    await world.dispose();
  }
}
