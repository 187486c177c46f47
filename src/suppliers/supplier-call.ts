import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { RequestContext } from '../context/request-context.js';
import { elapsed } from '../metrics/elapsed.js';
import type { TracedCall } from '../metrics/request-trace.js';
import { type Operation, type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import type { BookingOperation } from '../sandbox/scenario.js';
import { callSpan } from '../tracing/trace-context.js';
import { simulationHeaders } from './added-headers.js';
import type { Naming } from './answers/names-another.js';
import type { CallObserver } from './fan-out.js';
import { causeOf, type ObservedCall, originOf } from './outcome.js';
import type { Supplier } from './registry.js';
import { callerOf } from './resilience/caller.js';
import { CALL_OBSERVER } from './supplier-search.js';

/** Options of a single call. */
export interface CallOptions {
  /** Shortens the supplier's timeout for the operation if less time is left. 0 = none: nothing is sent. */
  readonly timeoutMs?: number | undefined;
  /** Identifies what the call asks (questionOf); absent if no other call asks the same. */
  readonly question?: number;
  /** What the call counts as in a sandbox scenario, if not as its operation. */
  readonly scenarioOperation?: BookingOperation;
  /** The reference of its reservation, which the answers are checked for (Naming). */
  readonly reference?: string;
  /** Whether a retrieval asks for one confirmation number. */
  readonly isByNumber?: boolean;
  /** What the call knows about the renter, in any shape; no log line may contain its texts. The answer may repeat them. */
  readonly renter?: unknown;
}

const DEFAULTS: CallOptions = {};

/** A write that hasn't started after this share of its timeout is given up. */
const LATEST_START_SHARE = 0.75;

/** Calls one supplier outside a fan-out, to check a price or to make, read, change or cancel a booking. */
@Injectable()
export class SupplierCalls {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CALL_OBSERVER) private readonly observer: CallObserver,
  ) {}

  /**
   * Calls `run` with the supplier's adapter within the timeout of the operation; metrics, log and trace record the
   * result. Canceling `context` aborts the call. Only simulated suppliers receive the scenario's directive.
   *
   * Rejects only with SupplierError. Its `sent` is true if any HTTP call that isn't `repeatable` may have been sent,
   * even if a different call failed. An unexpected error in the adapter becomes `bad_payload`. A result after the
   * timeout is ignored. Without time left, nothing is called; another gateway may already have taken over, so that ends as if
   * it had been sent.
   */
  call<T>(
    supplier: Supplier,
    operation: Operation,
    context: RequestContext,
    run: (adapter: SupplierAdapter, context: SupplierContext) => Promise<T>,
    options: CallOptions = DEFAULTS,
  ): Promise<T> {
    const observed: ObservedCall = { supplier, operation, ...originOf(context), renter: options.renter };
    const timeoutMs = Math.min(supplier.config.timeoutMs[operation], options.timeoutMs ?? Number.POSITIVE_INFINITY);
    if (timeoutMs <= 0) return Promise.reject(new SupplierError('timeout', 'the time budget ran out before the call'));
    const startedAt = performance.now();
    // A write that starts shortly before its timeout would probably end as unknown. Not sending it gives a clear
    // outcome.
    const notAfterMs = startedAt + timeoutMs * LATEST_START_SHARE;
    const span = context.span && callSpan(context.span, supplier.connection.address);
    const bounds = {
      operation,
      caller: callerOf(context),
      ...(options.question === undefined ? {} : { question: options.question }),
      endsAtMs: startedAt + timeoutMs,
      notAfterMs,
      naming: namingOf(options),
      span,
    };
    const { scenario } = context;
    const directive = isSearch(operation)
      ? scenario?.directiveFor(supplier.id, 0, 1)
      : scenario?.bookingDirective(options.scenarioOperation ?? operation, supplier.id);
    const open = supplier.connection.open(
      context.id,
      this.config.environment,
      simulationHeaders(supplier.config, {
        directive,
        seed: scenario?.seed,
        clock: clockOf(context, operation),
        account: isSearch(operation) ? undefined : context.accountId,
      }),
      bounds,
    );
    const { exchanges, warnings } = open;
    const traced = context.trace?.begin({
      supplier: supplier.id,
      brand: undefined,
      operation,
      timeoutMs,
      startedAt,
      exchanges,
      warnings,
      shared: false,
      span,
    });
    const trace = (outcome: TracedCall['outcome'], cause?: string): void => {
      if (traced) Object.assign(traced, { outcome, cause, endedAt: performance.now() });
    };
    return new Promise<T>((resolve, reject) => {
      let isSettled = false;
      let stopListening: (() => void) | undefined;
      const end = (): boolean => {
        if (isSettled) return false;
        isSettled = true;
        clearTimeout(timer);
        stopListening?.();
        return true;
      };
      const fail = (thrown: unknown): void => {
        if (!end()) return;
        const error = asSupplierError(thrown, open.mayHaveWritten());
        this.observer.settled(observed, causeOf(error.fault), elapsed(startedAt), thrown, warnings.list, open.sent);
        trace('failed', error.refusal ?? causeOf(error.fault));
        reject(error);
      };
      const timer = setTimeout(() => {
        const error = new SupplierError('timeout', `no answer within ${Math.round(timeoutMs)} ms`);
        fail(error);
        open.abort(error);
      }, timeoutMs);
      stopListening = context.onCancel(() => {
        if (!end()) return;
        this.observer.cutOff(observed);
        const error = new SupplierError(
          'cancelled',
          'the request no longer waits for the answer',
          open.mayHaveWritten(),
        );
        open.abort(error);
        reject(error);
      });
      if (isSettled) return;
      // The async function turns a synchronous throw in the adapter into a rejection.
      const answered = open.run(async () => run(supplier.connection.adapter, open.context));
      answered.then((answer) => {
        if (!end()) return;
        this.observer.settled(observed, 'answered', elapsed(startedAt), undefined, warnings.list);
        if (operation === 'book' && scenario === undefined) supplier.connection.rules.lookToBook?.booked();
        trace('answered');
        resolve(answer);
      }, fail);
    });
  }
}

/**
 * The time by the test clock for a call about a booking that was made, in epoch milliseconds; undefined = real time. Searches,
 * price checks and bookings always use real time, because offers and quotes expire by it.
 */
function clockOf({ clockAheadMs }: RequestContext, operation: Operation): number | undefined {
  const isLater = operation === 'retrieve' || operation === 'cancel';
  return isLater && clockAheadMs > 0 ? Date.now() + clockAheadMs : undefined;
}

function namingOf({ reference, isByNumber = false, renter }: CallOptions): Naming | undefined {
  return reference === undefined ? undefined : { reference, isByNumber, renter: JSON.stringify(renter) };
}

function isSearch(operation: Operation): operation is Exclude<Operation, BookingOperation> {
  return operation === 'searchLocations' || operation === 'searchVehicles';
}

function asSupplierError(thrown: unknown, sent: boolean): SupplierError {
  if (thrown instanceof SupplierError)
    return new SupplierError(thrown.fault, thrown.message, sent, {
      cause: thrown,
      refusal: thrown.refusal,
      booked: thrown.booked,
    });
  return new SupplierError('bad_payload', 'the adapter failed', sent, { cause: thrown });
}
