import { SupplierError } from '../../model/supplier.js';

/**
 * The gateway itself rejected the call, because of a breaker, queue, quota or pause, or had no time to read its answer. So
 * it says nothing about the supplier. Such calls are counted, not logged.
 */
export class CallRejectedError extends SupplierError {
  constructor(fault: 'circuit_open' | 'throttled' | 'unavailable', message: string) {
    super(fault, message, false);
  }
}
