import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isProven } from './judge.js';
import { type ProofOptions, runProof } from './proof.js';
import { factsOf, reportLines } from './report.js';
import { startWorld, type WorldOptions } from './world.js';

/**
 * `npm run proof:booking -- --bookings 10000 --seed 1 --out proof.json`, and the number of each strike; then the same
 * with one gateway on PGlite. Exits with 0 only if both succeed.
 */

const COUNTS = {
  bookings: '10000',
  seed: '1',
  kills: '40',
  restarts: '4',
  disks: '4',
  clocks: '12',
  pauses: '8',
  restores: '2',
  concurrency: '64',
  pglite: '200',
} as const;
type Count = keyof typeof COUNTS;

const { values } = parseArgs({
  options: {
    ...(Object.fromEntries(
      Object.entries(COUNTS).map(([name, value]) => [name, { type: 'string', default: value }]),
    ) as Record<Count, { type: 'string'; default: string }>),
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const count = (name: Count): number => Number(values[name]);
const isValid = (Object.keys(COUNTS) as Count[]).every((name) => Number.isInteger(count(name)) && count(name) >= 0);
if (values.help || !isValid || count('bookings') === 0 || count('concurrency') === 0) {
  const flags = Object.keys(COUNTS).map((name) => `[--${name} N]`);
  console.log(`npm run proof:booking -- ${flags.join(' ')} [--out file.json]`);
  process.exit(values.help ? 0 : 2);
}

const tell = (line: string): void => console.log(line);
const isProvenWithPostgres = await prove({}, values.out, {
  bookings: count('bookings'),
  seed: count('seed'),
  strikes: {
    kills: count('kills'),
    databaseRestarts: count('restarts'),
    fullDisks: count('disks'),
    clockSteps: count('clocks'),
    pauses: count('pauses'),
    restores: count('restores'),
  },
  longPauses: true,
  concurrency: count('concurrency'),
  tell,
});
const isProvenWithPglite =
  count('pglite') === 0 ||
  (await prove({ database: 'pglite' }, values.out && `${values.out}.pglite.json`, {
    bookings: count('pglite'),
    seed: count('seed'),
    strikes: { kills: 4, databaseRestarts: 0, fullDisks: 0, clockSteps: 0, pauses: 1, restores: 0 },
    concurrency: 16,
    tell,
  }));
process.exitCode = isProvenWithPostgres && isProvenWithPglite ? 0 : 1;

/** Runs one proof, prints its report, writes it to `out`, and returns whether it succeeded. */
async function prove(worldOptions: WorldOptions, out: string | undefined, options: ProofOptions): Promise<boolean> {
  console.log(`\n${worldOptions.database === 'pglite' ? 'one gateway on PGlite' : 'two gateways on PostgreSQL'}`);
  const world = await startWorld(worldOptions);
  try {
    const result = await runProof(world, options);
    console.log(`\n${reportLines(result).join('\n')}`);
    const proven = isProven(result.verdict);
    if (out !== undefined) {
      writeFileSync(out, `${JSON.stringify({ ...options, ...factsOf(result) }, null, 2)}\n`);
      // Findings must be explainable: print all the evidence and the gateways' errors.
      if (!proven) {
        writeFileSync(`${out}.evidence.json`, JSON.stringify(result.evidence));
        writeFileSync(`${out}.log`, world.gateways.map((gateway) => gateway.output()).join('\n'));
      }
    }
    return proven;
  } finally {
    await world.dispose();
  }
}
