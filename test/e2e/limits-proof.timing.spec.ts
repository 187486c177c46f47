import { runFaults } from '../proof-limits/faults.js';
import { runLimits } from '../proof-limits/proof.js';
import { reportOf } from '../proof-limits/report.js';
import { type LimitsWorld, startWorld } from '../proof-limits/world.js';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';

const PHASE_MS = 600;

describeWith('redis-server')('the short proof of the limits (npm run proof:limits)', () => {
  let world: LimitsWorld;
  beforeAll(async () => {
    world = await startWorld(3);
  }, 90_000);
  afterAll(() => world.dispose());

  claim(
    ['API4', 'V2.4.1'],
    'Three gateways together admit exactly what the limits allow, even while Redis loses its scripts, loses its data or stops.',
    async () => {
      const options = { seed: 1, seconds: 3, gateways: [3], limits: [60, 3_000], loads: [1.5] };
      const runs = await runLimits(world, options, () => undefined);
      const { isProven, lines } = reportOf(runs, await runFaults(world, 1, () => undefined, PHASE_MS));
      expect(isProven ? [] : lines).toEqual([]);
    },
    90_000,
  );
});
