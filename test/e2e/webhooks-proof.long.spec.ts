import { runWebhooks } from '../proof-webhooks/proof.js';
import { startWorld } from '../proof-webhooks/world.js';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';

describeWith('initdb')('the short proof of webhooks (npm run proof:webhooks)', () => {
  claim(
    ['operation', 'V2.3.3'],
    'If a gateway is killed and other endpoints are silent, slow or answer garbage, no event of a webhook is lost or out of order.',
    async () => {
      const world = await startWorld();
      try {
        const plan = { events: 200, kills: 1, calmMs: 5_000, tell: () => undefined };
        const { isProven, lines } = await runWebhooks(world, plan);
        expect(isProven ? [] : lines).toEqual([]);
      } finally {
        await world.dispose();
      }
    },
    240_000,
  );
});
