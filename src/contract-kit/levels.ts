import type { Operation } from '../model/supplier.js';

/** What an adapter can be used for: bronze searches, silver also prices, gold also books. */
export type Level = 'bronze' | 'silver' | 'gold';

/** From the lowest. */
export const LEVELS: readonly Level[] = ['bronze', 'silver', 'gold'];

/** The level that an operation belongs to. */
export const LEVEL_OF: { readonly [O in Operation]: Level } = {
  searchLocations: 'bronze',
  searchVehicles: 'bronze',
  priceCheck: 'silver',
  book: 'gold',
  retrieve: 'gold',
  modify: 'gold',
  cancel: 'gold',
};

/** Operations that must have passed a check: a level of which nothing was judged is not reached. */
const NEEDED: { readonly [L in Level]: readonly Operation[] } = {
  bronze: ['searchVehicles'],
  silver: ['priceCheck'],
  gold: ['book', 'retrieve', 'cancel'],
};

/** One case judged for one operation. `reason`: why it failed or was skipped. */
export interface Check {
  readonly case: string;
  readonly operation: Operation;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly reason?: string;
  /** Milliseconds. */
  readonly ms: number;
}

/** The highest level of which, and below which, no check failed and each operation that it needs passed one; undefined = none. */
export function levelReached(checks: readonly Check[]): Level | undefined {
  let reached: Level | undefined;
  for (const level of LEVELS) {
    const own = checks.filter(({ operation }) => LEVEL_OF[operation] === level);
    const passed = new Set(own.filter(({ result }) => result === 'passed').map(({ operation }) => operation));
    const isKept =
      own.every(({ result }) => result !== 'failed') && NEEDED[level].every((operation) => passed.has(operation));
    if (!isKept) return reached;
    reached = level;
  }
  return reached;
}
