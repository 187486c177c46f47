import type { SearchedOffer } from '../representations/offer-view.js';
import type { WireView } from '../representations/wire-view.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { inTurns } from '../suppliers/answers/turns.js';
import type { CallOutcome } from '../suppliers/outcome.js';
import { FacetCounts } from './facet-counts.js';
import type { facetsWire } from './facets.wire.js';
import type { NormalizedSearch } from './normalize-search.js';

/** Keeps what suppliers answered before the filters, and counts it for the facets of a search. */
export class FoundFacets {
  readonly #answered = new Map<CallOutcome<SearchedOffer>, readonly SearchedOffer[]>();

  /** `account` is the one whose search it is. */
  constructor(
    private readonly search: NormalizedSearch,
    private readonly account: string | undefined,
  ) {}

  /** Keeps the offers of an outcome until it is counted as `filtered`. */
  keep(outcome: CallOutcome<SearchedOffer>, filtered: CallOutcome<SearchedOffer>): void {
    if (outcome.kind === 'answered') this.#answered.set(filtered, outcome.items);
  }

  /** Counts the offers of these filtered outcomes in turns of the event loop; an outcome after the deadline isn't among them. */
  async count(filtered: readonly CallOutcome<SearchedOffer>[]): Promise<WireView<typeof facetsWire>> {
    const counts = new FacetCounts(this.search);
    for (const outcome of filtered) {
      const { id } = outcome.supplier;
      await inTurns(this.#answered.get(outcome) ?? [], (offer) => counts.add(id, offer), { account: this.account });
    }
    return counts.view();
  }
}

/** The error for a compact view of groups: the tables are those of a list of offers. */
export function noTablesOfGroups(): ApiError {
  const details = '"view=compact" and "group_by" exclude each other. Use view=full for groups.';
  return ApiError.of('invalid_request', details, { field: 'view' });
}

/** Throws ApiError 400 if a search for lines requests what only a complete response has. */
export function refuseInLines({ facets, groupBy }: NormalizedSearch): void {
  const fields = [...(facets ? ['facets'] : []), ...(groupBy ? ['group_by'] : [])];
  const [first, ...rest] = fields.map((field): Problem => {
    const details = `"${field}" can't be combined with "Accept: application/x-ndjson", because it needs all offers. Use application/json.`;
    return { reason: 'invalid_request', field, details };
  });
  if (first) throw new ApiError([first, ...rest]);
}
