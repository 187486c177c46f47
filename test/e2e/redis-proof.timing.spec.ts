import { type RedisRun, runCluster, runSentinels } from '../proof-redis/proof.js';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';

const OPTIONS = { perSecond: 100, kills: 1, reshards: 1, nodeTimeoutMs: 1_000 } as const;

/** What must hold on any machine; the long proof also holds the times to their limits. */
function factsOf({ strange, verdicts, overAdmitted, end }: RedisRun): object {
  const unaffected = verdicts.reduce((sum, verdict) => sum + verdict.unaffected, 0);
  return { strange, overAdmitted, unaffected, servesAgain: end.served > end.failed };
}

const GOOD = { strange: {}, overAdmitted: 0, unaffected: 0, servesAgain: true };

describeWith(
  'redis-server',
  'redis-cli',
  'initdb',
)('the short proof of Redis (npm run proof:redis)', () => {
  claim(
    ['operation', 'V16.5.2'],
    'If a master of a Redis Cluster is killed or slots move, only calls of its accounts get 503, until a replica is the master, and no caller sees an answer of Redis.',
    async () => {
      expect(factsOf(await runCluster(OPTIONS))).toEqual(GOOD);
    },
    120_000,
  );

  claim(
    ['operation', 'V16.5.2'],
    'If the master that Sentinels watch is killed, calls get 503 until the gateway has found the new one.',
    async () => {
      expect(factsOf(await runSentinels(OPTIONS))).toEqual(GOOD);
    },
    120_000,
  );
});
