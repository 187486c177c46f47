import { expect, it } from '@jest/globals';
import type { SupplierOffer, Vehicle } from '../model/offers.js';
import { offerAt } from '../representations/fixtures/sample-offer.js';
import { applyFilters, sortOffers } from './filter-and-sort.js';
import type { NormalizedSearch } from './normalize-search.js';

/** The names of the cars that pass a filter. */
function passing(cars: readonly Partial<Vehicle>[], filter: Partial<NormalizedSearch>): string[] {
  const outcome = applyFilters(
    {
      supplier: { id: 'a', name: 'a' },
      kind: 'answered',
      items: cars.map((own) => ({ ...offerAt(1), vehicle: { name: '', orSimilar: true, ...own } })),
      durationMs: 1,
      shared: false,
    },
    { sippCodes: [], ...filter } as unknown as NormalizedSearch,
  );
  return outcome.kind === 'answered' ? outcome.items.map(({ vehicle }) => vehicle.name) : [];
}

const cars = [
  { name: 'stated', transmission: 'manual', fuel: 'diesel' },
  { name: 'coded', sippCode: 'ECMD' },
  { name: 'contradictory', sippCode: 'ECAV', transmission: 'manual', fuel: 'diesel' },
  { name: 'unknown' },
] as const;

it('a car matches a filter only on what its supplier states without contradiction', () => {
  expect(passing(cars, { transmission: 'manual' })).toEqual(['stated', 'coded']);
  expect(passing(cars, { transmission: 'automatic' })).toEqual([]);
  expect(passing(cars, { fuel: 'diesel' })).toEqual(['stated', 'coded']);
  expect(passing(cars, { fuel: 'petrol' })).toEqual([]);
  expect(passing(cars, {})).toHaveLength(4);
});

/** An offer at a total, with its total and due now in euros; undefined = no rate is known. */
function priced(name: string, currency: string, amountMinor: number, euros?: number, dueNow = 0): SupplierOffer {
  const offer = offerAt(amountMinor);
  const euro = (minor: number) => ({ amountMinor: minor, currency: 'EUR' });
  const display = euros === undefined ? {} : { display: { ...euro(euros), dueNow: euro(dueNow) } };
  const total = { amountMinor, currency };
  return { ...offer, vehicle: { name, orSimilar: true }, price: { ...offer.price, total, ...display } };
}

const mixed = [
  priced('dollars', 'USD', 16_000, 14_798, 900),
  priced('yen', 'JPY', 20_000, 12_319, 100),
  priced('pesos', 'ARS', 1),
  priced('euros', 'EUR', 15_001, 15_001),
  priced('bound', 'EUR', 15_000, 15_000),
];

function search(more: Partial<NormalizedSearch>, countryCode = 'FR'): NormalizedSearch {
  const pickup = { ref: { countryCode } };
  return { sippCodes: [], sortBy: 'price_total', pickup, ...more } as unknown as NormalizedSearch;
}

function filtered(offers: readonly SupplierOffer[], more: Partial<NormalizedSearch>) {
  const supplier = { id: 'a', name: 'a' };
  return applyFilters({ supplier, kind: 'answered', items: offers, durationMs: 1, shared: false }, search(more));
}

it('price_max is compared in the requested currency, and counts the offers that have no price in it', () => {
  const outcome = filtered(mixed, { currency: 'EUR', priceMax: '150' });
  expect(outcome).toMatchObject({ kind: 'answered', unconverted: 1 });
  expect(outcome.kind === 'answered' && outcome.items.map(({ vehicle }) => vehicle.name)).toEqual([
    'dollars',
    'yen',
    'bound',
  ]);
  const pesos = filtered(mixed.slice(2, 3), { currency: 'EUR', priceMax: '150' });
  expect(pesos).toMatchObject({ kind: 'empty', filtered: 1, unconverted: 1 });
});

it('without price_max, an offer without a price in the requested currency stays', () => {
  expect(filtered(mixed, { currency: 'EUR' })).toMatchObject({ items: mixed, unconverted: 1 });
});

it('without a currency, price_max is compared in the currency of each offer', () => {
  const outcome = filtered(mixed, { priceMax: '150' });
  expect(outcome.kind === 'answered' && outcome.items.map(({ vehicle }) => vehicle.name)).toEqual(['pesos', 'bound']);
  expect(outcome).not.toHaveProperty('unconverted');
});

it.each([
  ['price_total', 'EUR', ['yen', 'dollars', 'bound', 'euros', 'pesos']],
  ['price_due_now', 'EUR', ['bound', 'euros', 'yen', 'dollars', 'pesos']],
  ['price_total', undefined, ['bound', 'euros', 'pesos', 'yen', 'dollars']],
] as const)('sorted by %s in %s, offers without a price in the currency come last', (sortBy, currency, names) => {
  const offers = mixed.map((offer) => ({ supplier: 'a', supplierIndex: 0, offer }));
  const sorted = sortOffers(offers, search({ sortBy, ...(currency === undefined ? {} : { currency }) }));
  expect(sorted.map(({ offer }) => offer.vehicle.name)).toEqual(names);
});

/** Offers of suppliers, each as "4711 USD", in the order in which a search without a currency lists them. */
function listed(countryCode: string, answers: Record<string, string>): string {
  const offers = Object.entries(answers).flatMap(([supplier, prices], supplierIndex) =>
    prices.split(', ').map((price) => {
      const [amount, currency = ''] = price.split(' ');
      return { supplier, supplierIndex, offer: priced(price, currency, Number(amount)) };
    }),
  );
  return sortOffers(offers, search({}, countryCode))
    .map(({ supplier, offer }) => `${supplier} ${offer.vehicle.name}`)
    .join(', ');
}

it.each<[string, string, Record<string, string>, string]>([
  [
    'of most suppliers, however many offers one has in another',
    'ZZ',
    { a: '1 EUR, 2 EUR, 3 EUR', b: '200 USD', c: '100 USD' },
    'c 100 USD, b 200 USD, a 1 EUR, a 2 EUR, a 3 EUR',
  ],
  ['of the pickup country', 'US', { a: '1 EUR, 2 EUR', b: '200 USD' }, 'b 200 USD, a 1 EUR, a 2 EUR'],
  ['of most offers', 'JP', { a: '1 EUR', b: '200 USD, 300 USD' }, 'b 200 USD, b 300 USD, a 1 EUR'],
  ['that comes first in the alphabet', 'JP', { a: '200 USD', b: '1 EUR' }, 'b 1 EUR, a 200 USD'],
  [
    'of most suppliers before that of the country',
    'US',
    { a: '200 USD', b: '1 EUR', c: '2 EUR' },
    'b 1 EUR, c 2 EUR, a 200 USD',
  ],
])('without a currency in the search, the currency %s comes first', (_what, country, answers, expected) => {
  expect(listed(country, answers)).toBe(expected);
});
