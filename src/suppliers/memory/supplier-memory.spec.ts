import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { configSchema } from '../../config/config.schema.js';
import { type SupplierConfig, type SupplierState, supplierConfigSchema } from '../../config/supplier-config.schema.js';
import { type HttpExchange, RequestContext } from '../../context/request-context.js';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import { type SupplierAnswer, SupplierError } from '../../model/supplier.js';
import { oneWarning } from '../../model/warnings.js';
import { offerAt, sampleOffer } from '../../representations/fixtures/sample-offer.js';
import type { Scenario } from '../../sandbox/scenario.js';
import type { ApplicationPolicy } from '../../store/store.js';
import { SupplierRegistry } from '../registry.js';
import { SupplierSearch } from '../supplier-search.js';
import { SupplierMemories } from './supplier-memories.js';
import { SupplierMemory } from './supplier-memory.js';

const quiet = { settled: () => undefined, cutOff: () => undefined };
const RENTAL: Omit<VehicleSearch, 'brands'> = {
  pickup: { iataCode: 'BOS', countryCode: 'US' } as never,
  dropoff: { iataCode: 'BOS', countryCode: 'US' } as never,
  ...{ pickupDate: '2027-02-01T10:00:00', dropoffDate: '2027-02-04T10:00:00', countryCode: 'US', age: 30 },
  ...{ sippCodes: [], discountCodes: [], loyalty: [], additionalDrivers: 0 },
};
const block = (more: object = {}): SupplierConfig =>
  supplierConfigSchema.parse({
    ...{ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], url: 'http://127.0.0.1:9' },
    ...{ cache: { searchVehicles: { ttlSeconds: 60 }, searchLocations: { ttlSeconds: 60, staleSeconds: 600 } } },
    ...more,
  });
let registries: SupplierRegistry[] = [];

afterEach(async () => {
  await Promise.all(registries.map((registry) => registry.close()));
  registries = [];
});

interface Request {
  readonly application?: string;
  readonly account?: string;
  readonly search?: object;
  readonly headers?: Record<string, string>;
  readonly scenario?: boolean;
}

