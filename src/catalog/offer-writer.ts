import type { JsonBytes } from '../representations/json-bytes.js';
import type { SearchedOffer } from '../representations/offer-view.js';
import type { SupplierOutcome } from '../suppliers/outcome.js';
import { type ToBytes, writeInParts } from './answer-parts.js';
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

/**
 * Sorts the offers of one search and writes the best of them, without holding up other requests. All offers together have at most `mostBytes`
 * bytes. If they are written in several `lines`, the earlier ones may use all of it, but each has its equal part whatever the others used.
 * `account` is the one whose search it is.
 */
export class OfferWriter {
  #bytesLeft: number;

  constructor(
    private readonly search: NormalizedSearch,
    private readonly toBytes: ToBytes,
    private readonly mostBytes: number,
    private readonly account: string | undefined,
    private readonly lines = 1,
  ) {
    this.#bytesLeft = mostBytes;
  }

  /** Writes the offers of these outcomes, which are in supplier order. */
  async write(outcomes: readonly SupplierOutcome<SearchedOffer>[]): Promise<WrittenOffers> {
    const offers = rankOffers(outcomes, this.search);
    const most = Math.max(this.#bytesLeft, this.mostBytes / this.lines);
    const written = await writeInParts(offers.slice(0, this.search.maxResults), this.toBytes, most, this.account);
    const items = written.map(({ bytes }) => bytes);
    for (const { length } of items) this.#bytesLeft -= length + 1;
    return { found: offers.length, items };
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
