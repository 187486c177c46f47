import type { Operation } from '../model/supplier.js';
import { type Bench } from './bench.js';

/** One guarantee of the contract, judged for one operation after the other. */
export interface ContractCase {
  /** Lower snake: the name in reports and in `contract.skip` of a supplier's file. */
  readonly id: string;
  /** What holds when it passes, in one sentence. */
  readonly guarantee: string;
  readonly operations: readonly Operation[];
  /** Can be judged only where the supplier is a simulator: it must play something, or show its book. */
  readonly simulated?: boolean;
  /** Mostly waits: its operations are judged at once, each on a bench of its own. Absent = one after the other. */
  readonly waits?: boolean;
  /** Why there is nothing to judge at this supplier, whatever its adapter does; undefined = there is. Absent = there always is. */
  unfit?(bench: Pick<Bench, 'adapter' | 'config' | 'simulated'>): string | undefined;
  /** Throws (Breach) when the guarantee does not hold. */
  run(bench: Bench, operation: Operation): Promise<void>;
}

export const SEARCHES: readonly Operation[] = ['searchLocations', 'searchVehicles'];
export const READS: readonly Operation[] = [...SEARCHES, 'priceCheck', 'retrieve'];
export const WRITES: readonly Operation[] = ['book', 'modify', 'cancel'];
export const EVERY: readonly Operation[] = [...SEARCHES, 'priceCheck', 'book', 'retrieve', 'modify', 'cancel'];

/** `unfit` where a simulator only repeats what was recorded: it knows one place and computes nothing. */
export function asRecorded({
  config: { simulator },
  simulated,
}: Pick<Bench, 'config' | 'simulated'>): string | undefined {
  return simulated && simulator?.dialect === 'recorded'
    ? 'its recorded answers know one place and compute nothing'
    : undefined;
}
