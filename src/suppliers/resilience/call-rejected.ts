import { SupplierError } from '../../model/supplier.js';

/**
 * The gateway itself rejected the call, because of a breaker, queue, quota or pause, or had no time to read its answer. So
 * it says nothing about the supplier. Such calls are counted, not logged.
 */
export class CallRejectedError extends SupplierError {
  /** `limitedBy`, if it isn't clear from the fault: the supplier asked for a pause (429 with Retry-After), or our own limit is reached. */
  constructor(
    fault: 'circuit_open' | 'throttled' | 'unavailable',
    message: string,
    readonly limitedBy?: 'throttled' | 'own_limit',
  ) {
    super(fault, message, false);
  }
}
