import { describe, expect, it } from '@jest/globals';
import { SchemaPipe } from '../http/schema.pipe.js';
import type { SupplierOffer } from '../model/offers.js';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import { ApiError } from '../status/api-error.js';
import type { FactFilters } from './fact-filters.js';
import { factProblems, factsEcho, factsOf } from './fact-filters.js';
import type { NormalizedSearch } from './normalize-search.js';
import { filtersOf, includedKm } from './offer-filters.js';
import { vehiclesBody, vehiclesQuery } from './vehicles.schema.js';

type Parts = Partial<Pick<SupplierOffer, 'vehicle' | 'pickup' | 'distancePolicy' | 'cancellation' | 'rate'>>;

const plain = { name: 'Sample', orSimilar: true };
const car = (more: object): Parts => ({ vehicle: { ...plain, ...more } });
const policy = (...distancePolicy: SupplierOffer['distancePolicy']): Parts => ({ distancePolicy });
const limit = (value: number, unit: 'km' | 'mi', per: 'rental' | 'day' | 'week' | 'month' | 'hour') =>
  policy({ unlimited: false, included: { value, unit }, per });
const freeUntil = (until: string): Parts => ({
  cancellation: { rules: [], source: 'structured', refundable: true, freeUntil: until },
});
const paid = (payment: SupplierOffer['rate']['payment']): Parts => ({ rate: { ...sampleOffer.rate, payment } });

/** A rental of 3 days. */
const offer = (parts: Parts): SupplierOffer => ({ ...sampleOffer, vehicle: plain, ...parts });

const at = (counter?: SupplierOffer['pickup']['counter']): Parts => ({
  pickup: { ...sampleOffer.pickup, ...(counter ? { counter } : {}) },
});

interface Row {
  readonly filter: FactFilters;
  readonly matching: readonly Parts[];
  readonly failing: readonly Parts[];
  /** What suppliers don't state, or contradict themselves about. */
  readonly unknown: readonly Parts[];
}

const ROWS: readonly Row[] = [
  {
    filter: { airConditioning: true },
    matching: [
      car({ airConditioning: true }),
      car({ sippCode: 'ECMR' }),
      car({ sippCode: 'ECMR', airConditioning: true }),
    ],
    failing: [car({ airConditioning: false }), car({ sippCode: 'ECMN' })],
    unknown: [car({}), car({ sippCode: 'ECMC' }), car({ sippCode: 'ECMN', airConditioning: true })],
  },
  {
    filter: { doorsMin: 4 },
    matching: [car({ doors: 4 }), car({ doors: 5 }), car({ doors: '4-5' })],
    failing: [car({ doors: 3 }), car({ doors: '2-4' })],
    unknown: [car({}), car({ sippCode: 'EDMR' })],
  },
  {
    filter: { bagsLargeMin: 2 },
    matching: [car({ bagsLarge: 2 })],
    failing: [car({ bagsLarge: 1 }), car({ bagsLarge: 0, bagsSmall: 9 })],
    unknown: [car({})],
  },
  {
    filter: { bagsSmallMin: 1 },
    matching: [car({ bagsSmall: 1 })],
    failing: [car({ bagsSmall: 0 })],
    unknown: [car({ bagsLarge: 4 })],
  },
  {
    filter: { categories: new Set(['compact', 'seats_7']) },
    matching: [car({ sippCode: 'CDMR' }), car({ sippCode: 'SVMR' })],
    failing: [car({ sippCode: 'EDMR' }), car({ sippCode: 'SDMR' })],
    unknown: [car({}), car({ sippCode: 'QDMR' }), car({ className: 'compact' })],
  },
  {
    filter: { electricRange: 'long' },
    matching: [car({ sippCode: 'CDAC' }), car({ sippCode: 'CDAC', fuel: 'electric' })],
    failing: [car({ sippCode: 'CDAE' }), car({ sippCode: 'CDAR' })],
    unknown: [car({ fuel: 'electric' }), car({ sippCode: 'CDAC', fuel: 'petrol' })],
  },
  {
    filter: { payments: new Set(['pay_now', 'voucher']) },
    matching: [paid('pay_now'), paid('voucher')],
    failing: [paid('pay_later')],
    unknown: [],
  },
  {
    filter: { counters: new Set(['in_terminal']) },
    matching: [at('in_terminal')],
    failing: [at('shuttle_on_airport')],
    unknown: [at()],
  },
  {
    filter: { distanceIncludedMinKm: 600 },
    matching: [
      policy({ unlimited: true }),
      limit(200, 'km', 'day'),
      limit(600, 'km', 'rental'),
      limit(373, 'mi', 'rental'),
      limit(1_400, 'km', 'week'),
    ],
    failing: [
      limit(199, 'km', 'day'),
      limit(372, 'mi', 'rental'),
      limit(1_399, 'km', 'week'),
      limit(1_000, 'km', 'month'),
    ],
    unknown: [
      policy(),
      policy({ unlimited: false }),
      policy({ unlimited: false, included: { value: 9_000, unit: 'km' } }),
    ],
  },
  {
    filter: { freeCancellationUntil: '2027-01-31T10:00:00' },
    matching: [freeUntil('2027-01-31T10:00:00'), freeUntil('2027-02-01T09:00:00')],
    failing: [freeUntil('2027-01-31T09:59:59')],
    unknown: [
      { cancellation: { rules: [], source: 'structured', refundable: true } },
      { cancellation: { rules: [], source: 'unknown' } },
    ],
  },
];

