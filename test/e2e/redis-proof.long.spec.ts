import { type RedisRun, runCluster, runSentinels } from '../proof-redis/proof.js';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';

// No time is judged, so nothing is warmed up.
const OPTIONS = { perSecond: 50, kills: 1, reshards: 1, nodeTimeoutMs: 2_000, warmUpCalls: 0 } as const;

/**
 * What must hold on any machine. The long proof also holds the times to their limits, and 503 to the accounts of the killed
 * master: on a busy machine, Redis may take another master for failed as well.
 */
function factsOf({ strange, overAdmitted, end }: RedisRun): object {
  return { strange, overAdmitted, servesAgain: end.served > end.failed };
}

const GOOD = { strange: {}, overAdmitted: 0, servesAgain: true };

describeWith(
  'redis-server',
  'redis-cli',
  'initdb',
)('the short proof of Redis (npm run proof:redis)', () => {
  claim(
    ['operation', 'V16.5.2'],
    'If a master of a Redis Cluster is killed or slots move, calls get 503 until a replica is the master, then all are served, and no caller sees an answer of Redis.',
    async () => {
      expect(factsOf(await runCluster(OPTIONS))).toEqual(GOOD);
    },
    240_000,
  );

  claim(
    ['operation', 'V16.5.2'],
    'If the master that Sentinels watch is killed, calls get 503 until the gateway has found the new one.',
    async () => {
      expect(factsOf(await runSentinels(OPTIONS))).toEqual(GOOD);
    },
    240_000,
  );
});
