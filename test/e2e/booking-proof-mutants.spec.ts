import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFECTS } from '../proof/defect-list.mjs';
import { COUNTS } from '../proof/judge.js';
import { runProof } from '../proof/proof.js';
import { startWorld } from '../proof/world.js';
import { describeWith } from '../support/binaries.js';
import { PROJECT } from '../support/project.js';

const NO_STRIKES = { kills: 0, databaseRestarts: 0, fullDisks: 0, clockSteps: 0, pauses: 0 };

describeWith('redis-server')('the proof of bookings', () => {
  test('fails without the checks for late and second bookings (all: npm run proof:booking:mutants)', async () => {
    const world = await startWorld({
      reservations: { lateCheckSeconds: [] },
      preload: [new URL('../proof/defects.mjs', import.meta.url).href],
      env: { PROOF_DEFECTS: 'no look for second bookings' },
    });
    try {
      const options = { bookings: 120, seed: 3, strikes: NO_STRIKES, concurrency: 32, tell: () => undefined };
      const { verdict } = await runProof(world, options);
      const faults = (found: readonly { readonly fault: string }[]) => [...new Set(found.map(({ fault }) => fault))];
      expect(faults(verdict.lost).sort()).toEqual(['hidden', 'late']);
      expect(faults(verdict.doubled).filter((fault) => !fault.startsWith('twice'))).toEqual([]);
      expect(verdict.doubled.length).toBeGreaterThan(0);
    } finally {
      await world.dispose();
    }
  }, 120_000);

  test('succeeds with one gateway on PGlite that is killed with bookings in progress', async () => {
    const world = await startWorld({ database: 'pglite' });
    try {
      const strikes = { ...NO_STRIKES, kills: 2 };
      const result = await runProof(world, { bookings: 40, seed: 5, strikes, concurrency: 16, tell: () => undefined });
      expect(result.strikes).toMatchObject(strikes);
      expect(COUNTS.flatMap((count) => result.verdict[count])).toEqual([]);
    } finally {
      await world.dispose();
    }
  }, 150_000);
});

test.each(Object.entries(DEFECTS))('the built code has what is removed for "%s"', (_name, edits) => {
  const folder = join(PROJECT, 'dist');
  const built = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const code = built.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  expect(edits.filter(([whole]) => !code.includes(whole))).toEqual([]);
});
