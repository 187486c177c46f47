import { runRetention } from '../proof-retention/proof.js';
import { reportOf } from '../proof-retention/report.js';
import { type RetentionWorld, startWorld } from '../proof-retention/world.js';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';

const ROUNDS = 2;

describeWith('initdb')('the short proof of the retention (npm run proof:retention)', () => {
  let world: RetentionWorld;
  beforeAll(async () => {
    world = await startWorld(ROUNDS);
  }, 90_000);
  afterAll(() => world.dispose());

  claim(
    'operation',
    'Retention drops 100,000 rows in less than a second without a lock of more than 50 ms, while cars are booked.',
    async () => {
      const run = await runRetention(world, { rows: 100_000, rounds: ROUNDS, windowMs: 600 }, () => undefined);
      const { lines, isRetentionQuick, isLockShort } = reportOf(run);
      expect(run.rowsRemoved).toBeGreaterThanOrEqual(100_000);
      expect(run.during.length).toBeGreaterThan(3);
      expect(isRetentionQuick && isLockShort ? [] : lines).toEqual([]);
    },
    60_000,
  );
});
