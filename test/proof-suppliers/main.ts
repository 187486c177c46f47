import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runProof } from './proof.js';
import { isProven, judge, reportLines } from './report.js';

/** `npm run proof:suppliers -- --calls 100000 --out suppliers.json`. Exits with 0 only if the proof succeeds. */

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '100000' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const calls = Number(values.calls);
if (values.help || !(calls > 0)) {
  console.log('npm run proof:suppliers -- [--calls N] [--out file.json]');
  process.exit(values.help ? 0 : 2);
}

const evidence = await runProof(calls, (line) => console.log(line));
const verdict = judge(evidence);
console.log(`\n${reportLines(evidence).join('\n')}`);
if (values.out !== undefined)
  writeFileSync(values.out, `${JSON.stringify({ calls, verdict, ...evidence }, null, 2)}\n`);
process.exitCode = isProven(verdict) ? 0 : 1;
