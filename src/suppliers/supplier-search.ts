import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { RequestContext } from '../context/request-context.js';
import type { TracedEnd } from '../metrics/request-trace.js';
import type { LocationDetailsRequest, LocationProfile } from '../model/location-details.js';
import type { LocationSearch, SupplierLocation } from '../model/locations.js';
import type { ListedOffer, SupplierOffer } from '../model/offers.js';
import type { Operation, SupplierAnswer } from '../model/supplier.js';
import { ApiError } from '../status/api-error.js';
import { retryAfterUntil } from '../status/maintenance-retry-after.js';
import { callSpan } from '../tracing/trace-context.js';
import { simulationHeaders } from './added-headers.js';
import { inTurns } from './answers/turns.js';
import type { InShare } from './canary-share.js';
import { type CallObserver, type CompletionPolicy, collect, FanOut, type PlannedCall } from './fan-out.js';
import { readProfile } from './location-profile.js';
import { measurePrices } from './measure-prices.js';
import { refusesMemory } from './memory/refuses-memory.js';
import type { KeptOperation, Measure } from './memory/supplier-memory.js';
import { type CallOutcome, originOf } from './outcome.js';
import { type Supplier, SupplierRegistry } from './registry.js';
import { callerOf, questionOf } from './resilience/caller.js';
import { type ScopedSearch, searchForCall } from './scoped-codes.js';
import { Shadows } from './shadow.js';
import type { OpenCall } from './supplier-connection.js';

/** The calls of one search, in supplier order, brands in the supplier's order. */
export interface Plan<T> {
  readonly operation: Operation;
  readonly calls: readonly PlannedCall<T>[];
  readonly skipped: readonly Supplier[];
  /** Calls to suppliers in shadow, made after the answer is sent. */
  readonly shadows: readonly PlannedCall<T>[];
}

/** Limits the suppliers of a search. */
export interface SearchReach {
  /** In the spelling of the configuration; undefined means every brand. */
  readonly brands: readonly string[] | undefined;
  /** Undefined means any country. */
  readonly countryCode: string | undefined;
  /** Without it, suppliers in canary are in shadow. */
  readonly inShare?: InShare;
}

/** Injection token of the CallObserver. */
export const CALL_OBSERVER = Symbol('CallObserver');

/** How features search: plans the calls to all eligible suppliers and runs them. */
@Injectable()
export class SupplierSearch {
  readonly #fanOut: FanOut;
  readonly #shadows: Shadows;