/** An engine with one supplier on a clock that the test sets; `answer` is what the supplier does when it is called. */
function engine(first = block()) {
  const clock = { ms: 0 };
  const world = {
    clock,
    calls: 0,
    answer: async (): Promise<SupplierAnswer<SupplierOffer>> => ({ items: [sampleOffer], warnings: [] }),
    /** The outcome of one search as `kind`, its total and its age. */
    search: async ({ application = 'app_1', account = 'acc_1', search = {}, headers = {}, scenario }: Request = {}) => {
      const exchange: HttpExchange = { request: { headers }, header: () => undefined };
      const context = new RequestContext('req_1', 0, false, exchange);
      context.admit({ applicationId: application, accountId: account } as ApplicationPolicy);
      if (scenario) context.useScenario({ directiveFor: () => undefined } as unknown as Scenario);
      const plan = suppliers.planVehicles(
        context,
        { brands: undefined, countryCode: 'US' },
        () => ({ ...RENTAL, ...search }),
        (_supplier, offer) => offer,
        { bytesOf: () => 5_000, expiryOf: ({ expiresAt }) => (expiresAt ? Date.parse(expiresAt) : undefined) },
      );
      const [found] = await suppliers.collect(plan, { minSuppliers: 0 }, context);
      if (found?.kind === 'failed') return found.cause;
      const items = found?.kind === 'answered' ? found.items.map(({ price }) => price.total.amountMinor) : [];
      return found?.ageSeconds === undefined ? items : [...items, `age ${found.ageSeconds}`];
    },
    places: async () => {
      const context = new RequestContext('req_1', 0);
      const plan = suppliers.planLocations(context, { brands: undefined, countryCode: 'US' }, { keyword: 'boston' });
      const [found] = await suppliers.collect(plan, { minSuppliers: 0 }, context);
      return found?.kind === 'answered' ? [found.items[0]?.code, found.ageSeconds] : found?.kind;
    },
    switchTo: (state: SupplierState) => registry.applyStates(new Map([['uno', { state }]])),
    replace: (config: SupplierConfig) => registry.replace([config]),
    memory: () => registry.byId('uno')?.connection.rules.memory,
  };
  const memories = new SupplierMemories(pino({ level: 'silent' }));
  const registry = new SupplierRegistry([first], {
    urlOf: ({ url }) => url,
    unusable: () => undefined,
    createAdapter: () => ({
      brandsPerCall: 'many',
      searchVehicles: () => {
        world.calls += 1;
        return world.answer();
      },
      searchLocations: async () => {
        world.calls += 1;
        return { items: [{ ...sampleOffer.pickup, code: `L${world.calls}` }], warnings: [] };
      },
    }),
    rulesOf: (config) => {
      const { lookToBook } = memories.rulesOf(config);
      return { lookToBook, memory: new SupplierMemory(config, lookToBook, () => clock.ms) };
    },
    retireMs: 1_000,
  });
  const suppliers = new SupplierSearch(registry, configSchema.parse({}), quiet);
  registries.push(registry);
  return world;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a search', () => {
  it('is answered from memory with its age until the answer is as old as ttlSeconds', async () => {
    const world = engine();
    expect(await world.search()).toEqual([10_000]);
    world.clock.ms = 59_999;
    expect(await world.search()).toEqual([10_000, 'age 59']);
    expect(world.calls).toBe(1);
    world.clock.ms = 60_000;
    expect(await world.search()).toEqual([10_000]);
    expect(world.calls).toBe(2);
  });

  it('always calls a supplier without `cache`', async () => {
    const world = engine(block({ cache: {} }));
    await world.search();
    expect(await world.search()).toEqual([10_000]);
    expect(world.calls).toBe(2);
  });

  it.each<[string, Request]>([
    ['another application of the account', { application: 'app_2' }],
    ['another country of residence', { search: { countryCode: 'DE' } }],
    ['another age', { search: { age: 24 } }],
    ['a date of birth', { search: { dateOfBirth: '1990-01-01' } }],
    ['another currency', { search: { currency: 'EUR' } }],
    ['a discount code', { search: { discountCodes: [{ type: 'promo', value: 'SAVE10' }] } }],
    ['a membership', { search: { loyalty: [{ program: 'Uno', number: '1' }] } }],
    ['another pickup time', { search: { pickupDate: '2027-02-01T10:01:00' } }],
    ['an additional driver', { search: { additionalDrivers: 1 } }],
    ['a SIPP code', { search: { sippCodes: ['ECAR'] } }],
    ['Cache-Control: no-cache', { headers: { 'cache-control': 'max-age=0, No-Cache' } }],
    ['a scenario', { scenario: true }],
  ])('with %s is not answered with the answer to another', async (_what, request) => {
    const world = engine();
    await world.search();
    world.answer = async () => ({ items: [offerAt(20_000)], warnings: [] });
    expect(await world.search(request)).toEqual([20_000]);
  });

  it('that refused an answer from memory leaves its own answer for others; one with a scenario does not', async () => {
    const world = engine();
    await world.search({ scenario: true });
    expect(await world.search()).toEqual([10_000]);
    world.answer = async () => ({ items: [offerAt(20_000)], warnings: [] });
    await world.search({ headers: { 'cache-control': 'no-cache' } });
    expect(await world.search()).toEqual([20_000, 'age 0']);
  });

  it('keeps no failure and no incomplete answer, but an empty one', async () => {
    const world = engine();
    world.answer = () => Promise.reject(new SupplierError('unavailable', 'down'));
    expect(await world.search()).toBe('unavailable');
    world.answer = async () => ({ items: [sampleOffer], warnings: oneWarning('incomplete', 'a page is missing') });
    expect(await world.search()).toEqual([10_000]);
    world.answer = async () => ({ items: [], warnings: [] });
    expect(await world.search()).toEqual([]);
    expect(await world.search()).toEqual(['age 0']);
    expect(world.calls).toBe(3);
  });

  it('gets no offer from memory that has less than half of its lifetime left', async () => {
    const world = engine();
    const expiresAt = new Date(Date.now() + 80_000).toISOString();
    world.answer = async () => ({ items: [sampleOffer, { ...sampleOffer, expiresAt }], warnings: [] });
    await world.search();
    world.clock.ms = 39_000;
    expect(await world.search()).toEqual([10_000, 10_000, 'age 39']);
    world.clock.ms = 40_001;
    await world.search();
    expect(world.calls).toBe(2);
  });

  it('is answered from memory for less long while prices drift', async () => {
    const world = engine();
    await world.search();
    for (const offer of [1, 2, 3])
      world.memory()?.drift.checked({ offer, account: 'acc_1', fromMemory: true, changed: true });
    world.clock.ms = 29_999;
    expect(await world.search()).toEqual([10_000, 'age 29']);
    world.clock.ms = 30_000;
    expect(await world.search()).toEqual([10_000]);
  });

  it('is answered from memory for longer near the agreed ratio, and fails as throttled beyond it', async () => {
    const world = engine(block({ lookToBook: { ratio: 10 } }));
    for (let age = 0; age < 10; age += 1) await world.search({ account: `acc_${age % 2}`, search: { age } });
    world.clock.ms = 239_999;
    expect(await world.search({ search: { age: 9 } })).toEqual([10_000, 'age 239']);
    world.clock.ms = 240_000;
    expect(await world.search({ search: { age: 9 } })).toBe('throttled');
    expect(world.calls).toBe(10);
  });

  it('of an account that used its share of the agreed ratio fails as throttled; others are served', async () => {
    const world = engine(block({ lookToBook: { ratio: 10 } }));
    for (let age = 0; age < 8; age += 1) await world.search({ search: { age } });
    expect(await world.search({ search: { age: 8 } })).toBe('throttled');
    expect(await world.search({ account: 'acc_2', application: 'app_2', search: { age: 8 } })).toEqual([10_000]);
    expect(world.calls).toBe(9);
  });
});

