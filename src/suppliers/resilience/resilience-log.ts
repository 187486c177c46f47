import type { Logger } from 'pino';
import { loopLag } from '../../metrics/loop-lag.js';
import {
  type BreakerOverview,
  countPause,
  countRefusal,
  countRetry,
  countTrip,
  showBreakers,
  showQueue,
} from '../../metrics/supplier-resilience.js';
import type { Operation } from '../../model/supplier.js';
import { EVERYONE } from './application-breakers.js';
import type { BreakerReason, BreakerState } from './breaker.js';
import type { CallProgress } from './operation-policy.js';
import type { ResilienceWatch } from './supplier-policy.js';

/** Breakers that opened in this gateway. */
export interface Trip {
  readonly supplier: string;
  readonly operation: Operation;
  /** Whose: `app_…`, `acc_…` or EVERYONE. */
  readonly scope: string;
  /** How long it stays open. */
  readonly openMs: number;
  /** When it opened (performance.now). */
  readonly at: number;
}

/** Records what the policies do in metrics and log, and keeps the opened breakers for other gateways. */
export class ResilienceLog implements ResilienceWatch {
  /** Only the latest trip per breaker, so that the map stays small if nothing reads it. */
  readonly #trips = new Map<string, Trip>();

  /** `isLagging`: whether this process is too busy to judge suppliers for others. */
  constructor(
    private readonly logger: Logger,
    private readonly isLagging: () => boolean = () => loopLag.isLagging,
  ) {}

  guarded(supplier: string, operation: Operation, overview: () => BreakerOverview): () => void {
    return showBreakers(supplier, operation, overview);
  }

  moved(
    supplier: string,
    operation: Operation,
    scope: string,
    state: BreakerState,
    reason: BreakerReason,
    openMs: number,
    requestId: string,
  ): void {
    if (state === 'open') countTrip(supplier, operation, reason);
    // When a supplier fails everyone, one line says so; a line per application would bury it.
    const isFollowing = reason === 'others' || reason === 'other_gateway';
    const level = isFollowing ? 'debug' : state === 'open' ? 'warn' : 'info';
    // Failed probes aren't shared: one gateway that can't reach the supplier would block it for all others
    // indefinitely. Nor is what may be this gateway's own doing: slow calls, and any failures while it is too busy.
    const isOwn = state === 'open' && reason === 'failures';
    const lagging = isOwn && this.isLagging();
    this.logger[level](
      { requestId, supplier, operation, state, reason, ...(lagging ? { lagging } : {}), ...whoseOf(scope) },
      'supplier breaker changed state',
    );
    if (isOwn && !lagging)
      this.#trips.set(`${supplier}|${operation}|${scope}`, {
        ...{ supplier, operation, scope },
        ...{ openMs, at: performance.now() },
      });
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

  paused(supplier: string, ms: number, { requestId, caller }: CallProgress): void {
    countPause(supplier);
    this.logger.warn({ requestId, application: caller.applicationId, supplier, ms }, 'supplier requested a pause');
  }

  /** Returns the breakers that opened since the last call, oldest first. */
  takeTrips(): readonly Trip[] {
    const trips = [...this.#trips.values()];
    this.#trips.clear();
    return trips;
  }
}

function whoseOf(scope: string): { readonly application?: string; readonly account?: string } {
  if (scope === EVERYONE) return {};
  return scope.startsWith('acc_') ? { account: scope } : { application: scope };
}
