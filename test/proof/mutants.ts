import { isProven, type Verdict } from './judge.js';
import { WRITE_TIMEOUT_MS } from './plan.js';
import { type ProofOptions, runProof } from './proof.js';
import type { StrikePlan } from './strikes.js';
import { startWorld, type WorldOptions } from './world.js';

/** A gateway without one defense, and the count that must show it, perhaps only for these faults. */
export interface Mutant {
  readonly name: string;
  readonly world: WorldOptions;
  readonly found: (verdict: Verdict) => readonly { readonly fault: string }[];
  readonly faults?: readonly string[];
  /** How every second booking is made, so that enough of them need the defense; absent = as drawn. */
  readonly forced?: NonNullable<ProofOptions['forced']>;
  /** Its own number of some strikes. */
  readonly strikes?: Partial<StrikePlan>;
}

const PRELOAD = [new URL('./defects.mjs', import.meta.url).href];
const without = (defect: string): WorldOptions => ({ preload: PRELOAD, env: { PROOF_DEFECTS: defect } });

/** Each class of faults with the defense whose absence it must reveal. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'wrong clocks: times of the own clock',
    world: without('times of the own clock'),
    found: ({ wronglyFinal, unresolved }) => [...wronglyFinal, ...unresolved],
  },
  {
    name: 'pauses: the last answer of a key is kept',
    world: without('the first answer of a key'),
    found: ({ answeredDifferently }) => answeredDifferently,
    // The other gateway must have answered the same key in the meantime.
    forced: {
      fault: { name: 'slow around', verb: `slow(${WRITE_TIMEOUT_MS * 0.8})` },
      manner: { kind: 'together', times: 4 },
    },
    strikes: { kills: 0, fullDisks: 0, clockSteps: 0, pauses: 6 },
  },
  {
    name: 'requests delivered twice: no look for second bookings',
    world: without('no look for second bookings'),
    found: ({ doubled }) => doubled,
    faults: ['twice', 'twice, answer lost'],
  },
  {
    name: 'hidden bookings: no late checks',
    world: { reservations: { lateCheckSeconds: [] } },
    found: ({ lost }) => lost,
    faults: ['hidden'],
  },
  {
    name: 'late bookings: no late checks',
    world: { reservations: { lateCheckSeconds: [] } },
    found: ({ lost }) => lost,
    faults: ['late'],
  },
  {
    name: 'slow suppliers: a settle time shorter than theirs',
    world: { reservations: { settleSeconds: 1 } },
    found: ({ wronglyFinal }) => wronglyFinal,
    faults: ['slow beyond'],
    forced: { fault: { name: 'slow beyond', verb: `slow(${WRITE_TIMEOUT_MS * 2.6})` } },
  },
  {
    name: 'a full disk: answers that are not stored',
    world: without('answers that are not stored'),
    found: ({ answeredDifferently }) => answeredDifferently,
  },
  {
    name: 'restores: keys that the database lacks book again',
    world: without('lost keys book again'),
    found: ({ doubled }) => doubled,
    strikes: { kills: 0, fullDisks: 0, clockSteps: 0, pauses: 0, restores: 1 },
  },
  {
    name: 'PGlite under SIGKILL: stored after the call',
    world: { ...without('stored after the call'), database: 'pglite' },
    found: ({ lost }) => lost,
  },
];

/** Runs a short proof without the defense; returns how many violations of the right kind it found. */
export async function findMutant(
  { world: options, found, faults, forced, strikes: own }: Mutant,
  bookings: number,
): Promise<{ readonly violations: number; readonly isProven: boolean }> {
  const world = await startWorld(options);
  try {
    const isPglite = options.database === 'pglite';
    const strikes = isPglite
      ? { kills: 3, databaseRestarts: 0, fullDisks: 0, clockSteps: 0, pauses: 0, restores: 0 }
      : { kills: 1, databaseRestarts: 0, fullDisks: 2, clockSteps: 4, pauses: 4, restores: 0, ...own };
    const { verdict } = await runProof(world, {
      longPauses: true,
      bookings: isPglite ? bookings / 4 : bookings,
      seed: 3,
      strikes,
      ...(forced ? { forced } : {}),
      concurrency: 32,
      clearWithinMs: 60_000,
      tell: () => undefined,
    });
    const right = found(verdict).filter(({ fault }) => faults?.includes(fault) ?? true);
    return { violations: right.length, isProven: isProven(verdict) };
  } finally {
    await world.dispose();
  }
}
