import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer } from '../model/offers.js';
import { offerAt } from '../representations/fixtures/sample-offer.js';
import type { JsonBytes } from '../representations/json-bytes.js';
import type { SupplierOutcome } from '../suppliers/outcome.js';
import type { ToBytes } from './answer-parts.js';
import { GroupWriter } from './group-writer.js';
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

const byPrice = (maxResults: number) => ({ sortBy: 'price_total', maxResults }) as unknown as NormalizedSearch;

/** Ten bytes with the comma, a hundred of suppliers in capitals. */
const toBytes: ToBytes = (supplier, { price }) =>
  Buffer.from(`${supplier}${price.total.amountMinor} €`.padEnd(supplier < 'a' ? 97 : 7));

function writer(mostBytes: number, maxResults = 100, lines = 1): OfferWriter {
  return new OfferWriter(byPrice(maxResults), toBytes, mostBytes, 'acc_a', lines);
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
    const lines = writer(35, 100, 4);
    const written = [await lines.write([outcome('a', [1, 2])]), await lines.write([outcome('b', [3, 4])])];
    expect(written.map(({ items }) => items.length)).toEqual([2, 1]);
  });

  it.each<[string, number, string[]]>([
    ['all that fit', 450, ['A1', 'A2', 'A3', 'A4', 'b5', 'b6', 'c7', 'c8', 'c9']],
    ['all of those with short offers, the rest for the others', 449, ['A1', 'A2', 'A3', 'b5', 'b6', 'c7', 'c8', 'c9']],
    ['no more than its part', 150, ['A1', 'b5', 'b6', 'c7', 'c8', 'c9']],
    ['what fits, if no part has room', 60, ['b5', 'b6', 'c7', 'c8', 'c9']],
    ['the cheapest, if there is room for one', 12, ['b5']],
  ])('give each supplier %s', async (_, most, left) => {
    const found = [outcome('A', [1, 2, 3, 4]), outcome('b', [5, 6]), outcome('c', [7, 8, 9])];
    const { items } = await writer(most).write(found);
    expect(trimmed(items)).toEqual(left);
    expect(items.reduce((bytes, { length }) => bytes + length + 1, 0)).toBeLessThanOrEqual(most);
  });

  it('in groups: give each supplier its part too', async () => {
    const groups = new GroupWriter(byPrice(100), toBytes, 250, 'acc_a');
    const { found, items } = await groups.write([outcome('A', [1, 2, 3, 4]), outcome('b', [5, 6])]);
    expect(found).toBe(6);
    expect(
      items
        .join()
        .match(/[Ab]\d/g)
        ?.sort(),
    ).toEqual(['A1', 'A2', 'b5', 'b6']);
  });

  it('in lines: earlier ones may use all, later ones have their part', async () => {
    const lines = writer(250, 100, 4);
    const found = [outcome('A', [1, 2, 3]), outcome('B', [1]), outcome('c', [1, 2, 3, 4, 5, 6, 7])];
    const written: (string | undefined)[] = [];
    for (const one of found) written.push(trimmed((await lines.write([one])).items).join(' '));
    expect(written).toEqual(['A1 A2', '', 'c1 c2 c3 c4 c5 c6']);
  });
});
