import { commaSeparated, concatenated, type JsonBytes } from '../representations/json-bytes.js';
import type { SearchedOffer } from '../representations/offer-view.js';
import { inTurns } from '../suppliers/answers/turns.js';
import type { SupplierOutcome } from '../suppliers/outcome.js';
import { type ToBytes, writeInParts } from './answer-parts.js';
import { groupCars, type Member, memberOf } from './car-groups.js';
import type { NormalizedSearch } from './normalize-search.js';
import { rankOffers, type WrittenOffers } from './offer-writer.js';

/** Groups the offers of one search and writes the best groups, without holding up other requests. */
export class GroupWriter {
  /** As of OfferWriter. */
  constructor(
    private readonly search: NormalizedSearch,
    private readonly toBytes: ToBytes,
    private readonly mostBytes: number,
    private readonly account: string | undefined,
  ) {}

  /**
   * Writes groups until they have `max_results` offers; the last one may have fewer alternatives than were found. `groups` is
   * their number before that.
   */
  async write(outcomes: readonly SupplierOutcome<SearchedOffer>[]): Promise<WrittenOffers> {
    const taker = { account: this.account };
    const sorted = rankOffers(outcomes, this.search);
    const members: Member<SearchedOffer>[] = [];
    await inTurns(sorted, (ranked) => void members.push(memberOf(ranked)), taker);
    const groups = groupCars(members, this.search.currency);
    const offers = groups.flatMap((group) => group.offers).slice(0, this.search.maxResults);
    const bytesOf = new Map<object, JsonBytes>();
    const parts = await writeInParts(offers, this.toBytes, this.mostBytes, this.account);
    for (const { ranked, bytes } of parts) bytesOf.set(ranked, bytes);
    const items: JsonBytes[] = [];
    const write = (group: (typeof groups)[number]): void => {
      const written = group.offers.flatMap((offer) => bytesOf.get(offer) ?? []);
      if (written.length > 0) items.push(groupBytes(written, group.matchedBy));
    };
    await inTurns(groups, write, taker);
    return { found: sorted.length, groups: groups.length, items };
  }
}

function groupBytes([offer, ...alternatives]: readonly JsonBytes[], matchedBy: readonly string[]): Buffer {
  // What matched is known from all offers of the group, of which some may not fit.
  const matched = JSON.stringify(alternatives.length > 0 ? matchedBy : []);
  return concatenated([
    Buffer.from('{"offer":'),
    offer ?? Buffer.from('null'),
    Buffer.from(',"alternatives":['),
    ...commaSeparated(alternatives),
    Buffer.from(`],"matched_by":${matched}}`),
  ]);
}
