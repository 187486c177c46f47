import { Readable } from 'node:stream';
import type { SupplierOffer } from '../model/offers.js';
import type { OfferViews } from '../representations/offer-view.js';
import { ApiError } from '../status/api-error.js';
import { type ErrorEntry, type StatusContainer, statusContainer } from '../status/status-container.js';
import { merge } from '../suppliers/merge.js';
import { type CallOutcome, foldCalls } from '../suppliers/outcome.js';
import { sortOffers } from './filter-and-sort.js';
import type { NormalizedSearch } from './normalize-search.js';
import { supplierRow } from './supplier-row.js';

/**
 * The NDJSON of one search: a head line, one line per outcome as it arrives, a last line with `status`. Nothing is sent
 * until `readable` is read.
 */
export class OfferStream {
  readonly readable = new Readable({ read: () => undefined });
  readonly #written = new Set<string>();
  #length = 0;

  /** `head` is the first line. `grown` is called with the length of all lines after each of them. */
  constructor(
    head: object,
    private readonly search: NormalizedSearch,
    private readonly views: OfferViews,
    private readonly grown: (length: number) => void,
  ) {
    this.#write(head);
  }

  /** Writes the line of a call: its row of `suppliers[]`, its brand and its best `max_results` offers. */
  add(outcome: CallOutcome<SupplierOffer>): void {
    const [folded] = foldCalls([outcome]);
    if (!folded) return;
    this.#written.add(keyOf(outcome));
    const { id: supplier } = folded.supplier;
    const offers = sortOffers(
      folded.items.map((offer) => ({ supplier, supplierIndex: 0, offer })),
      this.search,
    ).slice(0, this.search.maxResults);
    this.#write({
      ...supplierRow(folded),
      brand: outcome.brand,
      vehicles: offers.map(({ offer }) => this.views.of(supplier, offer)),
    });
  }

  /**
   * Writes a line for each remaining call (those cut off by timeout_ms) and the last line, whose error entries it
   * returns. `outcomes` are all outcomes in order; `requestTime` is in epoch milliseconds.
   */
  end(outcomes: readonly CallOutcome<SupplierOffer>[], requestTime: number): readonly ErrorEntry[] {
    for (const outcome of outcomes) if (!this.#written.has(keyOf(outcome))) this.add(outcome);
    const status = finalStatus(outcomes, requestTime);
    this.#write({ status });
    this.readable.push(null);
    return status.errors ?? [];
  }

  #write(line: object): void {
    const text = `${JSON.stringify(line)}\n`;
    this.#length += text.length;
    this.readable.push(text);
    this.grown(this.#length);
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
