import type { BookingLedger } from '../bookings.js';
import type { Inventory } from '../world.js';

/** What the operations of this simulated supplier work with. */
export interface FlatHandlers {
  readonly brand: string;
  readonly inventory: Inventory;
  readonly ledger: BookingLedger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
