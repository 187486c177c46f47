import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { claim } from '../../test/support/claim.js';
import { configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { RequestContext } from '../context/request-context.js';
import { metrics } from '../metrics/metrics.js';
import type { SupplierOffer } from '../model/offers.js';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import { SupplierRegistry } from './registry.js';
import { ResilienceLog } from './resilience/resilience-log.js';
import { SupplierPolicy } from './resilience/supplier-policy.js';
import { SupplierSearch } from './supplier-search.js';

const block = (name: string, more: object = {}) =>
  supplierConfigSchema.parse({ id: 'uno', name, adapter: 'fake', brands: ['Uno'], url: 'http://127.0.0.1:9', ...more });
const quiet = { settled: () => undefined, cutOff: () => undefined };
const context = new RequestContext('req_1', 0);
const asIs = (_supplier: unknown, offer: SupplierOffer): SupplierOffer => offer;
const UNKEPT = { bytesOf: () => 0, expiryOf: () => undefined };
const RENTAL = {
  pickup: { iataCode: 'BOS' } as never,
  dropoff: { iataCode: 'BOS' } as never,
  pickupDate: '2027-02-01T10:00:00',
  dropoffDate: '2027-02-04T10:00:00',
  countryCode: 'US',
  age: 30,
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

it('equal searches are made once, but do not share a call on a replaced connection', async () => {
  const called: string[] = [];
  const answers: (() => void)[] = [];
  const registry = new SupplierRegistry([block('Old')], {
    urlOf: ({ url }) => url,
    unusable: () => undefined,
    createAdapter: ({ name }) => ({
      brandsPerCall: 'many',
      searchLocations: () => {
        called.push(name);
        return new Promise((resolve) => answers.push(() => resolve({ items: [], warnings: [] })));
      },
    }),
    retireMs: 1_000,
  });
  const search = new SupplierSearch(registry, configSchema.parse({}), quiet);
  const find = async (): Promise<readonly string[]> => {
    const plan = search.planLocations(context, { brands: undefined, countryCode: undefined }, { keyword: 'boston' });
    return (await search.collect(plan, { minSuppliers: 0 }, context)).map(
      ({ supplier, shared }) => `${supplier.name}${shared ? ', shared' : ''}`,
    );
  };
  const before = [find(), find()];
  registry.replace([block('New')]);
  const after = [find(), find()];
  await turn();
  for (const answer of answers) answer();
  expect(await Promise.all([...before, ...after])).toEqual([['Old'], ['Old, shared'], ['New'], ['New, shared']]);
  expect(called).toEqual(['Old', 'New']);
  await registry.close();
});

it('notes that the time of the caller ended before a supplier answered', async () => {
  let answer = (): void => undefined;
  const registry = new SupplierRegistry([block('Slow')], {
    urlOf: ({ url }) => url,
    unusable: () => undefined,
    createAdapter: () => ({
      brandsPerCall: 'many',
      searchLocations: () =>
        new Promise((resolve) => {
          answer = () => resolve({ items: [], warnings: [] });
        }),
    }),
    retireMs: 1_000,
  });
  const search = new SupplierSearch(registry, configSchema.parse({}), quiet);
  const find = async (keyword: string, timeoutMs: number) => {
    const own = new RequestContext('req_2', 0);
    const plan = search.planLocations(own, { brands: undefined, countryCode: undefined }, { keyword });
    const done = search.collect(plan, { minSuppliers: 0, timeoutMs }, own);
    await turn();
    if (timeoutMs > 100) answer();
    const [outcome] = await done;
    return [outcome?.kind, own.isCutShort];
  };
  expect(await find('boston', 1)).toEqual(['failed', true]);
  expect(await find('denver', 1_000)).toEqual(['empty', false]);
  await registry.close();
});

describe('a supplier whose offers can be read but not written', () => {
  const written = { ...sampleOffer, vehicle: { ...sampleOffer.vehicle, name: 'Unwritable' } };
  it.each<[string, SupplierOffer]>([
    ['an offer that the response has no place for', written],
    ['a text beyond its limit', { ...sampleOffer, brand: 'x'.repeat(6_000_000) }],
    ['a number that JSON has no word for', { ...sampleOffer, rentalDays: Number.NaN }],
  ])('%s: fails alone, and its circuit breaker opens', async (_case, offer) => {
    const breaker = { resilience: { breaker: { minCalls: 1 } } };
    const registry = new SupplierRegistry([block('Hostile', breaker), block('Good', { ...breaker, id: 'due' })], {
      urlOf: ({ url }) => url,
      unusable: () => undefined,
      createAdapter: ({ name }) => ({
        brandsPerCall: 'many',
        searchVehicles: async () => ({ items: [sampleOffer, name === 'Hostile' ? offer : sampleOffer], warnings: [] }),
      }),
      rulesOf: (config) => ({ policy: new SupplierPolicy(config, new ResilienceLog(pino({ level: 'silent' }))) }),
      retireMs: 1_000,
    });
    const search = new SupplierSearch(registry, configSchema.parse({}), quiet);
    const write = (_supplier: unknown, offer: SupplierOffer): SupplierOffer => {
      if (offer.vehicle.name === 'Unwritable') throw new RangeError('cannot be written');
      return offer;
    };
    const found = async (): Promise<unknown> => {
      const plan = search.planVehicles(context, { brands: undefined, countryCode: 'US' }, () => RENTAL, write, UNKEPT);
      const outcomes = await search.collect(plan, { minSuppliers: 0 }, context);
      return outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.cause : outcome.kind));
    };
    expect(await found()).toEqual(['bad_payload', 'answered']);
    expect(await found()).toEqual(['circuit_open', 'answered']);
    await registry.close();
  });
});

