import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isProven } from './judge.js';
import { runProof } from './proof.js';
import { matrixOf, reportLines } from './report.js';

/** `npm run proof:booking -- --bookings 10000 --seed 1 --kills 40 --restarts 4 --out proof.json`. Exit code 0 only when it is proven. */

const { values } = parseArgs({
  options: {
    bookings: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    kills: { type: 'string', default: '40' },
    restarts: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '32' },
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
  console.log('npm run proof:booking -- [--bookings N] [--seed N] [--kills N] [--restarts N] [--concurrency N] [--out file.json]');
  process.exit(values.help ? 0 : 2);
}

const result = await runProof({ bookings, seed, kills, databaseRestarts, concurrency, tell: (line) => console.log(line) });
console.log(`\n${reportLines(result).join('\n')}`);
const { verdict, evidence, strikes, seconds, clearingSeconds, replays, lostConnections, log } = result;
if (values.out !== undefined) {
  const counts = Object.fromEntries(
    (['doubled', 'lost', 'wronglyFinal', 'unresolved'] as const).map((name) => [name, verdict[name].length]),
  );
  const facts = { bookings, seed, concurrency, counts, seconds, clearingSeconds, replays, lostConnections, strikes };
  writeFileSync(values.out, `${JSON.stringify({ ...facts, ...verdict, matrix: matrixOf(evidence) }, null, 2)}\n`);
  // What is found must be explained: the gateways' errors and everything it was judged by.
  if (!isProven(verdict)) {
    writeFileSync(`${values.out}.log`, log);
    writeFileSync(`${values.out}.evidence.json`, JSON.stringify(evidence));
  }
}
process.exitCode = isProven(verdict) ? 0 : 1;
