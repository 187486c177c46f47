import { startWorld } from '../proof/world.js';
import { runFailovers } from '../proof-failover/proof.js';
import { reportOf } from '../proof-failover/report.js';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';
import { startPostgresPair } from '../support/postgres-pair.js';

describeWith('redis-server', 'initdb')('the short proof of the failover (npm run proof:failover)', () => {
  claim(
    ['operation', 'V2.3.3', 'V16.5.2'],
    'If the primary of PostgreSQL is killed and its synchronous standby promoted, no booking is lost, doubled or wrongly final, and bookings go on within seconds.',
    async () => {
      const pair = await startPostgresPair();
      const world = await startWorld({ database: pair });
      try {
        const plan = { kills: 1, seed: 1, concurrency: 4, detectMs: 1_000, calmMs: 1_000, quietMs: 2_000 };
        const run = await runFailovers(world, pair, { ...plan, tell: () => undefined });
        const { isProven, lines } = reportOf(run);
        expect(isProven ? [] : lines).toEqual([]);
      } finally {
        await world.dispose();
        await pair.dispose();
      }
    },
    120_000,
  );
});
