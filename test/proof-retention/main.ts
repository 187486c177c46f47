import { parseArgs } from 'node:util';
import { runRetention } from './proof.js';
import { reportOf } from './report.js';
import { startWorld } from './world.js';

/** `npm run proof:retention -- --rows 5000000 --rounds 10 --seconds 5`. Exits with 0 only if every bound holds. */

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});
const [rows = 0, rounds = 0, seconds = 0] = [values.rows, values.rounds, values.seconds].map(Number);
if (values.help || ![rows, rounds, seconds].every((number) => number > 0)) {
  console.log('npm run proof:retention -- [--rows N] [--rounds N] [--seconds N]');
  process.exit(values.help ? 0 : 2);
}

const world = await startWorld(rounds);
try {
  const run = await runRetention(world, { rows, rounds, windowMs: seconds * 1_000 }, (line) => console.log(line));
  const { lines, ...bounds } = reportOf(run);
  const isProven = Object.values(bounds).every(Boolean);
  console.log(`\n${lines.join('\n')}\n${isProven ? 'PROVEN' : 'NOT PROVEN'}`);
  process.exitCode = isProven ? 0 : 1;
} finally {
  await world.dispose();
}
