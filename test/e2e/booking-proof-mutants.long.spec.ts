import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFECTS } from '../proof/defect-list.mjs';
import { COUNTS } from '../proof/judge.js';
import { type ProofOptions, type ProofResult, runProof } from '../proof/proof.js';
import { startWorld, type WorldOptions } from '../proof/world.js';
import { describeWith } from '../support/binaries.js';
import { PROJECT } from '../support/project.js';

const NO_STRIKES = { kills: 0, databaseRestarts: 0, fullDisks: 0, clockSteps: 0, pauses: 0, restores: 0 };

describeWith('redis-server', 'initdb')('the proof of bookings', () => {
  test.concurrent('fails without the checks for late and second bookings (all: npm run proof:booking:mutants)', async () => {
    const { verdict } = await proofIn(
      {
        reservations: { lateCheckSeconds: [] },
        preload: [new URL('../proof/defects.mjs', import.meta.url).href],
        env: { PROOF_DEFECTS: 'no look for second bookings' },
      },
      { bookings: 100, seed: 3, strikes: NO_STRIKES },
    );
    const faults = (found: readonly { readonly fault: string }[]) => [...new Set(found.map(({ fault }) => fault))];
    expect(faults(verdict.lost).sort()).toEqual(['hidden', 'late']);
    expect(faults(verdict.doubled).filter((fault) => !fault.startsWith('twice'))).toEqual([]);
    expect(verdict.doubled.length).toBeGreaterThan(0);
  }, 300_000);

  test.concurrent('succeeds with one gateway on PGlite that is killed with bookings in progress', async () => {
    const strikes = { ...NO_STRIKES, kills: 2 };
    const result = await proofIn({ database: 'pglite' }, { bookings: 25, seed: 5, strikes });
    expect(result.strikes.kills).toBe(2);
    expect(COUNTS.flatMap((count) => result.verdict[count])).toEqual([]);
  }, 300_000);
});

async function proofIn(
  options: WorldOptions,
  plan: Pick<ProofOptions, 'bookings' | 'seed' | 'strikes'>,
): Promise<ProofResult> {
  const world = await startWorld(options);
  try {
    return await runProof(world, { ...plan, concurrency: 24, tell: () => undefined });
  } finally {
    await world.dispose();
  }
}

test.each(Object.entries(DEFECTS))('the built code has what is removed for "%s"', (_name, edits) => {
  const folder = join(PROJECT, 'dist');
  const built = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const code = built.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  expect(edits.filter(([sound]) => !code.includes(sound))).toEqual([]);
});