const searchWith = (facts: FactFilters) => ({ sippCodes: [], facts }) as unknown as NormalizedSearch;

it.each(ROWS)('$filter: only offers that are known to match pass', ({ filter, matching, failing, unknown }) => {
  const passes = (parts: Parts) => filtersOf(searchWith(filter)).every((one) => one.passes(offer(parts)));
  expect(matching.map(passes)).toEqual(matching.map(() => true));
  expect([...failing, ...unknown].map(passes)).toEqual([...failing, ...unknown].map(() => false));
});

it('of several limits of distance, the lowest counts', () => {
  expect(
    includedKm(
      offer(
        policy(
          { unlimited: false, included: { value: 300, unit: 'km' }, per: 'day' },
          { unlimited: false, included: { value: 500, unit: 'km' }, per: 'rental' },
        ),
      ),
    ),
  ).toBe(500);
});

const DATES = { pickup_location: 'BOS', pickup_date: '2027-02-01T10:00', dropoff_date: '2027-02-04T10:00' };

function problemsOf(pipe: () => unknown) {
  try {
    pipe();
    return [];
  } catch (error) {
    return error instanceof ApiError
      ? error.problems.map(({ reason, field, details }) => ({ reason, field, details }))
      : [error];
  }
}

describe('a bad value', () => {
  it.each([
    ['air_conditioning', 'yes', 1, 'must be true or false.'],
    ['doors_min', '10', 10, 'must be between 1 and 9.'],
    ['bags_large_min', '0', 0, 'must be between 1 and 20.'],
    ['bags_small_min', '21', 21, 'must be between 1 and 20.'],
    ['category', 'compact,huge', ['compact', 'huge'], 'must be one of mini, '],
    ['electric_range', 'short', 'short', 'must be one of standard, long.'],
    ['payment', 'cash', ['cash'], 'must be one of pay_now, pay_later, pay_partial, guarantee, voucher.'],
    ['counter', 'desk', ['desk'], 'must be one of in_terminal, '],
    ['distance_included_min_km', '100001', 100_001, 'must be between 1 and 100000.'],
    ['free_cancellation_until', '2027-01-31', '2027-01-31', 'must be a local date and time'],
    ['group_by', 'price', 'price', 'must be car.'],
    ['facets', 'price,colour', ['colour'], 'price, supplier, brand, '],
  ])('of %s gets a 400 that lists what is allowed', (field, query, body, allowed) => {
    for (const problems of [
      problemsOf(() => new SchemaPipe(vehiclesQuery).transform({ ...DATES, [field]: query })),
      problemsOf(() => new SchemaPipe(vehiclesBody, 'body').transform({ ...DATES, [field]: body })),
    ]) {
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatchObject({
        field: expect.stringContaining(field),
        details: expect.stringContaining(allowed),
      });
    }
  });

  it('of a list given twice gets a 400', () => {
    expect(
      problemsOf(() => new SchemaPipe(vehiclesQuery).transform({ ...DATES, payment: ['pay_now', 'voucher'] })),
    ).toMatchObject([{ field: 'payment', details: '"payment" must be given once.' }]);
  });

  it('of supplier or free_cancellation_until names the suppliers, or the pickup date', () => {
    const input = new SchemaPipe(vehiclesQuery).transform({
      ...DATES,
      supplier: 'alpine,nobody',
      free_cancellation_until: '2027-02-01T10:01',
    });
    const suppliers = [{ id: 'alpine', name: 'Alpine', brands: ['Alpine'], loyaltyPrograms: {} }];
    expect(factProblems(input, suppliers)).toMatchObject([
      { field: 'supplier', details: '"nobody" is not a known supplier. Use one of alpine.' },
      { field: 'free_cancellation_until', details: '"free_cancellation_until" must not be after "pickup_date".' },
    ]);
  });
});

it('a query and a body mean the same, and are echoed', () => {
  const query = new SchemaPipe(vehiclesQuery).transform({
    ...DATES,
    category: 'mini,compact',
    payment: 'pay_now',
    air_conditioning: 'true',
    doors_min: '4',
    facets: 'true',
  });
  const body = new SchemaPipe(vehiclesBody, 'body').transform({
    ...DATES,
    category: ['mini', 'compact'],
    payment: ['pay_now'],
    air_conditioning: true,
    doors_min: 4,
    facets: true,
  });
  expect(factsOf(query)).toEqual(factsOf(body));
  expect(factsEcho(factsOf(query))).toMatchObject({
    category: ['mini', 'compact'],
    payment: ['pay_now'],
    air_conditioning: true,
    doors_min: 4,
  });
  expect(JSON.stringify(factsEcho(factsOf(new SchemaPipe(vehiclesQuery).transform(DATES))))).toBe('{}');
});