  constructor(
    private readonly registry: SupplierRegistry,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CALL_OBSERVER) private readonly observer: CallObserver,
  ) {
    this.#fanOut = new FanOut(observer);
    this.#shadows = new Shadows(this.#fanOut);
  }

  /**
   * Plans one call per supplier. `weigh` works on a location while its call is open: if that throws or takes too long, the
   * supplier has failed with `bad_payload`. Throws 503 if every eligible supplier is in maintenance, 404 if none is eligible.
   */
  planLocations(
    context: RequestContext,
    reach: SearchReach,
    search: Omit<LocationSearch, 'brands'>,
    weigh: (location: SupplierLocation) => void = ignore,
  ): Plan<SupplierLocation> {
    return this.#plan(
      context,
      reach,
      'searchLocations',
      () => search,
      LOCATION_MEASURE,
      async (supplier, brands, call) => {
        const answer = await supplier.connection.adapter.searchLocations?.({ ...search, brands }, call.context);
        if (!answer) return NOTHING;
        await inTurns(answer.items, weigh, { supplier: supplier.id, account: context.accountId });
        return answer;
      },
    );
  }

  /** Plans the call that reads one location of a supplier; no items if the supplier has none. Throws like `planLocations`. */
  planLocation(context: RequestContext, supplierId: string, request: LocationDetailsRequest): Plan<LocationProfile> {
    // A location that was shown is.
    const reach = { brands: [request.brand], countryCode: undefined, inShare: () => true };
    const searchFor = ({ id }: Supplier) => (id === supplierId ? { details: request } : undefined);
    const read = ({ connection: { adapter } }: Supplier, _brands: readonly string[], { context: own }: OpenCall) =>
      readProfile(adapter, request, own);
    return this.#plan(context, reach, 'searchLocations', searchFor, LOCATION_MEASURE, read);
  }

  /**
   * Plans one call per supplier, or one per brand if the dialect requires it. `searchFor` returns the search in terms
   * of one supplier, or undefined if that supplier can't search the place. `write` converts an offer for the response
   * while its call is open, to what is then found and kept: if it throws or takes too long, the supplier has failed with `bad_payload`. A call
   * gets only the codes and memberships of its supplier. Throws like `planLocations`.
   */
  planVehicles<T extends ListedOffer>(
    context: RequestContext,
    reach: SearchReach,
    searchFor: (supplier: Supplier) => ScopedSearch | undefined,
    write: (supplier: Supplier, offer: SupplierOffer) => T,
    measure: Measure<T>,
  ): Plan<T> {
    return this.#plan(context, reach, 'searchVehicles', searchFor, measure, async (supplier, brands, call, search) => {
      if (context.scenario === undefined) supplier.connection.rules.lookToBook?.searching(callerOf(context).accountId);
      const answer = await supplier.connection.adapter.searchVehicles?.(
        searchForCall(supplier.config, brands, search),
        call.context,
      );
      if (!answer) return NOTHING;
      if (context.scenario === undefined) measurePrices(supplier.id, answer.items);
      const items: T[] = [];
      const taker = { supplier: supplier.id, account: context.accountId };
      await inTurns(answer.items, (offer) => void items.push(write(supplier, offer)), taker);
      return { ...answer, items };
    });
  }

  /**
   * Runs the plan and returns all outcomes in the order of the calls. `onOutcome` receives each outcome as it settles
   * and may replace it; if it throws, the call counts as failed with cause `bad_payload`. The promise never settles if
   * the request is canceled.
   */
  async collect<T extends ListedOffer | SupplierLocation>(
    plan: Plan<T>,
    completion: CompletionPolicy,
    context: RequestContext,
    onOutcome?: (outcome: CallOutcome<T>) => CallOutcome<T>,
  ): Promise<CallOutcome<T>[]> {
    const { trace } = context;
    const guarded = (outcome: CallOutcome<T>): CallOutcome<T> => {
      if (!onOutcome) return outcome;
      try {
        return onOutcome(outcome);
      } catch (error) {
        // Invalid data that passed the adapter fails only this supplier, not the search.
        const { supplier, brand, durationMs, shared } = outcome;
        const call = { ...outcome, ...originOf(context), operation: plan.operation };
        this.observer.settled(call, 'bad_payload', durationMs, error);
        return {
          kind: 'failed',
          supplier,
          ...(brand === undefined ? {} : { brand }),
          cause: 'bad_payload',
          durationMs,
          shared,
        };
      }
    };
    const raw: CallOutcome<T>[] = [];
    const traced = (outcome: CallOutcome<T>): CallOutcome<T> => {
      raw.push(outcome);
      const kept = guarded(outcome);
      trace?.end(tracedEnd(kept));
      return kept;
    };
    const found = await collect(
      plan.calls,
      this.#fanOut.run(plan.calls, trace),
      completion,
      (listener) => context.onCancel(listener),
      traced,
    );
    context.isCutShort ||= raw.length < plan.calls.length;
    // After the answer, which is sent in this turn of the event loop. The comparison uses the outcomes before the
    // caller's filters.
    if (plan.shadows.length > 0) setImmediate(() => this.#shadows.run(plan.shadows, raw));
    return found;
  }

  #plan<T, Q extends object>(
    context: RequestContext,
    reach: SearchReach,
    operation: KeptOperation,
    searchFor: (supplier: Supplier) => Q | undefined,
    measure: Measure<T>,
    run: (supplier: Supplier, brands: readonly string[], call: OpenCall, search: Q) => Promise<SupplierAnswer<T>>,
  ): Plan<T> {
    const eligible = this.registry.eligible(operation, reach.brands, reach.countryCode, reach.inShare);
    const { scenario, trace } = context;
    for (const supplier of eligible.skipped) trace?.skipped.push(supplier.id);
    const withSearch = (suppliers: readonly Supplier[]) =>
      suppliers.flatMap((supplier) => {
        const search = searchFor(supplier);
        return search ? [{ supplier, search }] : [];
      });
    const called = withSearch(eligible.called);
    if (called.length === 0)
      throw eligible.skipped.length > 0
        ? this.#allInMaintenance(eligible.skipped)
        : ApiError.of('no_results', 'No supplier serves this request. Try another place or another brand.');
    const caller = callerOf(context);
    const origin = originOf(context);
    const searches = new Map<Q, { readonly text: string; readonly question: number }>();
    const isRefused = refusesMemory(context);
    const callsOf = (
      { supplier, search }: { supplier: Supplier; search: Q },
      directive: string | undefined,
      isLive: boolean,
    ): PlannedCall<T>[] => {
      const simulation = simulationHeaders(supplier.config, { directive, seed: scenario?.seed });
      const { text, question } = searches.get(search) ?? identified(search);
      searches.set(search, { text, question });
      const brands = this.registry.brandsToCall(supplier.config, reach.brands);
      const timeoutMs = supplier.config.timeoutMs[operation];
      const perBrand = operation === 'searchVehicles' && supplier.connection.adapter.brandsPerCall === 'one';
      return (perBrand ? brands.map((brand) => [brand]) : [brands]).map((group): PlannedCall<T> => {
        // Per application: otherwise an application could join a call that is queued for another application, or that the other's
        // breaker rejects, and see from the age of an answer what another searched.
        const shareKey = `${caller.applicationId}|${supplier.connection.serial}|${operation}|${group.join()}|${directive ?? ''}|${scenario?.seed ?? ''}|${text}`;
        // The spans of a supplier in shadow would be in no trace: the request doesn't wait for it.
        const span = isLive && context.span ? callSpan(context.span, supplier.connection.address) : undefined;
        return {
          supplier,
          operation,
          ...origin,
          ...(perBrand && group[0] !== undefined ? { brand: group[0] } : {}),
          timeoutMs,
          shareKey,
          span,
          memory:
            isLive && scenario === undefined
              ? supplier.connection.rules.memory?.forCall(operation, caller, shareKey, isRefused, measure)
              : undefined,
          open: () => {
            const bounds = {
              operation,
              caller,
              question: questionOf(group.join(), question),
              endsAtMs: performance.now() + timeoutMs,
              span,
            };
            return supplier.connection.open(context.id, this.config.environment, simulation, bounds);
          },
          run: (call) => run(supplier, group, call, search),
        };
      });
    };
    return {
      operation,
      calls: called.flatMap((one, index) =>
        callsOf(one, scenario?.directiveFor(one.supplier.id, index, called.length), true),
      ),
      skipped: eligible.skipped,
      shadows: withSearch(eligible.shadowed).flatMap((one) => callsOf(one, undefined, false)),
    };
  }

  /** The 503 for a search whose suppliers are all in maintenance, until the first of them is expected back. */
  #allInMaintenance(skipped: readonly Supplier[]): ApiError {
    const ends = skipped.flatMap((supplier) => this.registry.skippedUntil(supplier) ?? []);
    const first = ends.length > 0 ? Math.min(...ends) : undefined;
    return ApiError.of(
      'maintenance',
      'All suppliers for this request are in maintenance. Retry after the time in Retry-After.',
      { headers: { 'retry-after': retryAfterUntil(first, this.config.maintenance.retryAfterSeconds) } },
    );
  }
}

/** The text of a search and the number that identifies it. */
function identified(search: object): { readonly text: string; readonly question: number } {
  const text = JSON.stringify(search);
  return { text, question: questionOf(text) };
}

/** An object of a location takes about this many bytes for each character of its JSON. */
const LOCATION_BYTES_PER_CHARACTER = 3;

const LOCATION_MEASURE: Measure<SupplierLocation> = {
  bytesOf: (location) => JSON.stringify(location).length * LOCATION_BYTES_PER_CHARACTER,
  expiryOf: () => undefined,
};

function tracedEnd(outcome: CallOutcome<unknown>): TracedEnd {
  const { kind, supplier, brand, durationMs } = outcome;
  return {
    supplier: supplier.id,
    brand,
    outcome: kind,
    cause: kind === 'failed' ? outcome.cause : undefined,
    items: kind === 'answered' ? outcome.items.length : undefined,
    durationMs,
  };
}

const ignore = (): void => undefined;

const NOTHING: SupplierAnswer<never> = { items: [], warnings: [] };
