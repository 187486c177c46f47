import type { BookingLedger } from '../bookings.js';
import type { Inventory } from '../world.js';

/** What the operations of this simulated supplier work with. */
export interface HoldHandlers {
  readonly brand: string;
  readonly inventory: Inventory;
  readonly ledger: BookingLedger;
  /** Epoch milliseconds; decides what lies in the past, when a hold ends, whether cancelling is free. */
  readonly now: () => number;
}