claim(
  ['API10', 'suppliers'],
  'A supplier whose offers or locations take too long to process fails alone, and its circuit breaker opens.',
  async () => {
    const breaker = { resilience: { breaker: { minCalls: 1 } } };
    const registry = new SupplierRegistry([block('Hostile', breaker), block('Good', { ...breaker, id: 'due' })], {
      urlOf: ({ url }) => url,
      unusable: () => undefined,
      createAdapter: ({ name }) => ({
        brandsPerCall: 'many',
        searchVehicles: async () => ({
          items: Array.from({ length: 1_000 }, () => ({ ...sampleOffer, brand: name })),
          warnings: [],
        }),
        searchLocations: async () => ({
          items: Array.from({ length: 1_000 }, () => ({ ...sampleOffer.pickup, brand: name })),
          warnings: [],
        }),
      }),
      rulesOf: (config) => ({ policy: new SupplierPolicy(config, new ResilienceLog(pino({ level: 'silent' }))) }),
      retireMs: 1_000,
    });
    const search = new SupplierSearch(registry, configSchema.parse({}), quiet);
    const work = (brand: string): void => {
      for (const end = performance.now() + 1; brand === 'Hostile' && performance.now() < end; );
    };
    const plans = [
      () =>
        search.planVehicles(
          context,
          { brands: undefined, countryCode: 'US' },
          () => RENTAL,
          (_from, offer) => {
            work(offer.brand);
            return offer;
          },
          UNKEPT,
        ),
      () => search.planLocations(context, { brands: undefined, countryCode: 'US' }, {}, ({ brand }) => work(brand)),
    ];
    for (const plan of plans)
      for (const cause of ['bad_payload', 'circuit_open']) {
        const outcomes = await search.collect<never>(plan() as never, { minSuppliers: 0 }, context);
        expect(outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.cause : outcome.kind))).toEqual([
          cause,
          'answered',
        ]);
      }
    await registry.close();
  },
);

it.each([
  ['the first announced end', { uno: 90_000, due: 30_000 }, '30'],
  ['an announced end, if others are unknown', { uno: 90_000 }, '90'],
  ['at least a second', { uno: -5_000 }, '1'],
  ['the usual time without an announced end', {}, '120'],
])('with all suppliers in maintenance, Retry-After is %s', async (_case, ends: Record<string, number>, expected) => {
  const registry = new SupplierRegistry([block('Uno'), block('Due', { id: 'due' })], {
    urlOf: ({ url }) => url,
    unusable: () => undefined,
    createAdapter: () => ({ brandsPerCall: 'many', searchLocations: async () => ({ items: [], warnings: [] }) }),
    retireMs: 1_000,
  });
  const inMaintenance = (id: string) => {
    const ms = ends[id];
    return [id, { state: 'maintenance' as const, ...(ms === undefined ? {} : { untilMs: Date.now() + ms }) }] as const;
  };
  registry.applyStates(new Map([inMaintenance('uno'), inMaintenance('due')]));
  const search = new SupplierSearch(registry, configSchema.parse({}), quiet);
  const plan = () =>
    search.planLocations(context, { brands: undefined, countryCode: undefined }, { keyword: 'boston' });
  expect(plan).toThrow(
    expect.objectContaining({
      problems: [expect.objectContaining({ reason: 'maintenance' })],
      headers: { 'retry-after': expected },
    }),
  );
  await registry.close();
});

it('a supplier in shadow is compared with the unfiltered results of the live suppliers', async () => {
  const registry = new SupplierRegistry([block('Live'), block('Shadow', { id: 'watched', state: 'shadow' })], {
    urlOf: ({ url }) => url,
    unusable: () => undefined,
    createAdapter: () => ({
      brandsPerCall: 'many',
      searchVehicles: async () => ({ items: [sampleOffer], warnings: [] }),
    }),
    retireMs: 1_000,
  });
  const search = new SupplierSearch(registry, configSchema.parse({}), quiet);
  const plan = search.planVehicles(context, { brands: undefined, countryCode: 'US' }, () => RENTAL, asIs, UNKEPT);
  const found = await search.collect(plan, { minSuppliers: 0 }, context, ({ supplier, durationMs, shared }) => ({
    kind: 'empty',
    filtered: 1,
    supplier,
    durationMs,
    shared,
  }));
  expect(found.map(({ kind }) => kind)).toEqual(['empty']);
  for (let turns = 0; turns < 3; turns += 1) await turn();
  const { values = [] } = (await metrics.getSingleMetric('forecourt_shadow_coverage_ratio')?.get()) ?? {};
  const sums = values.filter((value) => (value as { metricName?: string }).metricName?.endsWith('_sum'));
  expect(sums).toMatchObject([{ labels: { supplier: 'watched' }, value: 1 }]);
  await registry.close();
});
