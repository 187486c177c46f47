import type { JsonBytes } from '../representations/json-bytes.js';
import type { SearchedOffer } from '../representations/offer-view.js';
import { inTurns } from '../suppliers/answers/turns.js';
import type { SupplierOutcome } from '../suppliers/outcome.js';
import { type RankedOffer, sortOffers } from './filter-and-sort.js';
import type { NormalizedSearch } from './normalize-search.js';

/** The offers of an answer. */
export interface WrittenOffers {
  /** Number of offers, including those that weren't written. */
  readonly found: number;
  /** Number of groups, if the offers were grouped. */
  readonly groups?: number;
  /** The best offers in order, as bytes of JSON: at most `max_results`, and no more than fit into the answer. */
  readonly items: readonly JsonBytes[];
}

/** Sorts the offers of one search and writes the best of them, without holding up other requests. */
export class OfferWriter {
  /** `toBytes` returns the JSON of one offer; all offers together have at most `bytesLeft` bytes. */
  constructor(
    private readonly search: NormalizedSearch,
    private readonly toBytes: (supplier: string, offer: SearchedOffer) => JsonBytes,
    private bytesLeft: number,
  ) {}

  /** Writes the offers of these outcomes, which are in supplier order. */
  async write(outcomes: readonly SupplierOutcome<SearchedOffer>[]): Promise<WrittenOffers> {
    const offers = rankOffers(outcomes, this.search);
    const written: JsonBytes[] = [];
    await inTurns(offers.slice(0, this.search.maxResults), ({ supplier, offer }) => {
      if (this.bytesLeft <= 0) return;
      const bytes = this.toBytes(supplier, offer);
      this.bytesLeft -= bytes.length + 1;
      if (this.bytesLeft > 0) written.push(bytes);
    });
    return { found: offers.length, items: written };
  }
}

/** The offers of these outcomes, which are in supplier order, in the requested order. */
export function rankOffers(
  outcomes: readonly SupplierOutcome<SearchedOffer>[],
  search: NormalizedSearch,
): RankedOffer<SearchedOffer>[] {
  return sortOffers(
    outcomes.flatMap(({ supplier, items }, supplierIndex) =>
      items.map((offer): RankedOffer<SearchedOffer> => ({ supplier: supplier.id, supplierIndex, offer })),
    ),
    search,
  );
}
