import type { Operation } from '../model/supplier.js';

/** What an adapter can be used for: bronze can be searched, silver also priced, gold also booked. */
export type Level = 'bronze' | 'silver' | 'gold';

/** Lowest first. */
export const LEVELS: readonly Level[] = ['bronze', 'silver', 'gold'];

/** The level to which an operation belongs. */
export const LEVEL_OF: { readonly [O in Operation]: Level } = {
  searchLocations: 'bronze',
  searchVehicles: 'bronze',
  priceCheck: 'silver',
  book: 'gold',
  retrieve: 'gold',
  modify: 'gold',
  cancel: 'gold',
  locationDetails: 'bronze',
};

/** Operations that must pass a check for the level to be reached. */
const NEEDED: { readonly [L in Level]: readonly Operation[] } = {
  bronze: ['searchVehicles'],
  silver: ['priceCheck'],
  gold: ['book', 'retrieve', 'cancel'],
};

/** The result of one case for one operation. `reason`: why it failed or was skipped. */
export interface Check {
  readonly case: string;
  readonly operation: Operation;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly reason?: string;
  readonly ms: number;
}

/** The highest level such that no check up to it failed and its needed operations passed a check; undefined = none. */
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
