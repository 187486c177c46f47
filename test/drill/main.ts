import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startBrowser } from '../support/browser.js';
import { type Drill, FURTHER, TEN } from './faults.js';
import { play } from './play.js';
import { startStage } from './world.js';

/** `npm run drill -- --out folder`: see docs/operations-console.md. */

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string' },
    healthy: { type: 'string', default: '75' },
    faulty: { type: 'string', default: '80' },
    parallel: { type: 'string', default: '1' },
    further: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [healthy = 0, faulty = 0, parallel = 0] = [values.healthy, values.faulty, values.parallel].map(Number);
if (values.help || values.out === undefined || !(healthy > 0) || !(faulty > 0) || !(parallel >= 1)) {
  console.log('npm run drill -- --out folder [--only hang,tls] [--further] [--healthy s] [--faulty s] [--parallel n]');
  process.exit(values.help ? 0 : 2);
}
const out = resolve(values.out);
const wanted = values.only?.split(',');
const drills = (values.further ? [...TEN, ...FURTHER] : wanted ? [...TEN, ...FURTHER] : TEN).filter(
  ({ name }) => wanted?.includes(name) ?? true,
);
mkdirSync(join(out, 'truth'), { recursive: true });
const stage = await startStage();
const browser = await startBrowser();
// The names of the folders don't reveal the fault.
const queue = drills.map((drill) => ({ drill, order: Math.random() })).sort((one, other) => one.order - other.order);
const earlier = Math.max(0, ...readdirSync(join(out, 'truth')).map((name) => Number(/\d+/.exec(name)?.[0] ?? 0)));
const numbered = queue.map(({ drill }, index) => ({
  drill,
  name: `case-${String(earlier + index + 1).padStart(2, '0')}`,
}));
let failed = 0;
const work = async (): Promise<void> => {
  for (let next = numbered.shift(); next; next = numbered.shift()) {
    const { drill, name } = next as { drill: Drill; name: string };
    try {
      const { since } = await play(stage, browser, drill, { healthy, faulty }, join(out, 'pages', name));
      console.log(`${name} ${drill.name}: since ${new Date(since).toISOString()}`);
    } catch (error) {
      failed += 1;
      console.log(`${name} ${drill.name}: NOT PLAYED: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
};
try {
  await Promise.all(Array.from({ length: parallel }, work));
} finally {
  await browser.close();
  await stage.dispose();
}
process.exitCode = failed === 0 ? 0 : 1;
