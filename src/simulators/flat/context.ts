import type { BookingLedger } from '../bookings.js';
import type { Inventory } from '../world.js';

/** Dependencies of this simulated supplier's operations. */
export interface FlatContext {
  readonly brand: string;
  readonly inventory: Inventory;
  readonly ledger: BookingLedger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
