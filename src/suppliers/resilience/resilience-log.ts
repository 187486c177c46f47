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

/** A breaker that opened in this gateway. */
export interface Trip {
  readonly supplier: string;
  readonly operation: Operation;
  /** How long it stays open. */
  readonly openMs: number;
  /** When it opened (performance.now). */
  readonly at: number;
}

/** Records what the policies do in metrics and log, and keeps the opened breakers for other gateways. */
export class ResilienceLog implements ResilienceWatch {
  /** Only the latest trip per breaker, so that the map stays small if no one reads it. */
  readonly #trips = new Map<string, Trip>();

  constructor(private readonly logger: Logger) {}

  guarded(supplier: string, operation: Operation): void {
    showBreaker(supplier, operation, 'closed');
  }

  moved(supplier: string, operation: Operation, state: BreakerState, reason: BreakerReason, openMs: number): void {
    showBreaker(supplier, operation, state);
    if (state === 'open') countTrip(supplier, operation, reason);
    const level = state === 'open' ? 'warn' : 'info';
    this.logger[level]({ supplier, operation, state, reason }, 'supplier breaker changed state');
    // Failed probes aren't shared: one gateway that can't reach the supplier would block it for all others
    // indefinitely.
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
    this.logger.warn({ supplier, ms }, 'supplier requested a pause');
  }

  /** Returns the breakers that opened since the last call, oldest first. */
  takeTrips(): readonly Trip[] {
    const trips = [...this.#trips.values()];
    this.#trips.clear();
    return trips;
  }
}
