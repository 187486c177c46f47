import { observeShadow } from '../metrics/supplier-lifecycle.js';
import type { SupplierLocation } from '../model/locations.js';
import type { SupplierOffer } from '../model/offers.js';
import type { FanOut, PlannedCall } from './fan-out.js';
import { type CallOutcome, foldCalls } from './outcome.js';

/** More searches of one supplier in shadow are not open at once: the others are left out, for it may be slow and nobody waits for it. */
const MOST_OPEN = 20;

/** How a supplier in shadow compares with what the live ones have answered to the same search. */
export interface Comparison {
  /** Share of what the live ones have that it has, too: classes of cars in the same currency, or counters by number; absent = they have nothing. */
  readonly coverage?: number;
  /** Its cheapest price over their cheapest, mean over the classes that both have; absent = they share none. */
  readonly priceRatio?: number;
}

/** Runs searches of suppliers in shadow once the live answer is out, and compares. Nothing of them reaches a caller. */
export class Shadows {
  readonly #open = new Map<string, number>();

  constructor(private readonly fanOut: FanOut) {}

  /** `live` as the suppliers answered, before the caller's filters: a supplier in shadow is asked without them, too. */
  run<T extends SupplierOffer | SupplierLocation>(
    calls: readonly PlannedCall<T>[],
    live: readonly CallOutcome<T>[],
  ): void {
    const items = live.flatMap((outcome) => (outcome.kind === 'answered' ? outcome.items : []));
    for (const [supplier, own] of Map.groupBy(calls, (call) => call.supplier)) this.#watch(supplier.id, own, items);
  }

  /** All calls of one supplier, which may be one a brand. */
  #watch<T extends SupplierOffer | SupplierLocation>(
    supplier: string,
    calls: readonly PlannedCall<T>[],
    live: readonly T[],
  ): void {
    const operation = calls[0]?.operation ?? '';
    const open = this.#open.get(supplier) ?? 0;
    if (open >= MOST_OPEN) {
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
          const isWhole = kind !== 'failed' && failedBrands.length === 0;
          observeShadow(supplier, operation, { outcome: kind, durationMs, ...(isWhole ? compare(items, live) : {}) });
        }
      },
    });
  }
}

/** Compares what a supplier in shadow found with what all live ones found together. Pure. */
export function compare(
  shadow: readonly (SupplierOffer | SupplierLocation)[],
  live: readonly (SupplierOffer | SupplierLocation)[],
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

function isOffer(item: SupplierOffer | SupplierLocation): item is SupplierOffer {
  return 'price' in item;
}

/** Class of car and currency → lowest total, minor units. The class is the first letter of the SIPP code, or what the supplier calls it without one. */
function cheapestOf(offers: readonly SupplierOffer[]): ReadonlyMap<string, number> {
  const cheapest = new Map<string, number>();
  for (const { vehicle, price } of offers) {
    const name = `${vehicle.sippCode?.[0] ?? vehicle.name} ${price.total.currency}`;
    cheapest.set(name, Math.min(cheapest.get(name) ?? Number.POSITIVE_INFINITY, price.total.amountMinor));
  }
  return cheapest;
}
