import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runFaults } from './faults.js';
import { runLimits } from './proof.js';
import { reportOf } from './report.js';
import { startWorld } from './world.js';

/** `npm run proof:limits -- --seed 1 --seconds 12 --gateways 1,3,5 --limits 10,60,600,3000,10000 --loads 0.9,1,1.5,2 --out limits.json`. */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '12' },
    gateways: { type: 'string', default: '1,3,5' },
    limits: { type: 'string', default: '10,60,600,3000,10000' },
    loads: { type: 'string', default: '0.9,1,1.5,2' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const list = (text: string): number[] => text.split(',').map(Number);
const options = {
  seed: Number(values.seed),
  seconds: Number(values.seconds),
  gateways: list(values.gateways),
  limits: list(values.limits),
  loads: list(values.loads),
};
const { gateways, limits, loads, seconds, seed } = options;
if (
  values.help ||
  !Number.isInteger(seed) ||
  ![seconds, ...gateways, ...limits, ...loads].every((number) => number > 0)
) {
  console.log(
    'npm run proof:limits -- [--seed N] [--seconds N] [--gateways N,N] [--limits N,N] [--loads N,N] [--out file.json]',
  );
  process.exit(values.help ? 0 : 2);
}

const tell = (line: string): void => console.log(line);
const world = await startWorld(Math.max(...gateways));
try {
  const runs = await runLimits(world, options, tell);
  const { isProven, lines, facts } = reportOf(runs, await runFaults(world, seed, tell));
  console.log(`\n${lines.join('\n')}`);
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify({ ...options, ...facts }, null, 2)}\n`);
  process.exitCode = isProven ? 0 : 1;
} finally {
  await world.dispose();
}
