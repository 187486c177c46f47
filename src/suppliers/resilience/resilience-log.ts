import type { Logger } from 'pino';
import {
  countPause,
  countRefusal,
  countRetry,
  countTrip,
  showBreaker,
  showQueue,
} from '../../metrics/supplier-resilience.js';
import type { Operation } from '../../model/supplier.js';
import type { BreakerReason, BreakerState } from './breaker.js';
import type { ResilienceWatch } from './supplier-policy.js';

/** A breaker that opened here. */
export interface Trip {
  readonly supplier: string;
  readonly operation: Operation;
  /** For how long, and since when (performance.now). */
  readonly openMs: number;
  readonly at: number;
}

/** Tells metrics and log what the policies do, one line for each change of a breaker, and keeps what other gateways have to hear. */
export class ResilienceLog implements ResilienceWatch {
  /** The last of each breaker: where nobody takes them they do not pile up. */
  readonly #trips = new Map<string, Trip>();

  constructor(private readonly logger: Logger) {}

  guarded(supplier: string, operation: Operation): void {
    showBreaker(supplier, operation, 'closed');
  }

  moved(supplier: string, operation: Operation, state: BreakerState, reason: BreakerReason, openMs: number): void {
    showBreaker(supplier, operation, state);
    if (state === 'open') countTrip(supplier, operation, reason);
    const level = state === 'open' ? 'warn' : 'info';
    this.logger[level]({ supplier, operation, state, reason }, 'breaker of a supplier moved');
    // A probe that failed is news for this gateway only: one that cannot reach the supplier would keep it from all others for good.
    if (state === 'open' && (reason === 'failures' || reason === 'slow'))
      this.#trips.set(`${supplier}|${operation}`, { supplier, operation, openMs, at: performance.now() });
  }

  refused(supplier: string, operation: Operation, why: string): void {
    countRefusal(supplier, operation, why);
  }

  retried(supplier: string, operation: Operation): void {
    countRetry(supplier, operation);
  }

  queued(supplier: string, length: number): void {
    showQueue(supplier, length);
  }

  paused(supplier: string, ms: number): void {
    countPause(supplier);
    this.logger.warn({ supplier, ms }, 'a supplier asked for a pause');
  }

  /** What opened here since the last call, oldest first. */
  takeTrips(): readonly Trip[] {
    const trips = [...this.#trips.values()];
    this.#trips.clear();
    return trips;
  }
}
