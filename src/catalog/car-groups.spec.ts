import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer, Vehicle } from '../model/offers.js';
import { offerAt, sampleOffer } from '../representations/fixtures/sample-offer.js';
import { groupCars, memberOf } from './car-groups.js';
import { carModelOf } from './car-models.js';
import type { RankedOffer } from './filter-and-sort.js';

interface PairedOffer {
  readonly supplier: string;
  readonly brand: string;
  readonly vehicle: Vehicle;
  readonly iataCode: string;
  readonly payment: SupplierOffer['rate']['payment'];
  readonly rentalDays: number;
  readonly distancePolicy: SupplierOffer['distancePolicy'];
  readonly included?: readonly string[];
}

type Ranked = RankedOffer<SupplierOffer>;

/** Written by scripts/write-car-pairs.mjs from what the simulators know. `moved` pairs are compared at one place. */
const { offers, pairs } = JSON.parse(readFileSync(new URL('./fixtures/car-pairs.json', import.meta.url), 'utf8')) as {
  readonly offers: readonly PairedOffer[];
  readonly pairs: readonly (readonly [number, number, string])[];
};

function ranked(own: PairedOffer, iataCode = own.iataCode): Ranked {
  const { supplier, brand, vehicle, payment, rentalDays, distancePolicy, included = [] } = own;
  const offer = {
    ...sampleOffer,
    brand,
    vehicle,
    pickup: { ...sampleOffer.pickup, brand, iataCode },
    rate: { ...sampleOffer.rate, payment },
    rentalDays,
    distancePolicy,
    coverages: own.included
      ? [...included.map((type) => coverage(type, true)), coverage('personal_accident', false)]
      : [],
  };
  return { supplier, supplierIndex: 0, offer };
}

function coverage(type: string, isIncluded: boolean): SupplierOffer['coverages'][number] {
  return { code: type, type, name: type, included: isIncluded, mandatory: false };
}

const grouped = (sorted: readonly Ranked[], currency?: string) => groupCars(sorted.map(memberOf), currency);
const areSame = (one: Ranked, other: Ranked) => grouped([one, other]).length === 1;

it('labeled pairs of the simulators: precision of at least 99 %, recall of at least 90 %', () => {
  const figures: Record<string, readonly [same: number, of: number]> = {};
  const missed: string[] = [];
  for (const [first, second, kind] of pairs) {
    const [one, other] = [offers[first], offers[second]];
    if (!one || !other) throw new Error('the file is broken');
    const isSame = areSame(ranked(one), ranked(other, kind === 'moved' ? one.iataCode : other.iataCode));
    const [same, of] = figures[kind] ?? [0, 0];
    figures[kind] = [same + (isSame ? 1 : 0), of + 1];
    if (isSame !== (kind === 'same')) missed.push(`${kind}: ${one.vehicle.name} | ${other.vehicle.name}`);
  }
  const [found, all] = figures.same ?? [0, 0];
  const claimed = Object.values(figures).reduce((sum, [same]) => sum + same, 0);
  console.log(
    JSON.stringify(figures),
    `precision ${(found / claimed).toFixed(4)}, recall ${(found / all).toFixed(4)}`,
    [...new Set(missed)].slice(0, 20),
  );
  expect(pairs.length).toBeGreaterThanOrEqual(1_000);
  expect(found / claimed).toBeGreaterThanOrEqual(0.99);
  expect(found / all).toBeGreaterThanOrEqual(0.9);
});

const car = (name: string, more: Partial<Vehicle> = {}): Vehicle => ({ name, orSimilar: true, ...more });
const rentalOf = (supplier: string, vehicle: Vehicle, more: Partial<SupplierOffer> = {}): Ranked => ({
  supplier,
  supplierIndex: 0,
  offer: { ...sampleOffer, brand: supplier, vehicle, ...more },
});