describe('the memory of a supplier', () => {
  it.each<SupplierState>(['drain', 'maintenance', 'shadow', 'off'])(
    'is empty after an operator switched it to %s and back',
    async (state) => {
      const world = engine();
      await world.search();
      world.switchTo(state);
      world.switchTo('live');
      expect(await world.search()).toEqual([10_000]);
    },
  );

  it('is empty after its file or its credentials changed', async () => {
    const world = engine();
    await world.search();
    world.replace(block({ credentials: { token: 'other' } }));
    expect(await world.search()).toEqual([10_000]);
  });

  it('does not keep an answer to a call that began before it was emptied', async () => {
    const world = engine();
    let release = (): void => undefined;
    world.answer = () =>
      new Promise((resolve) => {
        release = () => resolve({ items: [sampleOffer], warnings: [] });
      });
    const old = world.search();
    await settle();
    world.switchTo('drain');
    world.switchTo('live');
    release();
    expect(await old).toEqual([10_000]);
    world.answer = async () => ({ items: [offerAt(20_000)], warnings: [] });
    expect(await world.search()).toEqual([20_000]);
  });
});

describe('locations', () => {
  it('are answered from memory while a stale answer is renewed in the background, once', async () => {
    const world = engine();
    expect(await world.places()).toEqual(['L1', undefined]);
    world.clock.ms = 59_999;
    expect(await world.places()).toEqual(['L1', 59]);
    expect(world.calls).toBe(1);
    world.clock.ms = 60_000;
    expect(await Promise.all([world.places(), world.places()])).toEqual([
      ['L1', 60],
      ['L1', 60],
    ]);
    await settle();
    expect(world.calls).toBe(2);
    expect(await world.places()).toEqual(['L2', 0]);
    world.clock.ms = 60_000 + 660_000;
    expect(await world.places()).toEqual(['L3', undefined]);
  });
});
