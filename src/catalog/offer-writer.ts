import type { SupplierOffer } from '../model/offers.js';
import { inTurns } from '../suppliers/answers/turns.js';
import type { SupplierOutcome } from '../suppliers/outcome.js';
import { type RankedOffer, sortOffers } from './filter-and-sort.js';
import type { NormalizedSearch } from './normalize-search.js';

/** The offers of an answer. */
export interface WrittenOffers {
  /** Number of offers, including those that weren't written. */
  readonly found: number;
  /** The best offers in order, as bytes of JSON: at most `max_results`, and no more than fit into the answer. */
  readonly items: readonly Buffer[];
}

/** Sorts the offers of one search and writes the best of them, without holding up other requests. */
export class OfferWriter {
  /** `toJson` converts one offer; all offers together have at most `bytesLeft` bytes. */
  constructor(
    private readonly search: NormalizedSearch,
    private readonly toJson: (supplier: string, offer: SupplierOffer) => string,
    private bytesLeft: number,
  ) {}

  /** Writes the offers of these outcomes, which are in supplier order. */
  async write(outcomes: readonly SupplierOutcome<SupplierOffer>[]): Promise<WrittenOffers> {
    const offers = sortOffers(
      outcomes.flatMap(({ supplier, items }, supplierIndex) =>
        items.map((offer): RankedOffer => ({ supplier: supplier.id, supplierIndex, offer })),
      ),
      this.search,
    );
    const written: Buffer[] = [];
    await inTurns(offers.slice(0, this.search.maxResults), ({ supplier, offer }) => {
      if (this.bytesLeft <= 0) return;
      const bytes = Buffer.from(this.toJson(supplier, offer));
      this.bytesLeft -= bytes.length + 1;
      if (this.bytesLeft > 0) written.push(bytes);
    });
    return { found: offers.length, items: written };
  }
}
