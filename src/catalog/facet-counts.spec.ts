import { expect, it } from '@jest/globals';
import type { SupplierOffer } from '../model/offers.js';
import { sampleOffer, usd } from '../representations/fixtures/sample-offer.js';
import { FacetCounts, MOST_VALUES } from './facet-counts.js';
import { FACETS, type FacetName } from './fact-filters.schema.js';
import type { NormalizedSearch } from './normalize-search.js';

/** A choice from 0 to `count` - 1 that is the same for the same seed (mulberry32). */
function choices(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  };
}

type Choose = (count: number) => number;

function oneOf<const T extends readonly unknown[]>(choose: Choose, ...values: T): T[number] {
  return values[choose(values.length)];
}

function randomOffer(choose: Choose): SupplierOffer {
  const unlimited = oneOf(choose, undefined, true, false);
  const freeUntil = oneOf(choose, undefined, '2027-01-31T10:00:00', '2027-01-20T10:00:00');
  const total = { amountMinor: choose(30_000), currency: oneOf(choose, 'USD', 'EUR') };
  return {
    ...sampleOffer,
    brand: oneOf(choose, 'Uno', 'Due'),
    vehicle: {
      name: 'Sample',
      orSimilar: true,
      sippCode: oneOf(choose, undefined, 'EDMR', 'CDAE', 'CDAC', 'SVMN', 'EDAD'),
      fuel: oneOf(choose, undefined, 'petrol', 'electric', 'steam'),
      transmission: oneOf(choose, undefined, 'manual', 'automatic'),
      seats: oneOf(choose, undefined, 4, 5, 21),
      doors: oneOf(choose, undefined, 3, 5, '2-4'),
      bagsLarge: oneOf(choose, undefined, 0, 2),
    },
    pickup: { ...sampleOffer.pickup, counter: oneOf(choose, undefined, 'in_terminal', 'other') },
    rate: { ...sampleOffer.rate, payment: oneOf(choose, 'pay_now', 'pay_later') },
    price: { ...sampleOffer.price, total },
    distancePolicy: unlimited === undefined ? [] : [{ unlimited }],
    cancellation: { rules: [], source: 'structured', freeUntil },
  } as SupplierOffer;
}

/** Each filter with one chance in three. */
function randomFilter(choose: Choose) {
  const maybe = <const T extends readonly unknown[]>(...values: T) =>
    choose(3) === 0 ? oneOf(choose, ...values) : undefined;
  const all = {
    transmission: maybe('manual', 'automatic'),
    fuel: maybe('petrol', 'electric'),
    seatsMin: maybe(5, 6),
    unlimitedDistance: maybe(true),
    freeCancellation: maybe(true),
    priceMax: maybe('100', '200.00'),
    payment: maybe('pay_now'),
    category: maybe('economy', 'seats_7'),
    until: maybe('2027-01-25T00:00:00'),
  };
  return all;
}

type Offer = SupplierOffer;

/** What an offer states, read by hand: SIPP letters and attributes must not contradict each other. */
const stated = {
  transmission: ({ vehicle: { sippCode, transmission } }: Offer) => {
    const coded = sippCode === undefined ? undefined : sippCode[2] === 'A' ? 'automatic' : 'manual';
    return coded && transmission && coded !== transmission ? undefined : (transmission ?? coded);
  },
  fuel: ({ vehicle: { sippCode, fuel } }: Offer) => {
    const coded = ({ E: 'electric', C: 'electric', D: 'diesel' } as Record<string, string>)[sippCode?.[3] ?? ''];
    if (coded && fuel && fuel !== 'steam' && coded !== fuel) return undefined;
    return ['petrol', 'diesel', 'hybrid', 'electric'].includes(fuel ?? coded ?? '') ? (fuel ?? coded) : undefined;
  },
  category: ({ vehicle: { sippCode } }: Offer) =>
    ({ EDMR: 'economy', EDAD: 'economy', CDAE: 'compact', CDAC: 'compact', SVMN: 'seats_7' })[sippCode ?? ''],
};

/** Whether an offer passes all filters except those of `facet`. */
function matches(offer: Offer, filter: Record<string, unknown>, facet: FacetName): boolean {
  const tests: [FacetName, string, boolean][] = [
    ['transmission', 'transmission', stated.transmission(offer) === filter.transmission],
    ['fuel', 'fuel', stated.fuel(offer) === filter.fuel],
    ['seats', 'seatsMin', (offer.vehicle.seats ?? 0) >= Number(filter.seatsMin)],
    ['unlimited_distance', 'unlimitedDistance', offer.distancePolicy[0]?.unlimited === true],
    ['free_cancellation', 'freeCancellation', offer.cancellation.freeUntil !== undefined],
    ['free_cancellation', 'until', (offer.cancellation.freeUntil ?? '') >= String(filter.until)],
    ['price', 'priceMax', offer.price.total.amountMinor <= Number(filter.priceMax) * 100],
    ['payment', 'payment', offer.rate.payment === filter.payment],
    ['category', 'category', stated.category(offer) === filter.category],
  ];
  return tests.every(([own, name, passes]) => own === facet || filter[name] === undefined || passes);
}

