import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer } from '../model/offers.js';
import { offerAt } from '../representations/fixtures/sample-offer.js';
import type { JsonBytes } from '../representations/json-bytes.js';
import type { SupplierOutcome } from '../suppliers/outcome.js';
import type { NormalizedSearch } from './normalize-search.js';
import { OfferWriter } from './offer-writer.js';

const outcome = (id: string, amounts: readonly number[]): SupplierOutcome<SupplierOffer> => ({
  supplier: { id, name: id },
  kind: 'answered',
  items: amounts.map(offerAt),
  failedBrands: [],
  durationMs: 1,
  shared: false,
});

/** A writer of offers that take ten bytes each, with their commas. */
function writer(mostBytes: number, maxResults = 100): OfferWriter {
  const search = { sortBy: 'price_total', maxResults } as unknown as NormalizedSearch;
  return new OfferWriter(
    search,
    (supplier, { price }) => Buffer.from(`${supplier}${price.total.amountMinor} €`.padEnd(7)),
    mostBytes,
  );
}

const trimmed = (items: readonly JsonBytes[]) => items.map((item) => item.toString().split(' ')[0]);

describe('the offers of an answer', () => {
  it('are the best of all suppliers, at most max_results', async () => {
    const { found, items } = await writer(1_000, 3).write([outcome('a', [5, 1]), outcome('b', [4, 2])]);
    expect([found, trimmed(items)]).toEqual([4, ['a1', 'b2', 'b4']]);
  });

  it('are left out beyond the limit of bytes, but counted', async () => {
    const { found, items } = await writer(35).write([outcome('a', [5, 1]), outcome('b', [4, 2])]);
    expect([found, trimmed(items)]).toEqual([4, ['a1', 'b2', 'b4']]);
  });

  it('share that limit with the offers of earlier lines', async () => {
    const lines = writer(35);
    const written = [await lines.write([outcome('a', [1, 2])]), await lines.write([outcome('b', [3, 4])])];
    expect(written.map(({ items }) => items.length)).toEqual([2, 1]);
  });
});
