import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startWorld } from '../proof/world.js';
import { startPostgresPair } from '../support/postgres-pair.js';
import { runFailovers } from './proof.js';
import { reportOf } from './report.js';

/**
 * `npm run proof:failover -- --kills 30 --detect-ms 3000`: docs/cluster.md#postgresql-with-a-standby. Exits with 1 if it is
 * not proven. `--without-standby` shows that the judge finds what is lost: then it must not be.
 */

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '12' },
    'detect-ms': { type: 'string', default: '3000' },
    'quiet-ms': { type: 'string', default: '20000' },
    'without-standby': { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});

const pair = await startPostgresPair({ isSynchronous: !values['without-standby'] });
const world = await startWorld({ database: pair });
try {
  const run = await runFailovers(world, pair, {
    kills: Number(values.kills),
    seed: Number(values.seed),
    concurrency: Number(values.concurrency),
    detectMs: Number(values['detect-ms']),
    calmMs: 2_000,
    quietMs: Number(values['quiet-ms']),
    withoutStandby: values['without-standby'],
    tell: (line) => console.log(line),
  });
  const { isProven, lines, facts } = reportOf(run);
  console.log(`\n${lines.join('\n')}`);
  if (values.out !== undefined) {
    writeFileSync(values.out, `${JSON.stringify({ ...values, ...facts, ...run.verdict }, null, 2)}\n`);
    if (!isProven) {
      writeFileSync(`${values.out}.evidence.json`, JSON.stringify(run));
      writeFileSync(`${values.out}.log`, world.gateways.map((gateway) => gateway.output()).join('\n'));
    }
  }
  process.exitCode = isProven ? 0 : 1;
} finally {
  await world.dispose();
  await pair.dispose();
}
