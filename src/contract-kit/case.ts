import type { Operation } from '../model/supplier.js';
import { type Bench } from './bench.js';

/** One guarantee of the contract, checked for each of its operations in turn. */
export interface ContractCase {
  /** Lower snake case: the name in reports and in `contract.skip` of a supplier's file. */
  readonly id: string;
  /** What a pass proves, in one sentence. */
  readonly guarantee: string;
  readonly operations: readonly Operation[];
  /** Needs a simulator, which must simulate a failure or show its bookings: for all its operations, or for these. */
  readonly simulated?: boolean | readonly Operation[];
  /**
   * Spends its time waiting: its operations are checked concurrently, each on its own bench. Absent = one after the
   * other.
   */
  readonly waits?: boolean;
  /**
   * Why the case does not apply to this supplier, whatever its adapter does; undefined = it applies. Absent = it always
   * does.
   */
  notApplicable?(bench: Pick<Bench, 'adapter' | 'config' | 'simulated'>): string | undefined;
  /** Throws a Breach if the guarantee does not hold. */
  run(bench: Bench, operation: Operation): Promise<void>;
}

export const SEARCHES: readonly Operation[] = ['searchLocations', 'searchVehicles'];
export const READS: readonly Operation[] = [...SEARCHES, 'priceCheck', 'retrieve'];
export const WRITES: readonly Operation[] = ['book', 'modify', 'cancel'];
/** All, in the order of a rental. */
export const OPERATIONS: readonly Operation[] = [
  ...SEARCHES,
  'priceCheck',
  'book',
  'retrieve',
  'modify',
  'cancel',
  'locationDetails',
];

/**
 * Reason not to run a case on a simulator that only replays recorded answers: it knows one place and computes nothing.
 */
export function asRecorded({
  config: { simulator },
  simulated,
}: Pick<Bench, 'config' | 'simulated'>): string | undefined {
  return simulated && simulator?.dialect === 'recorded'
    ? 'the simulator replays recorded answers: one place, nothing computed'
    : undefined;
}
