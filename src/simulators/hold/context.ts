import type { BookingLedger } from '../bookings.js';
import type { Inventory } from '../world.js';

/** Dependencies of this simulated supplier's operations. */
export interface HoldContext {
  readonly brand: string;
  readonly inventory: Inventory;
  readonly ledger: BookingLedger;
  /**
   * Epoch milliseconds; determines which dates are in the past, when a hold expires and whether cancellation is free.
   */
  readonly now: () => number;
}
