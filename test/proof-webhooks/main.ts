import { parseArgs } from 'node:util';
import { runWebhooks } from './proof.js';
import { startWorld } from './world.js';

/** `npm run proof:webhooks -- --events 10000 --kills 20`. Exits with 0 only if every event arrived, in order and in time. */

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
});
const [events = 0, kills = 0] = [values.events, values.kills].map(Number);
if (values.help || !(events >= 10) || !(kills >= 0)) {
  console.log('npm run proof:webhooks -- [--events N] [--kills N]');
  process.exit(values.help ? 0 : 2);
}

const world = await startWorld();
try {
  const plan = { events, kills, calmMs: 20_000, tell: (line: string) => console.log(line) };
  const { isProven, lines } = await runWebhooks(world, plan);
  console.log(`\n${lines.join('\n')}\n${isProven ? 'PROVEN' : 'NOT PROVEN'}`);
  process.exitCode = isProven ? 0 : 1;
} finally {
  await world.dispose();
}