const values: Partial<Record<FacetName, (offer: Offer, supplier: string) => unknown>> = {
  supplier: (_offer, supplier) => supplier,
  brand: ({ brand }) => brand,
  category: stated.category,
  transmission: stated.transmission,
  fuel: stated.fuel,
  seats: ({ vehicle }) => (vehicle.seats === 21 ? undefined : vehicle.seats),
  doors: ({ vehicle }) => (vehicle.doors === '2-4' ? 2 : vehicle.doors),
  bags_large: ({ vehicle }) => vehicle.bagsLarge,
  bags_small: () => undefined,
  payment: ({ rate }) => rate.payment,
  unlimited_distance: ({ distancePolicy }) => distancePolicy[0]?.unlimited,
  free_cancellation: ({ cancellation }) => cancellation.freeUntil && true,
  counter: ({ pickup }) => pickup.counter,
};

it('facets are what counting by hand gives, for any offers and filters', () => {
  let filteredOut = 0;
  for (let seed = 0; seed < 150; seed += 1) {
    const choose = choices(seed);
    const found = Array.from({ length: choose(40) }, () => ({
      supplier: oneOf(choose, 'a', 'b', 'c'),
      offer: randomOffer(choose),
    }));
    const filter = randomFilter(choose);
    const { payment, category, until, ...older } = filter;
    const facts = {
      ...(payment ? { payments: new Set([payment]) } : {}),
      ...(category ? { categories: new Set([category]) } : {}),
      ...(until ? { freeCancellationUntil: until } : {}),
    };
    const counts = new FacetCounts({ sippCodes: [], ...older, facts, facets: FACETS } as unknown as NormalizedSearch);
    for (const { supplier, offer } of found) counts.add(supplier, offer);
    const view = counts.view();
    for (const [name, read] of Object.entries(values) as [Exclude<FacetName, 'price'>, typeof values.brand][]) {
      const own = found.filter(({ offer }) => matches(offer, filter, name));
      filteredOut += found.length - own.length;
      const all = own.map(({ offer, supplier }) => read?.(offer, supplier));
      const expected = [...new Set(all.filter((value) => value !== undefined))].map((value) => ({
        value: String(value),
        count: all.filter((one) => one === value).length,
      }));
      expect({ seed, name, values: new Set(view[name]?.values) }).toEqual({ seed, name, values: new Set(expected) });
      expect(view[name]?.unknown).toBe(all.filter((value) => value === undefined).length);
      const order = view[name]?.values.map(({ count }) => count) ?? [];
      expect(order).toEqual([...order].sort((a, b) => b - a));
    }
    const priced = found.filter(({ offer }) => matches(offer, filter, 'price')).map(({ offer }) => offer.price.total);
    for (const { currency, min, max, count } of view.price ?? []) {
      const amounts = priced.filter((price) => price.currency === currency).map(({ amountMinor }) => amountMinor / 100);
      expect([Number(min), Number(max), count]).toEqual([Math.min(...amounts), Math.max(...amounts), amounts.length]);
    }
    expect(new Set(view.price?.map(({ currency }) => currency))).toEqual(new Set(priced.map((one) => one.currency)));
  }
  expect(filteredOut).toBeGreaterThan(3_000);
});

it('only requested facets are counted, with a bounded number of values', () => {
  const counts = new FacetCounts({ sippCodes: [], facets: ['brand'] } as unknown as NormalizedSearch);
  for (let index = 0; index < 2 * MOST_VALUES; index += 1) counts.add('a', { ...sampleOffer, brand: `Brand ${index}` });
  const view = counts.view();
  expect(Object.keys(view)).toEqual(['brand']);
  expect(view.brand?.values).toHaveLength(MOST_VALUES);
});

it('prices are compared in the requested currency; offers without one have none', () => {
  const counts = new FacetCounts({ sippCodes: [], currency: 'EUR', facets: ['price'] } as unknown as NormalizedSearch);
  const shown = (amountMinor: number) => ({
    ...sampleOffer,
    price: { ...sampleOffer.price, total: usd(1), display: { amountMinor, currency: 'EUR' } },
  });
  for (const offer of [shown(900), shown(500), sampleOffer]) counts.add('a', offer);
  expect(counts.view()).toEqual({ price: [{ currency: 'EUR', min: '5.00', max: '9.00', count: 2 }] });
});
