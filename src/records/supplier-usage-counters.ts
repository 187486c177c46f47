import { CALLER_LEFT, type EndedRequest } from '../http/request-recorder.js';
import type { TracedCall } from '../metrics/request-trace.js';
import { bucketOf, emptyBuckets } from '../metrics/supplier-tallies.js';
import { CounterRows } from './counter-rows.js';

/** Length of a slot, in which calls are added up. */
export const SLOT_MINUTES = 5;

/** Calls to one supplier for requests of an application, of one operation and outcome, in one slot. */
export interface SupplierUsageRow {
  readonly applicationId: string;
  /** Start of the slot, in minutes since 1970. */
  readonly slot: number;
  readonly supplier: string;
  /** What the supplier was asked: searchVehicles, priceCheck, book … */
  readonly operation: string;
  /** answered, empty, `client_left` (the request was gone first), or a cause or refusal (status/causes.ts). */
  readonly cause: string;
  calls: number;
  /** The calls that were answered from memory, without asking the supplier. They aren't in `buckets`. */
  remembered: number;
  /** Calls by bucket of TALLY_BOUNDS_MS; one more than bounds. */
  readonly buckets: number[];
  /** Offers found, after the caller's filters. */
  offers: number;
  /** Searches in which the supplier had the cheapest offer, alone or with others. */
  cheapest: number;
  /** Prices that were checked again for the same driver and choices. */
  compared: number;
  /** How many of these prices had changed. */
  changed: number;
  /** Sum of the changes, in hundredths of a percent of the price before. */
  changeBasisPoints: number;
}

/** Counts the calls to suppliers of ended requests in memory until they are written, in at most `mostRows` rows (CounterRows). */
export class SupplierUsageCounters {
  readonly #rows: CounterRows<SupplierUsageRow>;

  /** `lost` receives the number of calls in each dropped row. */
  constructor(mostRows: number, lost: (calls: number) => void) {
    this.#rows = new CounterRows(mostRows, lost);
  }

  /** Counts every call of a request. One that hadn't ended counts as timed out, or as client_left if its client disconnected. */
  count(request: EndedRequest): void {
    const { trace } = request;
    if (!trace) return;
    for (const call of trace.calls) this.#countCall(call, request);
    for (const supplier of trace.cheapest) this.#row(request, supplier, 'searchVehicles', 'answered').cheapest += 1;
    for (const { supplier, changeBasisPoints } of trace.prices) {
      const row = this.#row(request, supplier, 'priceCheck', 'answered');
      row.compared += 1;
      if (changeBasisPoints !== 0) row.changed += 1;
      row.changeBasisPoints += changeBasisPoints;
    }
  }

  /** Removes and returns up to `count` rows, oldest first; empty = nothing was counted. */
  take(count: number): readonly SupplierUsageRow[] {
    return this.#rows.take(count);
  }

  #countCall(call: TracedCall, request: EndedRequest): void {
    const { supplier, operation, items = 0, ageSeconds, startedAt } = call;
    const cause = causeOf(call, request.status);
    const row = this.#row(request, supplier, operation, cause);
    row.calls += 1;
    row.offers += items;
    if (ageSeconds !== undefined) row.remembered += 1;
    else if (cause !== 'client_left') {
      const bucket = bucketOf((call.endedAt ?? request.startedAt + request.durationMs) - startedAt);
      row.buckets[bucket] = (row.buckets[bucket] ?? 0) + 1;
    }
  }

  #row({ applicationId, at }: EndedRequest, supplier: string, operation: string, cause: string): SupplierUsageRow {
    const minute = Math.floor(at / 60_000);
    const slot = minute - (minute % SLOT_MINUTES);
    return this.#rows.of(`${applicationId} ${slot} ${supplier} ${operation} ${cause}`, () => ({
      ...{ applicationId, slot, supplier, operation, cause, calls: 0, remembered: 0, buckets: emptyBuckets() },
      ...{ offers: 0, cheapest: 0, compared: 0, changed: 0, changeBasisPoints: 0 },
    }));
  }
}

function causeOf({ outcome, cause }: TracedCall, status: number): string {
  if (outcome === 'open') return status === CALLER_LEFT ? 'client_left' : 'timeout';
  return outcome === 'failed' ? (cause ?? 'unavailable') : outcome;
}
