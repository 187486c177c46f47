import { parseArgs } from 'node:util';
import { previousBuild } from './previous-build.js';
import { runRolling } from './proof.js';
import { startWorld } from './world.js';

/** `npm run proof:rolling -- --requests 20000`. Exits with 0 only if no request failed and no booking was lost or doubled. */

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '20000' }, help: { type: 'boolean', default: false } },
});
const requests = Number(values.requests);
if (values.help || !(requests > 0)) {
  console.log('npm run proof:rolling -- [--requests N]');
  process.exit(values.help ? 0 : 2);
}

const previous = await previousBuild();
console.log(`The previous release is built in ${previous}.`);
const world = await startWorld(previous);
try {
  const run = await runRolling(world, previous, requests, (line) => console.log(line));
  const isProven = run.failed.length + run.lost.length + run.doubled.length === 0;
  console.log(
    `\n${run.failed.length} failed requests of ${run.requests}, ${run.repeated} repeated; ${run.lost.length} lost and ${run.doubled.length} doubled of ${run.bookings} bookings`,
  );
  for (const line of [...run.failed, ...run.lost, ...run.doubled].slice(0, 20)) console.log(line);
  console.log(isProven ? 'PROVEN' : 'NOT PROVEN');
  process.exitCode = isProven ? 0 : 1;
} finally {
  await world.dispose();
}
