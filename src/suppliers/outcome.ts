import type { RequestContext } from '../context/request-context.js';
import type { Fault, Operation } from '../model/supplier.js';
import type { SupplierCause } from '../status/api-error.js';

/** The supplier that an outcome belongs to; the same object for all outcomes of a supplier. */
export interface SupplierRef {
  readonly id: string;
  readonly name: string;
}

/**
 * How one call of the fan-out ended (ruling 1). Failures are values here; `merge` decides whether they become an error.
 */
export type CallOutcome<T> =
  | {
      readonly kind: 'answered';
      readonly supplier: SupplierRef;
      readonly brand?: string;
      readonly items: readonly T[];
      /** Number of its offers without a price in the requested currency, before the filters; absent = none. */
      readonly unconverted?: number;
      readonly durationMs: number;
      readonly shared: boolean;
      /** Age of an answer from memory, in whole seconds; absent = the supplier was called. */
      readonly ageSeconds?: number;
    }
  | {
      readonly kind: 'empty';
      /** Number of offers that the caller's filters removed; absent if the supplier had none. */
      readonly filtered?: number;
      /** As of an answered call. */
      readonly unconverted?: number;
      readonly supplier: SupplierRef;
      readonly brand?: string;
      readonly durationMs: number;
      readonly shared: boolean;
      /** As of an answered call. */
      readonly ageSeconds?: number;
    }
  | {
      readonly kind: 'failed';
      readonly supplier: SupplierRef;
      readonly brand?: string;
      readonly cause: SupplierCause;
      readonly durationMs: number;
      readonly shared: boolean;
    };

/** One call to one supplier, before it has an outcome. */
export interface CallSlot {
  readonly supplier: SupplierRef;
  /** Set if the supplier gets one call per brand. */
  readonly brand?: string;
}

/** The request that made a call; for a call that several requests share, the first of them. */
export interface CallOrigin {
  readonly requestId: string;
  /** Undefined if the request isn't traced. */
  readonly traceId?: string | undefined;
  /** Undefined for background work that isn't done for an application. */
  readonly application: string | undefined;
  /** That the application belongs to; absent for background work. */
  readonly account?: string | undefined;
  /** The request has a sandbox scenario, so the outcome may be one that its caller ordered. */
  readonly isStaged?: boolean;
}

/** The origin of calls made for this request. */
export function originOf(context: RequestContext): CallOrigin {
  const { id, span, applicationId, onBehalfOf, scenario } = context;
  const account = applicationId === undefined ? undefined : context.policy.accountId;
  const isStaged = scenario !== undefined;
  return { requestId: id, traceId: span?.traceId, application: applicationId ?? onBehalfOf, account, isStaged };
}

/** A call, as identified in metrics and logs. */
export interface ObservedCall extends CallSlot, CallOrigin {
  readonly operation: Operation;
  /** What the call knows about the renter, in any shape; no log line may contain its texts. */
  readonly renter?: unknown;
}

/** The combined outcome of all calls to one supplier. */
export interface SupplierOutcome<T> {
  readonly supplier: SupplierRef;
  readonly kind: 'answered' | 'empty' | 'failed';
  readonly items: readonly T[];
  readonly cause?: SupplierCause;
  /** For an empty supplier: number of offers that the caller's filters removed. */
  readonly filtered?: number;
  /** Number of offers without a price in the requested currency, before the filters; absent = none. */
  readonly unconverted?: number;
  /** For a supplier that answered: brands that failed, which also make the result partial. */
  readonly failedBrands: readonly { readonly brand: string; readonly cause: SupplierCause }[];
  readonly durationMs: number;
  readonly shared: boolean;
  /** Age of its oldest answer from memory, in whole seconds; absent if all calls were made. */
  readonly ageSeconds?: number;
}

/**
 * The cause that callers see for a fault. `auth` concerns the gateway's credentials, so callers see `rejected`
 * (docs/trade.md#ota-errors).
 */
export function causeOf(fault: Fault): SupplierCause {
  if (fault === 'auth') return 'rejected';
  return fault === 'cancelled' ? 'unavailable' : fault;
}

/**
 * Combines the calls of each supplier into one outcome: answered if any call answered (failed brands are listed
 * separately), otherwise failed if any call failed, because that call might have found something, otherwise empty.
 * Input and output are in supplier order.
 */
export function foldCalls<T>(calls: readonly CallOutcome<T>[]): SupplierOutcome<T>[] {
  const bySupplier = new Map<string, CallOutcome<T>[]>();
  for (const call of calls) {
    const list = bySupplier.get(call.supplier.id);
    if (list) list.push(call);
    else bySupplier.set(call.supplier.id, [call]);
  }
  return [...bySupplier.values()].map(foldSupplier);
}

function foldSupplier<T>(calls: readonly CallOutcome<T>[]): SupplierOutcome<T> {
  const [first] = calls;
  if (!first) throw new Error('cannot combine zero calls');
  const answered = calls.filter((call) => call.kind === 'answered');
  const failed = calls.filter((call) => call.kind === 'failed');
  const [firstFailed] = failed;
  const ages = calls.flatMap((call) => (call.kind === 'failed' ? [] : (call.ageSeconds ?? [])));
  const filtered = calls.reduce((sum, call) => sum + (call.kind === 'empty' ? (call.filtered ?? 0) : 0), 0);
  const unconverted = calls.reduce((sum, call) => sum + (call.kind === 'failed' ? 0 : (call.unconverted ?? 0)), 0);
  return {
    supplier: first.supplier,
    kind: answered.length > 0 ? 'answered' : firstFailed ? 'failed' : 'empty',
    items: answered.length === 1 && answered[0] ? answered[0].items : answered.flatMap((call) => call.items),
    ...(answered.length === 0 && firstFailed ? { cause: firstFailed.cause } : {}),
    ...(answered.length === 0 && !firstFailed && filtered > 0 ? { filtered } : {}),
    ...(unconverted > 0 ? { unconverted } : {}),
    failedBrands:
      answered.length > 0
        ? failed.flatMap((call) => (call.brand === undefined ? [] : [{ brand: call.brand, cause: call.cause }]))
        : [],
    durationMs: Math.max(...calls.map((call) => call.durationMs)),
    shared: calls.every((call) => call.shared),
    ...(ages.length > 0 ? { ageSeconds: Math.max(...ages) } : {}),
  };
}
