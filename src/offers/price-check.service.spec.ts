import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Config, configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { contextOfApplication } from '../context/fixtures/context.js';
import { RequestContext } from '../context/request-context.js';
import type { ExchangeRates } from '../currencies/exchange-rates.service.js';
import { sampleRates } from '../currencies/fixtures/sample-rates.js';
import { accountVotes } from '../metrics/account-votes.js';
import type { RentalRequest } from '../model/bookings.js';
import type { SupplierOffer } from '../model/offers.js';
import { type BookingTraits, type Refusal, type SupplierAdapter, SupplierError } from '../model/supplier.js';
import { offerAt, sampleOffer, usd } from '../representations/fixtures/sample-offer.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { readShown, shownOf } from '../representations/offer-id.js';
import { parseScenario } from '../sandbox/scenario.js';
import { ApiError } from '../status/api-error.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { PriceCheckService, type PriceRequest } from './price-check.service.js';
import { type PricedKey, unknownId } from './priced-key.js';

const key = createSecretKey(Buffer.alloc(32, 9));
const NOW = Date.parse('2027-01-01T00:00:00Z');
const config: Config = configSchema.parse({});
const context = contextOfApplication('app_a', NOW);
const priced: PricedKey = {
  kind: 'offer',
  application: 'app_a',
  supplier: 'uno',
  brand: 'Uno',
  search: ['BOS', 'JFK', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'DE', 35],
  ref: { rate: '7I' },
  car: 'ECAR',
  total: usd(10_000),
  expiresAt: NOW / 1000 + 900,
  extras: [],
  coverages: [],
};

interface World {
  readonly service: PriceCheckService;
  readonly requests: RentalRequest[];
  readonly rates: ExchangeRates;
}

/** A service with one supplier `uno` whose adapter returns `answer` (an offer, or undefined for none) or throws it. */
function setup(
  answer: SupplierOffer | Error | undefined,
  more: Partial<SupplierAdapter> = {},
  state: 'live' | 'maintenance' | 'off' | 'canary' = 'live',
  timeoutMs = 4_000,
): World {
  const requests: RentalRequest[] = [];
  const adapter: SupplierAdapter = {
    brandsPerCall: 'many',
    priceCheck: async (request) => {
      requests.push(request);
      if (answer instanceof Error) throw answer;
      // Answers for BOS and JFK, the dropoffs that the tests request.
      return { items: answer ? [{ ...answer, dropoff: { ...answer.dropoff, code: 'JFK' } }] : [], warnings: [] };
    },
    ...more,
  };
  const supplier = {
    id: 'uno',
    name: 'Uno Cars',
    adapter: 'fake',
    brands: ['Uno'],
    url: 'http://127.0.0.1:9',
    state: state === 'canary' ? 'shadow' : state,
    timeoutMs: { priceCheck: timeoutMs },
  };
  const registry = new SupplierRegistry([supplierConfigSchema.parse(supplier)], {
    urlOf: ({ url }) => url,
    retireMs: 0,
    unusable: (_id, error) => {
      throw error;
    },
    createAdapter: () => adapter,
  });
  if (state === 'canary') registry.applyStates(new Map([['uno', { state, percent: 1 }]]));
  const calls = new SupplierCalls(config, { settled: () => undefined, cutOff: () => undefined });
  const facts = new LocationFactsCache(key);
  const rates = sampleRates();
  return { service: new PriceCheckService(registry, calls, facts, rates, config, () => key), requests, rates };
}

