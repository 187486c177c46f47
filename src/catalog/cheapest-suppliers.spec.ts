import { describe, expect, it } from '@jest/globals';
import type { ListedOffer } from '../model/offers.js';
import { cheapestSuppliers } from './cheapest-suppliers.js';
import type { NormalizedSearch } from './normalize-search.js';

const money = (text: string) => {
  const [amount, currency = ''] = text.split(' ');
  return { amountMinor: Number(amount), currency };
};
/** Each total as "4711 USD", or with its display price as "4711 USD = 4000 EUR". */
const found = (id: string, ...totals: readonly string[]) => ({
  supplier: { id, name: id },
  items: totals.map((text) => {
    const [total = '', display] = text.split(' = ');
    const price = { total: money(total), ...(display === undefined ? {} : { display: money(display) }) };
    return { price } as unknown as ListedOffer;
  }),
});

describe('the cheapest suppliers of a search', () => {
  it.each([
    ['the one with the lowest total', [found('a', '500 USD', '300 USD'), found('b', '310 USD')], undefined, ['a']],
    [
      'all with the lowest total',
      [found('a', '300 USD'), found('b', '400 USD'), found('c', '300 USD')],
      undefined,
      ['a', 'c'],
    ],
    [
      'in the currency of most suppliers',
      [found('a', '1 EUR', '2 EUR', '3 EUR'), found('b', '310 USD'), found('c', '320 USD')],
      undefined,
      ['b'],
    ],
    ['in the requested currency', [found('a', '300 USD = 290 EUR'), found('b', '900 PLN = 210 EUR')], 'EUR', ['b']],
    ['of offers with a price in it', [found('a', '1 XOF'), found('b', '300 USD = 290 EUR')], 'EUR', ['b']],
    ['none without offers', [found('a')], undefined, []],
  ] as const)('are %s', (_what, outcomes, currency, expected) => {
    const search = { currency, pickup: { ref: { countryCode: 'US' } } } as unknown as NormalizedSearch;
    expect(cheapestSuppliers(outcomes, search)).toEqual(expected);
  });
});
