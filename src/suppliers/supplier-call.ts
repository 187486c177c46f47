import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { RequestContext } from '../context/request-context.js';
import { elapsed } from '../metrics/elapsed.js';
import type { TracedCall } from '../metrics/request-trace.js';
import { type Operation, type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import type { BookingOperation } from '../sandbox/scenario.js';
import type { CallObserver } from './fan-out.js';
import { causeOf, type ObservedCall } from './outcome.js';
import type { Supplier } from './registry.js';
import { simulationHeaders } from './supplier-connection.js';
import { CALL_OBSERVER } from './supplier-search.js';

/** How one call differs from the others of its operation. */
export interface CallOptions {
  /** Less time than the supplier's own timeout for the operation, where less is left. */
  readonly timeoutMs?: number | undefined;
  /** What the call is for the scenario, where that is not its operation. */
  readonly scenarioOperation?: BookingOperation;
}

const USUAL: CallOptions = {};

/** Part of its time after which a write does not begin any more. */
const LATEST_START = 0.75;

/** One operation of one supplier, outside a fan-out: a price check, a booking, what becomes of it. */
@Injectable()
export class SupplierCalls {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CALL_OBSERVER) private readonly observer: CallObserver,
  ) {}

  /**
   * Runs `run` with the supplier's adapter inside the operation's timeout, observed, logged and traced; called off with its context. A simulated
   * supplier gets the scenario's directive, a real one never. Rejects with SupplierError only; its `sent`
   * then tells whether a call that must not be repeated (`repeatable` false) may have left, whatever call failed in the end. A bug of an
   * adapter is `bad_payload`. What comes after the timeout is dropped.
   */
  call<T>(
    supplier: Supplier,
    operation: Operation,
    context: RequestContext,
    run: (adapter: SupplierAdapter, context: SupplierContext) => Promise<T>,
    options: CallOptions = USUAL,
  ): Promise<T> {
    const observed: ObservedCall = { supplier, operation };
    const timeoutMs = Math.min(supplier.config.timeoutMs[operation], options.timeoutMs ?? Number.POSITIVE_INFINITY);
    const startedAt = performance.now();
    // A write that waited for a connection nearly all its time would leave only to be given up: certainly not sent is better than unknown.
    const notAfterMs = startedAt + timeoutMs * LATEST_START;
    const bounds = { operation, endsAtMs: startedAt + timeoutMs, notAfterMs };
    const { scenario } = context;
    const directive = isSearch(operation)
      ? scenario?.directiveFor(supplier.id, 0, 1)
      : scenario?.bookingDirective(options.scenarioOperation ?? operation, supplier.id);
    const open = supplier.connection.open(
      context.id,
      this.config.environment,
      simulationHeaders(supplier.config, { directive, seed: scenario?.seed }),
      bounds,
    );
    const { exchanges } = open;
    const traced = context.trace?.begin({
      supplier: supplier.id,
      brand: undefined,
      operation,
      timeoutMs,
      startedAt,
      exchanges,
      shared: false,
    });
    const trace = (outcome: TracedCall['outcome'], cause?: string): void => {
      if (traced) Object.assign(traced, { outcome, cause, endedAt: performance.now() });
    };
    return new Promise<T>((resolve, reject) => {
      let over = false;
      let stopListening: (() => void) | undefined;
      const end = (): boolean => {
        if (over) return false;
        over = true;
        clearTimeout(timer);
        stopListening?.();
        return true;
      };
      const fail = (thrown: unknown): void => {
        if (!end()) return;
        const error = asSupplierError(thrown, open.mayHaveWritten());
        this.observer.settled(observed, causeOf(error.fault), elapsed(startedAt), thrown);
        trace('failed', error.refusal ?? causeOf(error.fault));
        reject(error);
      };
      const timer = setTimeout(() => {
        const error = new SupplierError('timeout', `no answer within ${timeoutMs} ms`);
        fail(error);
        open.abort(error);
      }, timeoutMs);
      stopListening = context.onCancel(() => {
        if (!end()) return;
        this.observer.cutOff(observed);
        const error = new SupplierError('cancelled', 'nobody waits for the answer any more', open.mayHaveWritten());
        open.abort(error);
        reject(error);
      });
      if (over) return;
      // Through an async function, so that an adapter that throws before its first promise fails like any other.
      const answered = open.run(async () => run(supplier.connection.adapter, open.context));
      answered.then((answer) => {
        if (!end()) return;
        this.observer.settled(observed, 'answered', elapsed(startedAt), undefined);
        trace('answered');
        resolve(answer);
      }, fail);
    });
  }
}

function isSearch(operation: Operation): operation is Exclude<Operation, BookingOperation> {
  return operation === 'searchLocations' || operation === 'searchVehicles';
}

function asSupplierError(thrown: unknown, sent: boolean): SupplierError {
  if (thrown instanceof SupplierError)
    return new SupplierError(thrown.fault, thrown.message, sent, { cause: thrown, refusal: thrown.refusal });
  return new SupplierError('bad_payload', 'the adapter failed', sent, { cause: thrown });
}