/** Names as in the reference samples and fixtures of suppliers, labeled by hand. */
const SAMPLES: readonly (readonly [one: Vehicle, other: Vehicle, isSame: boolean])[] = [
  [car('Fiat 500', { make: 'Fiat', model: '500', sippCode: 'MBMR' }), car('FIAT 500', { sippCode: 'MBMR' }), true],
  [car('Fiat 500', { make: 'Fiat', model: '500', sippCode: 'MBMR' }), car('FIAT 500', { sippCode: 'ECAR' }), false],
  [car('Fiat 500', { sippCode: 'MBMR' }), car('Fiat 500C', { sippCode: 'MBMR' }), false],
  [car('SKODA SCALA', { sippCode: 'CCAR' }), car('Škoda Scala', { sippCode: 'CCAR' }), true],
  [car('Skoda Scala', { sippCode: 'CCAR' }), car('FORD FOCUS', { sippCode: 'CCAR' }), false],
  [
    car('FORD FOCUS', { sippCode: 'CCAR' }),
    car('Ford Focus', { make: 'Ford', model: 'Focus', sippCode: 'CCAR' }),
    true,
  ],
  [car('SKODA OCTAVIA COMBI', { sippCode: 'IWAD' }), car('Skoda Octavia Estate', { sippCode: 'IWAD' }), true],
  [car('SKODA OCTAVIA COMBI', { sippCode: 'IWAD' }), car('SKODA OCTAVIA', { sippCode: 'IWAD' }), false],
  [car('VW SHARAN', { sippCode: 'MVAR' }), car('Volkswagen Sharan', { sippCode: 'MVAR' }), true],
  [car('VW SHARAN', { sippCode: 'MVAR' }), car('FORD FREESTAR', { sippCode: 'MVAR' }), false],
  [
    car('MUSTANG COUPE', { sippCode: 'SCAR' }),
    car('Ford Mustang Coupé', { make: 'Ford', model: 'Mustang Coupé', sippCode: 'SCAR' }),
    true,
  ],
  [car('MUSTANG COUPE', { sippCode: 'SCAR' }), car('Ford Mustang', { sippCode: 'SCAR' }), false],
  [car('MAZDA 6', { sippCode: 'ICAR' }), car('Mazda 6', { make: 'Mazda', model: '6', sippCode: 'ICAR' }), true],
  [car('MAZDA 6', { sippCode: 'ICAR' }), car('Audi A6', { sippCode: 'ICAR' }), false],
  [
    car('LINCOLN TOWN CAR', { sippCode: 'LCAR' }),
    car('Lincoln Town Car', { make: 'Lincoln', model: 'Town Car', sippCode: 'LCAR' }),
    true,
  ],
  [car('Renault Twingo 1.2', { sippCode: 'MCMN' }), car('Renault Twingo', { sippCode: 'MCMN' }), true],
  [car('Renault Twingo 1.2', { sippCode: 'MCMN' }), car('Fiat Panda 1.0', { sippCode: 'MCMN' }), false],
  [car('Chevrolet Cobalt Coupe', { sippCode: 'CCAR' }), car('Chevrolet Cobalt', { sippCode: 'CCAR' }), false],
  [car('Compact Car', { sippCode: 'CCAR' }), car('Compact Car', { sippCode: 'CCAR' }), false],
  [car('Seat Ibiza', { sippCode: 'ECMV' }), car('Seat Ibiza', { transmission: 'manual', fuel: 'petrol' }), true],
  [car('Seat Ibiza', { sippCode: 'ECMV' }), car('Seat Ibiza', { transmission: 'automatic', fuel: 'petrol' }), false],
  [car('Seat Ibiza', { sippCode: 'ECMR' }), car('Seat Ibiza'), false],
];

it.each(
  SAMPLES.map(
    ([one, other, isSame]) =>
      [`${one.name} ${one.sippCode ?? ''}`, `${other.name} ${other.sippCode ?? ''}`, isSame, one, other] as const,
  ),
)('of the reference samples, %s and %s are the same: %s', (_one, _other, isSame, one, other) => {
  expect(areSame(rentalOf('a', one), rentalOf('b', other))).toBe(isSame);
  expect(areSame(rentalOf('b', other), rentalOf('a', one))).toBe(isSame);
});

const golf = car('VW Golf', { sippCode: 'CDMR' });
const at = (amountMinor: number, euros?: number): Partial<SupplierOffer> => {
  const { price } = offerAt(amountMinor);
  return { price: euros === undefined ? price : { ...price, display: { amountMinor: euros, currency: 'EUR' } } };
};
const inPesos = (amountMinor: number): Partial<SupplierOffer> => ({
  price: { ...sampleOffer.price, total: { amountMinor, currency: 'ARS' } },
});
const suppliersOf = (groups: ReturnType<typeof groupCars<SupplierOffer>>) =>
  groups.map(({ offers: found }) => found.map(({ supplier }) => supplier));

