import { parseArgs } from 'node:util';
import { type RedisRun, runCluster, runSentinels } from './proof.js';

/** `npm run proof:redis -- --rate 300 --kills 10 --reshards 3`: docs/deployment.md#redis. Exits with 1 if a goal isn't met. */

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '300' },
    kills: { type: 'string', default: '10' },
    reshards: { type: 'string', default: '3' },
    'node-timeout': { type: 'string', default: '1000' },
    only: { type: 'string' },
  },
});
const options = {
  perSecond: Number(values.rate),
  kills: Number(values.kills),
  reshards: Number(values.reshards),
  nodeTimeoutMs: Number(values['node-timeout']),
};

const runs: RedisRun[] = [];
if (values.only !== 'sentinel') runs.push(await runCluster(options));
if (values.only !== 'cluster') runs.push(await runSentinels(options));
for (const { verdicts, calls, strange, overAdmitted, slowestReadyMs, slowestReadyAtMs, observerDelayMs, end } of runs) {
  for (const { name, failed, unaffected, outageMs, promotedMs, falselyReadyMs } of verdicts) {
    const promoted = promotedMs === undefined ? '' : ` (a replica was the master after ${Math.round(promotedMs)} ms)`;
    console.log(
      `${name}: ${failed} calls 503 for ${Math.round(outageMs)} ms${promoted}, of other accounts: ${unaffected}; falsely ready: ${Math.round(falselyReadyMs)} ms`,
    );
  }
  console.log(
    `${calls} calls, other answers: ${JSON.stringify(strange)}, 503 after the last one: ${end.failed}, admitted too often: ${overAdmitted}, slowest readiness: ${Math.round(slowestReadyMs)} ms, after ${(slowestReadyAtMs / 1_000).toFixed(1)} s (own delay of who asked: ${Math.round(observerDelayMs)} ms)\n`,
  );
}
const isProven = runs.every((run) => run.isProven);
console.log(isProven ? 'PROVEN' : 'NOT PROVEN');
process.exit(isProven ? 0 : 1);
