import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { findBinary } from '../support/binaries.js';
import { type RedisRun, runCluster, runSentinels } from './proof.js';

/** `npm run proof:redis -- --rate 300 --kills 10 --reshards 3`: docs/cluster.md#redis. Exits with 1 if a goal isn't met. */

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '300' },
    kills: { type: 'string', default: '10' },
    reshards: { type: 'string', default: '3' },
    'node-timeout': { type: 'string', default: '500' },
    only: { type: 'string' },
  },
});
// A process that the system doesn't run can't answer within 50 ms: the gateway has one core, everything else the others.
const cores = availableParallelism();
const canPin = cores > 1 && findBinary('taskset') !== undefined;
if (canPin) execFileSync('taskset', ['-a', '-p', '-c', `1-${cores - 1}`, String(process.pid)]);
const options = {
  ...(canPin ? { gatewayCore: 0 } : {}),
  perSecond: Number(values.rate),
  kills: Number(values.kills),
  reshards: Number(values.reshards),
  warmUpCalls: 3_000,
  nodeTimeoutMs: Number(values['node-timeout']),
};

const runs: RedisRun[] = [];
if (values.only !== 'sentinel') runs.push(await runCluster(options));
if (values.only !== 'cluster') runs.push(await runSentinels(options));
for (const {
  verdicts,
  calls,
  strange,
  overAdmitted,
  usualReadyMs,
  slowestReadyMs,
  slowestReadyAtMs,
  observerDelayMs,
  end,
} of runs) {
  for (const { name, failed, unaffected, outageMs, promotedMs, falselyReadyMs } of verdicts) {
    const promoted = promotedMs === undefined ? '' : ` (a replica was the master after ${Math.round(promotedMs)} ms)`;
    console.log(
      `${name}: ${failed} calls 503 for ${Math.round(outageMs)} ms${promoted}, of other accounts: ${unaffected}; falsely ready: ${Math.round(falselyReadyMs)} ms`,
    );
  }
  console.log(
    `${calls} calls, other answers: ${JSON.stringify(strange)}, 503 after the last one: ${end.failed}, admitted too often: ${overAdmitted}, 99 of 100 answers of /health/ready within ${Math.round(usualReadyMs)} ms, the slowest ${Math.round(slowestReadyMs)} ms, after ${(slowestReadyAtMs / 1_000).toFixed(1)} s (own delay of who asked: ${Math.round(observerDelayMs)} ms)\n`,
  );
}
const isProven = runs.every((run) => run.isProven);
console.log(isProven ? 'PROVEN' : 'NOT PROVEN');
process.exit(isProven ? 0 : 1);
