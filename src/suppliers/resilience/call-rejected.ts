import { SupplierError } from '../../model/supplier.js';

/**
 * A call that the gateway itself did not let out, by breaker, queue, quota or pause: it says nothing of the supplier, and is counted, not logged.
 * Nothing was sent.
 */
export class CallRejectedError extends SupplierError {
  constructor(fault: 'circuit_open' | 'throttled' | 'unavailable', message: string) {
    super(fault, message, false);
  }
}
