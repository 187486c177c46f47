import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isProven } from './judge.js';
import { runProof } from './proof.js';
import { factsOf, reportLines } from './report.js';
import { startWorld } from './world.js';

/**
 * `npm run proof:booking -- --bookings 10000 --seed 1 --kills 40 --restarts 4 --out proof.json`. Exits with 0 only if
 * the proof succeeds.
 */

const { values } = parseArgs({
  options: {
    bookings: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    kills: { type: 'string', default: '40' },
    restarts: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '64' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [bookings = 0, seed = 0, kills = 0, databaseRestarts = 0, concurrency = 0] = [
  values.bookings,
  values.seed,
  values.kills,
  values.restarts,
  values.concurrency,
].map(Number);
if (values.help || !(bookings > 0) || !(concurrency > 0) || ![seed, kills, databaseRestarts].every(Number.isInteger)) {
  console.log(
    'npm run proof:booking -- [--bookings N] [--seed N] [--kills N] [--restarts N] [--concurrency N] [--out file.json]',
  );
  process.exit(values.help ? 0 : 2);
}

const world = await startWorld();
try {
  const result = await runProof(world, {
    bookings,
    seed,
    kills,
    databaseRestarts,
    concurrency,
    tell: (line) => console.log(line),
  });
  console.log(`\n${reportLines(result).join('\n')}`);
  const proven = isProven(result.verdict);
  if (values.out !== undefined) {
    writeFileSync(
      values.out,
      `${JSON.stringify({ bookings, seed, kills, databaseRestarts, concurrency, ...factsOf(result) }, null, 2)}\n`,
    );
    // Findings must be explainable: print all the evidence and the gateways' errors.
    if (!proven) {
      writeFileSync(`${values.out}.evidence.json`, JSON.stringify(result.evidence));
      writeFileSync(`${values.out}.log`, world.gateways.map((gateway) => gateway.output()).join('\n'));
    }
  }
  process.exitCode = proven ? 0 : 1;
} finally {
  await world.dispose();
}
