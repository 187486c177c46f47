import { observeShadow } from '../metrics/supplier-lifecycle.js';
import type { SupplierLocation } from '../model/locations.js';
import type { ListedOffer } from '../model/offers.js';
import type { FanOut, PlannedCall } from './fan-out.js';
import { type CallOutcome, foldCalls } from './outcome.js';

/**
 * Maximum number of open searches per supplier in shadow, which may be slow. Further ones are skipped, since no caller
 * waits for them.
 */
const MAX_OPEN = 20;

/** How a supplier in shadow compares with the live suppliers in the same search. */
export interface Comparison {
  /**
   * Share of the live results that it also has: car classes in the same currency, or the number of locations. Absent if
   * there are no live results.
   */
  readonly coverage?: number;
  /**
   * Its cheapest price divided by the cheapest live price, averaged over all shared car classes. Absent if none is
   * shared.
   */
  readonly priceRatio?: number;
}

/** Searches suppliers in shadow after the live answer is sent, and compares the results. Callers never see them. */
export class Shadows {
  readonly #open = new Map<string, number>();

  constructor(private readonly fanOut: FanOut) {}

  /** `live` holds the outcomes before the caller's filters, which aren't applied to suppliers in shadow either. */
  run<T extends ListedOffer | SupplierLocation>(
    calls: readonly PlannedCall<T>[],
    live: readonly CallOutcome<T>[],
  ): void {
    const items = live.flatMap((outcome) => (outcome.kind === 'answered' ? outcome.items : []));
    for (const [supplier, own] of Map.groupBy(calls, (call) => call.supplier)) this.#watch(supplier.id, own, items);
  }

  /** Takes all calls of one supplier, possibly one per brand. */
  #watch<T extends ListedOffer | SupplierLocation>(
    supplier: string,
    calls: readonly PlannedCall<T>[],
    live: readonly T[],
  ): void {
    const operation = calls[0]?.operation ?? '';
    const open = this.#open.get(supplier) ?? 0;
    if (open >= MAX_OPEN) {
      observeShadow(supplier, operation, { outcome: 'left_out', durationMs: 0 });
      return;
    }
    this.#open.set(supplier, open + 1);
    const outcomes: CallOutcome<T>[] = [];
    this.fanOut.run(calls).subscribe({
      next: ({ outcome }) => outcomes.push(outcome),
      complete: () => {
        this.#open.set(supplier, (this.#open.get(supplier) ?? 1) - 1);
        for (const { kind, items, failedBrands, durationMs } of foldCalls(outcomes)) {
          const isComplete = kind !== 'failed' && failedBrands.length === 0;
          const comparison = isComplete ? compare(items, live) : {};
          observeShadow(supplier, operation, { outcome: kind, durationMs, ...comparison });
        }
      },
    });
  }
}

/** Compares the results of a supplier in shadow with those of all live suppliers together. */
export function compare(
  shadow: readonly (ListedOffer | SupplierLocation)[],
  live: readonly (ListedOffer | SupplierLocation)[],
): Comparison {
  if (live.length === 0) return {};
  if (!live.every(isOffer)) return { coverage: Math.min(1, shadow.length / live.length) };
  const [theirs, own] = [cheapestOf(live), cheapestOf(shadow.filter(isOffer))];
  const shared = [...theirs].flatMap(([name, price]) => {
    const ownPrice = own.get(name);
    return ownPrice === undefined || price === 0 ? [] : [ownPrice / price];
  });
  const coverage = shared.length / theirs.size;
  return shared.length === 0
    ? { coverage }
    : { coverage, priceRatio: shared.reduce((sum, ratio) => sum + ratio, 0) / shared.length };
}

function isOffer(item: ListedOffer | SupplierLocation): item is ListedOffer {
  return 'price' in item;
}

/**
 * Lowest total per car class and currency. The class is the first letter of the SIPP code, or the vehicle name without a
 * code.
 */
function cheapestOf(offers: readonly ListedOffer[]): ReadonlyMap<string, number> {
  const cheapest = new Map<string, number>();
  for (const { vehicle, price } of offers) {
    const name = `${vehicle.sippCode?.[0] ?? vehicle.name} ${price.total.currency}`;
    cheapest.set(name, Math.min(cheapest.get(name) ?? Number.POSITIVE_INFINITY, price.total.amountMinor));
  }
  return cheapest;
}