async function refused(run: Promise<unknown>): Promise<ApiError> {
  try {
    await run;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('it was not rejected');
}

const traits: BookingTraits = {
  findsByReference: true,
  takesCards: true,
  takesVouchers: true,
  takesExtras: true,
  takesAdditionalDrivers: true,
  takesLatePickup: true,
  takesCoverages: true,
  changes: [],
};

describe('the request to the supplier', () => {
  it('the status that was shown, if it was on request', async () => {
    const { service, requests } = setup(offerAt(10_000));
    for (const terms of [{ onRequest: true as const }, undefined])
      await service.check({ ...priced, ...(terms && { terms }) }, {}, context, 'recheck');
    expect(requests.map(({ status }) => status)).toEqual(['on_request', undefined]);
  });

  it('the offer from the id, with its places resolved again and the new ref ready to book', async () => {
    const { service, requests } = setup({ ...offerAt(10_000), supplierRef: { rate: '7I', token: 'fresh' } });
    const checked = await service.check(priced, {}, context, 'priceCheck');
    expect(requests).toEqual([
      {
        brand: 'Uno',
        ref: { rate: '7I' },
        pickup: expect.objectContaining({ iataCode: 'BOS', countryCode: 'US' }),
        dropoff: expect.objectContaining({ iataCode: 'JFK', countryCode: 'US' }),
        pickupDate: '2027-02-01T10:00:00',
        dropoffDate: '2027-02-04T10:00:00',
        countryCode: 'DE',
        age: 35,
        extras: [],
        coverages: [],
      },
    ]);
    expect(checked).toMatchObject({
      supplier: { id: 'uno' },
      request: { ref: { rate: '7I', token: 'fresh' } },
      previous: usd(10_000),
    });
    expect(checked).not.toHaveProperty('change');
  });

  it.each<[string, PriceRequest, Partial<RentalRequest>]>([
    ['no changes: as quoted', {}, { extras: [{ code: 'CSI', quantity: 2 }], coverages: ['PAI'], age: 35 }],
    ['all choices removed', { extras: [], coverages: [] }, { extras: [], coverages: [] }],
    ['another age', { age: 23 }, { age: 23 }],
    ['a birthday on the day of pickup', { dateOfBirth: '2003-02-01', age: 40 }, { age: 24 }],
    ['a birthday the day after pickup', { dateOfBirth: '2003-02-02' }, { age: 23 }],
  ])('a quote with %s', async (_case, requested, expected) => {
    const { service, requests } = setup(offerAt(15_500));
    const quote: PricedKey = { ...priced, kind: 'quote', extras: [{ code: 'CSI', quantity: 2 }], coverages: ['PAI'] };
    await service.check(quote, requested, context, 'priceCheck');
    expect(requests[0]).toMatchObject(expected);
  });

  it('a supplier’s own location code, as accepted by a search with one brand', async () => {
    const { service, requests } = setup(offerAt(10_000));
    await service.check({ ...priced, search: ['BOST01', 'BOST01', ...dates(), 'US', 35] }, {}, context, 'priceCheck');
    expect(requests[0]?.pickup).toEqual({ supplierCode: 'BOST01', countryCode: '' });
  });
});

function dates(): readonly [string, string] {
  return [priced.search[2], priced.search[3]];
}

describe('a price change', () => {
  it('is reported for the same choices', async () => {
    const { service } = setup(offerAt(13_000));
    const checked = await service.check(priced, { extras: [{ code: 'CSI', quantity: 1 }] }, context, 'recheck');
    expect(checked.change).toEqual({ previous: usd(10_000), current: usd(11_000), delta: usd(1_000) });
  });
});

it('other amounts are converted at the current rate, if one is known', async () => {
  const { service, rates } = setup(offerAt(10_000));
  const { convert } = await service.check(priced, {}, context, 'recheck');
  expect(convert?.(usd(1_000), 'JPY')).toBeUndefined();
  await rates.refresh();
  const yen = rates.rate('USD', 'JPY', Date.now())?.conversion.of(1_000);
  expect(yen).toMatchObject({ amountMinor: expect.any(Number), currency: 'JPY' });
  expect(convert?.(usd(1_000), 'JPY')).toEqual(yen);
});

describe('the display price', () => {
  const locked = { from: 'USD', to: 'EUR', rate: '0.5', asOf: '2026-12-01', source: 'European Central Bank' };
  const checkedAs = async (more: Partial<PricedKey>, requested: PriceRequest = {}, total = 10_000) =>
    setup(offerAt(total)).service.check({ ...priced, ...more }, requested, context, 'recheck');

  it('is at the rate of the id, which a booking keeps', async () => {
    const { offer, display } = await checkedAs({ display: { currency: 'EUR', locked } });
    expect(offer.price.display).toMatchObject({ amountMinor: 5_000, currency: 'EUR', rate: '0.5' });
    expect(offer.price.total).toEqual(usd(10_000));
    expect(display).toEqual({ currency: 'EUR', locked });
  });

  it('never makes or hides a price change, which compares what the supplier charges', async () => {
    const cheap = { currency: 'EUR', locked: { ...locked, rate: '0.0001' } };
    expect((await checkedAs({ display: cheap })).change).toBeUndefined();
    expect((await checkedAs({ display: cheap }, {}, 10_001)).change).toEqual({
      previous: usd(10_000),
      current: usd(10_001),
      delta: usd(1),
    });
  });

  it('is in the currency of the request, or else of the id; without either there is none', async () => {
    const own = { display: { currency: 'EUR', locked } };
    expect((await checkedAs(own, { display: { currency: 'USD' } })).offer.price.display).toMatchObject(usd(10_000));
    const plain = await checkedAs({});
    expect(plain.offer.price).not.toHaveProperty('display');
    expect(plain).not.toHaveProperty('display');
  });

  it('is missing without a rate, and only the currency is kept', async () => {
    const { offer, display } = await checkedAs({ display: { currency: 'ARS' } });
    expect(offer.price).not.toHaveProperty('display');
    expect(display).toEqual({ currency: 'ARS' });
  });
});

describe('rejections before the supplier is called', () => {
  const infant = { extras: [{ code: 'CSI', quantity: 1 }] };

  it('another application’s id, exactly like an unknown one', async () => {
    const { service, requests } = setup(sampleOffer);
    const foreign = contextOfApplication('app_b', NOW);
    for (const [kind, field] of [
      ['offer', 'offer_id'],
      ['quote', 'quote_id'],
    ] as const) {
      const error = await refused(
        service.check({ ...priced, kind, expiresAt: 0 }, { dateOfBirth: '2026-01-01' }, foreign, 'priceCheck'),
      );
      expect([error.status, error.problems]).toEqual([404, unknownId(kind).problems]);
      expect(error.problems[0]).toMatchObject({ reason: 'resource_failure', field });
    }
    expect(requests).toEqual([]);
  });

  it.each<[string, Partial<PricedKey>, PriceRequest, World, object]>([
    [
      'an expired offer',
      { expiresAt: NOW / 1000 },
      {},
      setup(sampleOffer),
      { reason: 'resource_failure', cause: 'rate_expired', field: 'offer_id' },
    ],
    [
      'an expired quote',
      { kind: 'quote', expiresAt: 1 },
      {},
      setup(sampleOffer),
      { cause: 'rate_expired', field: 'quote_id' },
    ],
    [
      'a supplier that no longer exists',
      { supplier: 'due' },
      {},
      setup(sampleOffer),
      { reason: 'resource_failure', cause: 'rate_expired' },
    ],
    [
      'a supplier that is off',
      {},
      {},
      setup(sampleOffer, {}, 'off'),
      { reason: 'resource_failure', cause: 'rate_expired' },
    ],
    [
      'a brand that no longer exists',
      { brand: 'Due' },
      {},
      setup(sampleOffer),
      { reason: 'resource_failure', cause: 'rate_expired' },
    ],
    [
      'a place that no longer exists',
      { search: ['loc_x', 'BOS', ...dates(), 'US', 35] },
      {},
      setup(sampleOffer),
      { cause: 'rate_expired' },
    ],
    [
      'a supplier in maintenance',
      {},
      {},
      setup(sampleOffer, {}, 'maintenance'),
      { reason: 'maintenance', supplier: 'uno' },
    ],
    [
      'a supplier without price checks',
      {},
      {},
      setup(sampleOffer, { priceCheck: undefined }),
      { reason: 'invalid_request', cause: 'unsupported_by_supplier', supplier: 'uno', field: 'offer_id' },
    ],
    [
      'extras for a supplier without extras',
      {},
      infant,
      setup(sampleOffer, { booking: { ...traits, takesExtras: false } }),
      { reason: 'invalid_request', cause: 'unsupported_by_supplier', field: 'extras' },
    ],
    [
      'coverages for a supplier without coverages',
      {},
      { coverages: ['PAI'] },
      setup(sampleOffer, { booking: { ...traits, takesCoverages: false } }),
      { reason: 'invalid_request', cause: 'unsupported_by_supplier', field: 'coverages' },
    ],
    [
      'a driver who is a child',
      {},
      { dateOfBirth: '2020-01-01' },
      setup(sampleOffer),
      { reason: 'invalid_range', field: 'date_of_birth' },
    ],
    [
      'a date of birth in another field',
      {},
      { dateOfBirth: '2020-01-01', dateOfBirthField: 'driver.date_of_birth' },
      setup(sampleOffer),
      { field: 'driver.date_of_birth' },
    ],
  ])('%s', async (_case, changes, requested, { service, requests }, problem) => {
    const error = await refused(service.check({ ...priced, ...changes }, requested, context, 'priceCheck'));
    expect(error.problems).toEqual([expect.objectContaining(problem)]);
    expect(requests).toEqual([]);
  });

  it('503 has a Retry-After', async () => {
    const error = await refused(setup(sampleOffer, {}, 'maintenance').service.check(priced, {}, context, 'priceCheck'));
    expect([error.status, error.headers]).toEqual([503, { 'retry-after': '120' }]);
  });
});

describe('the result of the supplier’s answer', () => {
  it('a vehicle class missing from the search or the price check does not count as another car', async () => {
    const { sippCode: _untold, ...vehicle } = sampleOffer.vehicle;
    await setup({ ...sampleOffer, vehicle }).service.check(priced, {}, context, 'priceCheck');
    const { car: _unknown, ...unnamed } = priced;
    await setup(sampleOffer).service.check(unnamed, {}, context, 'priceCheck');
  });

  it.each(['guarantee', 'pay_now'] as const)(
    'the car with the payment %s, which the search did not state, is shown',
    async (payment) => {
      const { car, terms } = readShown(shownOf(sampleOffer));
      const { service } = setup({ ...sampleOffer, rate: { ...sampleOffer.rate, payment } });
      const { offer } = await service.check({ ...priced, ...(car && { car }), terms }, {}, context, 'priceCheck');
      expect([terms.payment, offer.rate.payment]).toEqual(['pay_later', payment]);
    },
  );

  it.each<[string, object, object, string | undefined]>([
    ['another class code', { classCode: 'B' }, { classCode: 'C', sippCode: 'EDAR' }, 'sold_out'],
    ['the same class code, spelled otherwise', { classCode: 'b 2' }, { classCode: 'B2' }, undefined],
    ['another name of the class', { className: 'Economy' }, { className: 'Economy or similar' }, undefined],
    ['a class that is no longer named', { classCode: 'B', className: 'Van' }, { className: 'Bus' }, undefined],
  ])('of an offer without a SIPP code: %s', async (_what, before, now, cause) => {
    const { sippCode: _untold, ...vehicle } = sampleOffer.vehicle;
    const { car } = readShown(shownOf({ ...sampleOffer, vehicle: { ...vehicle, ...before } }));
    const { service } = setup({ ...sampleOffer, vehicle: { ...vehicle, ...now } });
    const checked = service.check({ ...priced, car }, {}, context, 'recheck');
    if (cause === undefined) await checked;
    else expect((await refused(checked)).problems[0]).toMatchObject({ cause });
  });

  const choose = (extras: RentalRequest['extras'], coverages: readonly string[] = []): PriceRequest => ({
    extras,
    coverages,
  });

  it.each<[string, SupplierOffer | Error | undefined, number, object]>([
    ['no offer: sold out', undefined, 404, { reason: 'no_results', cause: 'sold_out', supplier: 'uno' }],
    [
      'a car of another class: the offered one is sold out',
      { ...sampleOffer, vehicle: { ...sampleOffer.vehicle, sippCode: 'CCAR' } },
      404,
      { reason: 'no_results', cause: 'sold_out', supplier: 'uno' },
    ],
    [
      'a refusal',
      new SupplierError('rejected', 'X', true, { refusal: 'rate_expired' }),
      404,
      { reason: 'resource_failure', cause: 'rate_expired', supplier: 'uno' },
    ],
    [
      'a refused extra',
      new SupplierError('rejected', 'X', true, { refusal: 'extra_not_available' }),
      400,
      { reason: 'invalid_request', cause: 'extra_not_available', field: 'extras' },
    ],
    [
      'a fault',
      new SupplierError('unavailable', 'HTTP 503'),
      500,
      { reason: 'supplier_failure', cause: 'unavailable', supplier: 'uno' },
    ],
    [
      'its own limit',
      new SupplierError('throttled', 'HTTP 429'),
      500,
      { reason: 'supplier_failure', cause: 'throttled' },
    ],
    [
      'a price in another currency than the offer',
      { ...sampleOffer, price: JSON.parse(JSON.stringify(sampleOffer.price).replaceAll('USD', 'CAD')) },
      500,
      { reason: 'supplier_failure', cause: 'bad_payload' },
    ],
    ['a bug of the adapter', new TypeError('x'), 500, { reason: 'supplier_failure', cause: 'bad_payload' }],
    [
      'an invalid date',
      { ...sampleOffer, pickupDate: 'soon' },
      500,
      { reason: 'supplier_failure', cause: 'bad_payload' },
    ],
    [
      'more than a reservation keeps',
      { ...sampleOffer, terms: Array.from({ length: 60 }, () => ({ kind: 'x', url: `https://${'u'.repeat(2_000)}` })) },
      500,
      { reason: 'supplier_failure', cause: 'bad_payload' },
    ],
  ])('%s', async (_case, answer, status, problem) => {
    const error = await refused(setup(answer).service.check(priced, {}, context, 'priceCheck'));
    expect([error.status, error.problems]).toEqual([status, [expect.objectContaining(problem)]]);
  });

  it('choices that the offer does not have, or not in that quantity: one entry each, with the allowed values', async () => {
    const requested = choose(
      [
        { code: 'CSI', quantity: 4 },
        { code: 'ZZZ', quantity: 1 },
      ],
      ['PAI', 'NOPE'],
    );
    const error = await refused(setup(offerAt(10_000)).service.check(priced, requested, context, 'priceCheck'));
    expect(error.problems.map(({ reason, field, details }) => [reason, field, details])).toEqual([
      ['invalid_range', 'extras.0.quantity', '"extras.0.quantity" must be at most 3 for Infant seat.'],
      ['invalid_range', 'extras.1.extra_id', '"ZZZ" is not an extra of this offer. Allowed values: CSI, SNO, GPS.'],
      ['invalid_range', 'coverages.1', '"NOPE" is not a coverage of this offer. Allowed values: CDW, PAI.'],
    ]);
  });

  it('an offer without extras', async () => {
    const { service } = setup({ ...sampleOffer, extras: [] });
    const error = await refused(service.check(priced, choose([{ code: 'CSI', quantity: 1 }]), context, 'priceCheck'));
    expect(error.problems[0].details).toBe(
      '"CSI" is not an extra of this offer. The offer has no extras. Leave it out.',
    );
  });
});

describe('a supplier that refuses choices without a clear reason', () => {
  const requested: PriceRequest = { extras: [{ code: 'ZZZ', quantity: 1 }] };
  /** Refuses requests with extras; answers others with `bare`. */
  const picky = (bare: SupplierOffer | Error, refusal?: Refusal): Partial<SupplierAdapter> => ({
    priceCheck: async ({ extras }) => {
      if (extras.length > 0) throw new SupplierError('rejected', 'HTTP 400', true, { refusal });
      if (bare instanceof Error) throw bare;
      return { items: [{ ...bare, dropoff: { ...bare.dropoff, code: 'JFK' } }], warnings: [] };
    },
  });
  const problems = async (adapter: Partial<SupplierAdapter>, body = requested) =>
    (await refused(setup(undefined, adapter).service.check(priced, body, context, 'priceCheck'))).problems;

  it.each<[string, Refusal | undefined]>([
    ['no reason', undefined],
    ['extra_not_available', 'extra_not_available'],
  ])('%s: its offer is requested without choices to report the allowed values', async (_case, refusal) => {
    const details = '"ZZZ" is not an extra of this offer. Allowed values: CSI, SNO, GPS.';
    expect(await problems(picky(offerAt(10_000), refusal))).toEqual([
      { reason: 'invalid_range', field: 'extras.0.extra_id', details },
    ]);
  });

  it('its refusal is kept if the choices are not the cause', async () => {
    const listed: PriceRequest = { extras: [{ code: 'CSI', quantity: 1 }] };
    expect(await problems(picky(offerAt(10_000)), listed)).toMatchObject([
      { reason: 'supplier_failure', cause: 'rejected' },
    ]);
  });

  it('its refusal is kept if the second call fails', async () => {
    const broken = picky(new SupplierError('unavailable', 'HTTP 503'), 'extra_not_available');
    expect(await problems(broken)).toMatchObject([{ reason: 'invalid_request', cause: 'extra_not_available' }]);
  });

  it('both calls together take no longer than the timeout of one', async () => {
    const { service } = setup(
      undefined,
      {
        priceCheck: async ({ extras }) => {
          if (extras.length === 0) return new Promise<never>(() => undefined);
          await new Promise((resolve) => setTimeout(resolve, 80));
          throw new SupplierError('rejected', 'HTTP 400', true, { refusal: 'extra_not_available' });
        },
      },
      'live',
      200,
    );
    const traced = new RequestContext('req_1', NOW, true);
    traced.admit(context.policy);
    const error = await refused(service.check(priced, requested, traced, 'priceCheck'));
    expect(error.problems).toMatchObject([{ reason: 'invalid_request', cause: 'extra_not_available' }]);
    const [first, second] = traced.trace?.calls ?? [];
    expect([first?.timeoutMs, second?.cause]).toEqual([200, 'timeout']);
    // 200 less the 80 that the first took: a slow machine makes it less.
    expect(second?.timeoutMs).toBeLessThanOrEqual(125);
  });

  it('each check of a fresh offer is a vote about the prices of the supplier', async () => {
    accountVotes.watch(['uno']);
    const { service } = setup(offerAt(10_000));
    await service.check(priced, {}, context, 'priceCheck');
    await service.check({ ...priced, total: usd(9_000) }, {}, context, 'priceCheck');
    for (const origin of ['memory', 'scenario'] as const)
      await service.check({ ...priced, total: usd(9_000), origin }, {}, context, 'priceCheck');
    const ballots = [...(accountVotes.take().get('uno')?.prices ?? [])];
    accountVotes.watch([]);
    expect(ballots).toEqual([[context.policy.accountId, { good: 1, bad: 1 }]]);
  });

  it('a canary supplier honors the offers it showed, regardless of its share', async () => {
    const { service } = setup(offerAt(10_000), {}, 'canary');
    for (const purpose of ['priceCheck', 'recheck', 'change'] as const)
      expect((await service.check(priced, {}, context, purpose)).supplier.id).toBe('uno');
  });

  it('another refusal doesn’t cause a second call', async () => {
    expect(await problems(picky(offerAt(10_000), 'not_eligible'))).toMatchObject([
      { reason: 'invalid_request', cause: 'not_eligible' },
    ]);
  });
});

describe('scenarios', () => {
  it('a recheck is only affected by price scenarios, a price check by all', async () => {
    const directives: (string | undefined)[] = [];
    const scenario = parseScenario('uno=sold_out', 'header', ['uno']);
    const recording = {
      ...scenario,
      bookingDirective: (operation: Parameters<typeof scenario.bookingDirective>[0], supplier: string) => {
        const directive = scenario.bookingDirective(operation, supplier);
        directives.push(directive);
        return directive;
      },
    };
    const { service } = setup(offerAt(10_000));
    const scenarioContext = contextOfApplication('app_a', NOW);
    scenarioContext.useScenario(recording);
    for (const purpose of ['priceCheck', 'recheck'] as const) await service.check(priced, {}, scenarioContext, purpose);
    expect(directives).toEqual(['sold_out', undefined]);
  });
});

describe('a client that disconnects', () => {
  const never = { priceCheck: () => new Promise<never>(() => undefined) };

  it('cancels the price check', async () => {
    const leaving = contextOfApplication('app_a', NOW);
    const error = refused(setup(undefined, never).service.check(priced, {}, leaving, 'priceCheck'));
    leaving.cancel('client_disconnected');
    expect((await error).problems[0]).toMatchObject({ reason: 'supplier_failure', supplier: 'uno' });
  });
});