describe('a group', () => {
  it('has its cheapest offer first, at the position of its best offer in the requested order', () => {
    const polo = rentalOf('a', car('VW Polo', { sippCode: 'EDMR' }), at(1));
    const sorted = [rentalOf('a', golf, at(300)), polo, rentalOf('b', golf, at(100)), rentalOf('c', golf, at(200))];
    expect(suppliersOf(grouped(sorted))).toEqual([['b', 'c', 'a'], ['a']]);
  });

  it('has prices in one currency, or display prices if a currency is requested', () => {
    const sorted = [rentalOf('a', golf, at(300)), rentalOf('b', golf, inPesos(100)), rentalOf('c', golf, at(200))];
    expect(suppliersOf(grouped(sorted))).toEqual([['c', 'a'], ['b']]);
    const shown = [rentalOf('a', golf, at(300, 50)), rentalOf('b', golf, at(100, 60)), rentalOf('c', golf, at(1))];
    expect(suppliersOf(grouped(shown, 'EUR'))).toEqual([['a', 'b'], ['c']]);
  });

  it('names what matched; an offer without an equal has nothing to match', () => {
    const reasons = (...more: Ranked[]) => grouped(more).map(({ matchedBy }) => matchedBy);
    expect(reasons(rentalOf('a', golf), rentalOf('b', golf))).toEqual([
      ['place', 'sipp_code', 'model', 'inclusions', 'payment'],
    ]);
    expect(reasons(rentalOf('a', golf))).toEqual([[]]);
  });

  it('keeps places, payment types, coverages and distances apart', () => {
    const others: Partial<SupplierOffer>[] = [
      { pickup: { ...sampleOffer.pickup, iataCode: 'JFK' } },
      { rate: { ...sampleOffer.rate, payment: 'pay_now' } },
      { coverages: [coverage('personal_accident', false)] },
      { distancePolicy: [{ unlimited: true }] },
      { distancePolicy: [{ unlimited: false, included: { value: 200, unit: 'km' }, per: 'day' }] },
    ];
    const all = [rentalOf('a', golf), ...others.map((own, index) => rentalOf(`b${index}`, golf, own))];
    expect(grouped(all)).toHaveLength(all.length);
  });

  it('with an offer whose supplier lists no coverages is not matched by inclusions, and needs to be the only one possible', () => {
    const silent = rentalOf('b', golf, { coverages: [] });
    expect(grouped([rentalOf('a', golf), silent])).toMatchObject([
      { matchedBy: ['place', 'sipp_code', 'model', 'payment'] },
    ]);
    const bare = rentalOf('c', golf, { coverages: [coverage('personal_accident', false)] });
    expect(grouped([rentalOf('a', golf), silent, bare])).toHaveLength(3);
  });

  it('in town has one supplier and brand, because places in town are not compared', () => {
    const { iataCode: _airport, ...pickup } = sampleOffer.pickup;
    expect(areSame(rentalOf('a', golf, { pickup }), rentalOf('b', golf, { pickup }))).toBe(false);
  });
});

describe('what one supplier sends', () => {
  it('is read before offers are grouped, so that 6,000 offers that may join 19 groups are compared by what was read', () => {
    let reads = 0;
    const watched = ({ offer, ...own }: Ranked, vehicle: Vehicle): Ranked => ({
      ...own,
      offer: Object.defineProperty({ ...offer }, 'vehicle', {
        get: () => {
          reads += 1;
          return vehicle;
        },
      }),
    });
    const [one] = offers;
    if (!one) throw new Error('the file is broken');
    const golf: Vehicle = {
      name: 'VW Golf',
      make: 'VW',
      model: 'Golf',
      orSimilar: true,
      transmission: 'manual',
      fuel: 'petrol',
    };
    const all = Array.from({ length: 6_000 }, (_, index) => {
      const isComplete = index < 19;
      const vehicle = isComplete ? { ...golf, sippCode: 'ECMV' } : golf;
      const included = isComplete ? { included: [`type_${index}`] } : {};
      const { included: _own, ...rest } = one;
      return watched(ranked({ ...rest, ...included }), vehicle);
    });
    const members = all.map(memberOf);
    reads = 0;
    expect(groupCars(members, undefined)).toHaveLength(6_000);
    expect(reads).toBe(0);
  });

  it('does not keep the names of others from being remembered', () => {
    for (let index = 0; index < 20_001; index += 1) carModelOf({ name: `Invented ${index}` });
    const late = { name: 'Opel Corsa, first seen late' };
    expect(carModelOf(late)).toBeDefined();
    expect(carModelOf(late)).toBe(carModelOf(late));
  });
});
