import { Readable } from 'node:stream';
import type { SupplierOffer } from '../model/offers.js';
import type { OfferWriter } from '../representations/offer-view.js';
import { supplierRow } from '../representations/supplier-row.js';
import { ApiError } from '../status/api-error.js';
import { type ErrorEntry, type StatusContainer, statusContainer } from '../status/status-container.js';
import { merge } from '../suppliers/merge.js';
import { type CallOutcome, foldCalls } from '../suppliers/outcome.js';
import { sortOffers } from './filter-and-sort.js';
import type { NormalizedSearch } from './normalize-search.js';

/** The NDJSON of one search: a head line, a line for each outcome as it comes, a last line with `status`. Nothing is sent until `readable` is read. */
export class OfferStream {
  readonly readable = new Readable({ read: () => undefined });
  readonly #written = new Set<string>();

  /** `head` is the first line, without its end. */
  constructor(
    head: string,
    private readonly search: NormalizedSearch,
    private readonly writer: OfferWriter,
  ) {
    this.readable.push(`${head}\n`);
  }

  /** Writes the line of a call: its row of `suppliers[]`, its brand, and its best `max_results` offers. */
  add(outcome: CallOutcome<SupplierOffer>): void {
    const [folded] = foldCalls([outcome]);
    if (!folded) return;
    this.#written.add(keyOf(outcome));
    const { id: supplier } = folded.supplier;
    const offers = sortOffers(
      folded.items.map((offer) => ({ supplier, supplierIndex: 0, offer })),
      this.search,
    ).slice(0, this.search.maxResults);
    const row = JSON.stringify({
      ...supplierRow(folded),
      ...(outcome.brand === undefined ? {} : { brand: outcome.brand }),
    });
    this.readable.push(
      `${row.slice(0, -1)},"vehicles":[${offers.map(({ offer }) => this.writer.write(supplier, offer)).join(',')}]}\n`,
    );
  }

  /**
   * Writes what has no line yet (calls cut off by timeout_ms) and the last line; gives that line's error entries. `outcomes` are all, in order;
   * `requestTime` epoch ms.
   */
  end(outcomes: readonly CallOutcome<SupplierOffer>[], requestTime: number): readonly ErrorEntry[] {
    for (const outcome of outcomes) if (!this.#written.has(keyOf(outcome))) this.add(outcome);
    const status = finalStatus(outcomes, requestTime);
    this.readable.push(`{"status":${JSON.stringify(status)}}\n`);
    this.readable.push(null);
    return status.errors ?? [];
  }
}

function keyOf({ supplier, brand }: CallOutcome<unknown>): string {
  return `${supplier.id}|${brand ?? ''}`;
}

function finalStatus(outcomes: readonly CallOutcome<SupplierOffer>[], requestTime: number): StatusContainer {
  try {
    const { partial, problems } = merge(foldCalls(outcomes));
    return statusContainer(requestTime, partial ? 206 : 200, problems);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return statusContainer(requestTime, undefined, error.problems);
  }
}
