import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import type { Drill, Drilled } from './faults.js';
import { savePages } from './pages.js';
import { startTraffic } from './traffic.js';
import { type Stage, startWorld, type World } from './world.js';

/** How long traffic runs, in seconds. */
export interface Lengths {
  readonly healthy: number;
  readonly faulty: number;
}

/** A stopped process serves 60 ms of every 260. */
const STALL = { stoppedMs: 200, runningMs: 60 };

/** Plays one drill and saves what an operator sees into `folder`. Returns when the fault began, epoch milliseconds. */
export async function play(
  stage: Stage,
  browser: Browser,
  drill: Drill,
  { healthy, faulty }: Lengths,
  folder: string,
): Promise<{ readonly since: number; readonly texts: Readonly<Record<string, string>> }> {
  const world = await startWorld(stage, drill);
  const traffic = startTraffic(world.client);
  try {
    await wait(healthy * 1_000);
    const since = Date.now();
    const end = begin(world, drill);
    await wait(faulty * 1_000);
    end();
    const texts = await savePages(browser, world, folder);
    const affected = Object.fromEntries(
      Object.entries(world.suppliers).map(([id, { affected: calls }]) => [id, Object.fromEntries(calls)]),
    );
    // Why a diagnosis is what it is, if it is wrong.
    const counts = await world.query(
      'select supplier_id, operation, minute, cause, bucket, sum(calls)::int as calls from supplier_calls group by 1, 2, 3, 4, 5 order by 1, 2, 3, 5',
    );
    writeFileSync(
      join(folder, '..', '..', 'truth', `${folder.split('/').at(-1)}.json`),
      `${JSON.stringify({ name: drill.name, since: new Date(since).toISOString(), seen: new Date().toISOString(), ...drill.truth, affected, counts }, null, 2)}\n`,
    );
    return { since, texts };
  } finally {
    await traffic.stop();
    await world.dispose();
  }
}

/** Lets the fault begin; returns what ends the part of it that would keep the pages from being read. */
function begin(world: World, { faults = {}, own }: Drill): () => void {
  for (const [id, list] of Object.entries(faults)) world.suppliers[id as Drilled].become(list);
  if (own && 'file' in own) world.change(own.supplier, own.file);
  if (!own || !('stall' in own)) return () => undefined;
  const stall = setInterval(() => {
    world.child.process.kill('SIGSTOP');
    setTimeout(() => world.child.process.kill('SIGCONT'), STALL.stoppedMs);
  }, STALL.stoppedMs + STALL.runningMs);
  return () => clearInterval(stall);
}
