import type { SimulatedBooking } from '../../src/simulators/bookings.js';
import { BRANDS, cents, expired, originIn, QUICK, RATES, SUPPLIERS } from '../support/booking.js';
import type { AnyBody, HttpAnswer, Offer } from '../support/client.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

type Quote = AnyBody['quote'];

const NAMES = { abg: 'Avis Budget Group', dune: 'Dune Drive', alpine: 'Alpine Rent', bravo: 'Bravo Mobility' } as const;

const running = sharedGateway();
/** All that each supplier ever booked or held. */
const books = () =>
  Promise.all(
    Object.values(running().simulators.urls).map(async (url) => {
      const answer = await fetch(`${url}/__sim/bookings`);
      return ((await answer.json()) as { bookings: SimulatedBooking[] }).bookings.length;
    }),
  );
const PRICE_CHECK_MS = QUICK.suppliers.alpine?.timeoutMs.priceCheck ?? 0;
let before: number[];
beforeAll(async () => {
  before = await books();
});
const scenario = (text: string) => ({ headers: { 'x-sandbox-scenario': text } });
const rates = (body: object, options = {}): Promise<HttpAnswer> => running().client.post(RATES, body, options);

async function offerOf(supplier: keyof typeof BRANDS, changes: Record<string, string> = {}): Promise<Offer> {
  const answer = await running().client.get(vehiclesPath({ brand: BRANDS[supplier], ...changes }));
  const offer = answer.body.vehicles.find(({ status }) => status === 'available');
  if (!offer) throw new Error(`${supplier} has no offer: ${answer.text.slice(0, 300)}`);
  return offer;
}

async function quoteOf(body: object, options = {}): Promise<Quote> {
  const answer = await rates(body, options);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.quote;
}

describe.each(SUPPLIERS)('a quote of %s', (supplier) => {
  let offer: Offer;
  let plain: Quote;
  beforeAll(async () => {
    offer = await offerOf(supplier);
    plain = await quoteOf({ offer_id: offer.offer_id });
  });

  test('is the offer at the same price, not cacheable, which the application can book or price again', async () => {
    const answer = await rates({ offer_id: offer.offer_id });
    expect([answer.status, answer.headers['cache-control'], answer.errors]).toEqual([200, 'no-store', []]);
    const { quote } = answer.body;
    expect(quote.offer.price.total).toEqual(offer.price.total);
    expect(quote).toMatchObject({
      selected_extras: [],
      selected_coverages: [],
      price_guarantee: 'none',
      quote_id: expect.stringMatching(/^quo_/),
    });
    expect(quote).not.toHaveProperty('price_change');
    expect([quote.offer.vehicle.sipp_code, quote.offer.pickup.date, quote.offer.supplier]).toEqual([
      offer.vehicle.sipp_code,
      offer.pickup.date,
      supplier,
    ]);
    expect(Date.parse(quote.expires_at)).toBeGreaterThan(Date.now());
  });

  test('an extra raises the total by its price, which does not count as a price change', async () => {
    const extra = plain.offer.extras.find(
      ({ price_total, max_quantity }) => price_total !== undefined && max_quantity > 1,
    );
    if (!extra) throw new Error(`${supplier} has no priced extra: ${JSON.stringify(plain.offer.extras)}`);
    const quote = await quoteOf({ offer_id: offer.offer_id, extras: [{ extra_id: extra.extra_id, quantity: 2 }] });
    const price = 2 * cents(extra.price_total);
    expect(price).toBeGreaterThan(0);
    expect(cents(quote.offer.price.total)).toBe(cents(offer.price.total) + price);
    expect(quote.selected_extras).toEqual([
      {
        extra_id: extra.extra_id,
        quantity: 2,
        name: extra.name,
        price_total: { amount: (price / 100).toFixed(2), currency: 'USD' },
      },
    ]);
    expect(quote).not.toHaveProperty('price_change');
  });

  test('a coverage raises the total by its price, which does not count as a price change', async () => {
    const coverage = plain.offer.coverages.find(({ price_total, included }) => price_total !== undefined && !included);
    if (!coverage) throw new Error(`${supplier} has no priced coverage: ${JSON.stringify(plain.offer.coverages)}`);
    const quote = await quoteOf({ offer_id: offer.offer_id, coverages: [coverage.code] });
    expect(cents(quote.offer.price.total)).toBe(cents(offer.price.total) + cents(coverage.price_total));
    expect(quote.selected_coverages).toEqual([
      { code: coverage.code, name: coverage.name, price_total: coverage.price_total },
    ]);
    expect(quote).not.toHaveProperty('price_change');
  });

  test('keeps its choice when priced again; its offer_id names the offer without it', async () => {
    const [extra] = plain.offer.extras;
    const chosen = await quoteOf({ offer_id: offer.offer_id, extras: [{ extra_id: extra?.extra_id }] });
    const again = await quoteOf({ quote_id: chosen.quote_id });
    const without = await quoteOf({ offer_id: chosen.offer.offer_id });
    expect([again.selected_extras, again.offer.price.total]).toEqual([
      chosen.selected_extras,
      chosen.offer.price.total,
    ]);
    expect([without.selected_extras, without.offer.price.total]).toEqual([[], offer.price.total]);
    expect([again.price_change, without.price_change]).toEqual([undefined, undefined]);
  });

  test('choices that the offer does not have: 400 naming each field and the valid values', async () => {
    const [extra] = plain.offer.extras;
    const answer = await rates({ offer_id: offer.offer_id, extras: [{ extra_id: 'NOSUCH' }], coverages: ['NEITHER'] });
    expect([answer.status, answer.errors.map((entry) => [entry.reason, entry.field])]).toEqual([
      400,
      [
        ['invalid_range', 'extras.0.extra_id'],
        ['invalid_range', 'coverages.0'],
      ],
    ]);
    expect(answer.errors[0]?.details).toContain(extra?.extra_id);
  });

  test('more units than available: 400 naming the maximum', async () => {
    const single = plain.offer.extras.find(({ max_quantity }) => max_quantity < 9);
    const answer = await rates({ offer_id: offer.offer_id, extras: [{ extra_id: single?.extra_id, quantity: 9 }] });
    expect([answer.status, answer.errors.map((entry) => [entry.reason, entry.field])]).toEqual([
      400,
      [['invalid_range', 'extras.0.quantity']],
    ]);
    expect(answer.errors[0]?.details).toContain(`at most ${single?.max_quantity}`);
  });

  test('a moved price is reported with both amounts and the difference', async () => {
    const quote = await quoteOf({ offer_id: offer.offer_id }, scenario(`${supplier}=price(+10%)`));
    expect(quote.price_change?.previous).toEqual(offer.price.total);
    expect(quote.price_change?.current).toEqual(quote.offer.price.total);
    expect(cents(quote.price_change?.delta)).toBe(cents(quote.offer.price.total) - cents(offer.price.total));
    expect(cents(quote.price_change?.delta)).toBeGreaterThan(0);
  });

  test('an offer from a search or price check under a scenario says so in its id: its price is not a fact', async () => {
    const { body } = await running().client.get(vehiclesPath({ brand: BRANDS[supplier] }), scenario('*=slow(1)'));
    const quote = await quoteOf({ offer_id: offer.offer_id }, scenario(`${supplier}=price(+10%)`));
    expect([body.vehicles[0], quote.offer].map((one) => originIn(one?.offer_id ?? ''))).toEqual([
      'scenario',
      'scenario',
    ]);
    expect([offer, plain.offer].map((one) => originIn(one.offer_id))).toEqual([undefined, undefined]);
  });

  test('a car that is gone: 404 no_results with cause sold_out', async () => {
    const answer = await rates({ offer_id: offer.offer_id }, scenario(`${supplier}=sold_out`));
    expect([answer.status, answer.reasons, answer.missing]).toEqual([
      404,
      ['no_results'],
      [`404 ${supplier} sold_out`],
    ]);
  });

  test('each failure: 500 supplier_failure naming the supplier and the cause', async () => {
    const causes = {
      timeout: 'timeout',
      reset: 'unavailable',
      'error(503)': 'unavailable',
      garbage: 'bad_payload',
      html: 'bad_payload',
      truncated: 'unavailable',
      throttled: 'throttled',
      auth: 'rejected',
    };
    // Together: a timeout takes seconds.
    await Promise.all(
      Object.entries(causes).map(async ([verb, cause]) => {
        const answer = await rates({ offer_id: offer.offer_id }, scenario(`${supplier}=${verb}`));
        expect([verb, answer.status, answer.reasons, answer.missing]).toEqual([
          verb,
          500,
          ['supplier_failure'],
          [`500 ${supplier} ${cause}`],
        ]);
        expect(answer.errors[0]?.details).toContain(NAMES[supplier]);
        expect(answer.ms).toBeLessThan(PRICE_CHECK_MS + 900);
      }),
    );
  });
});

describe('which offer', () => {
  let offer: Offer;
  beforeAll(async () => {
    offer = await offerOf('alpine');
  });

  test('accepts an offer found by location_id, by a supplier’s own code, one way, and at a magic place', async () => {
    const [location] = (await running().client.get(locationsPath('BOS', { brand: 'Bravo' }))).body.locations;
    if (!location) throw new Error('bravo has no counter');
    const places: readonly Record<string, string>[] = [
      { pickup_location: location.location_id },
      { pickup_location: location.code, country_code: 'US' },
      { dropoff_location: 'JFK' },
      { pickup_location: 'ZZTPRC' },
    ];
    for (const changes of places) {
      const found = await offerOf('bravo', changes);
      const quote = await quoteOf({ offer_id: found.offer_id });
      expect([changes, quote.offer.price.total]).toEqual([changes, found.price.total]);
    }
  });

  test('another application’s id gets exactly the answer of an unknown one', async () => {
    const { quote_id } = await quoteOf({ offer_id: offer.offer_id });
    const token = await running().client.token('demo-throttled');
    for (const [field, id] of [
      ['offer_id', offer.offer_id],
      ['quote_id', quote_id],
    ] as const) {
      const [foreign, unknown] = [
        await rates({ [field]: id }, { token }),
        await rates({ [field]: `${id.slice(0, -1)}_` }, { token }),
      ];
      expect([foreign.status, foreign.reasons, foreign.errors[0]?.field]).toEqual([404, ['resource_failure'], field]);
      expect(foreign.errors).toEqual(unknown.errors);
    }
  });

  test('an expired one: 404 resource_failure with cause rate_expired', async () => {
    const { quote_id } = await quoteOf({ offer_id: offer.offer_id });
    for (const [field, id] of [
      ['offer_id', offer.offer_id],
      ['quote_id', quote_id],
    ] as const) {
      const answer = await rates({ [field]: expired(id) });
      const [entry] = answer.errors;
      expect([answer.status, entry?.reason, entry?.cause, entry?.field]).toEqual([
        404,
        'resource_failure',
        'rate_expired',
        field,
      ]);
    }
  });

  test('a younger driver costs more, and the quote says so; the date of birth appears in no answer or log', async () => {
    const birth = `${new Date().getUTCFullYear() - 21}-01-02`;
    const quote = await quoteOf({ offer_id: offer.offer_id, date_of_birth: birth });
    expect(cents(quote.price_change?.delta)).toBeGreaterThan(0);
    expect(JSON.stringify(quote) + running().gateway.child.output()).not.toContain(birth);
  });

  test('fault=408 exhausts the budget as for any request', async () => {
    const answer = await rates({ offer_id: offer.offer_id }, scenario('fault=408'));
    expect([answer.status, answer.reasons, answer.headers.connection]).toEqual([408, ['timeout'], 'close']);
  });

  test('the path without version is the same operation; 403 without a subscription', async () => {
    const unversioned = await running().client.post('/cars/catalog/vehicles/rates', { offer_id: offer.offer_id });
    const token = await running().client.token('demo-unsubscribed');
    expect([unversioned.status, (await rates({ offer_id: offer.offer_id }, { token })).reasons]).toEqual([
      200,
      ['permissions_failure'],
    ]);
  });
});

describe('names every invalid field (ruling 18)', () => {
  const offer_id = 'off_x';
  test.each<[string, object, string, string]>([
    ['no id', {}, 'invalid_request', 'offer_id'],
    ['both ids', { offer_id, quote_id: 'quo_x' }, 'invalid_request', 'quote_id'],
    ['an id that is not text', { offer_id: 7 }, 'invalid_format', 'offer_id'],
    ['an empty id', { offer_id: '' }, 'invalid_range', 'offer_id'],
    ['an oversized id', { offer_id: 'x'.repeat(7_000) }, 'invalid_range', 'offer_id'],
    ['extras that are not a list', { offer_id, extras: 'CSI' }, 'invalid_format', 'extras'],
    [
      'too many extras',
      { offer_id, extras: Array.from({ length: 21 }, (_, i) => ({ extra_id: `E${i}` })) },
      'invalid_range',
      'extras',
    ],
    ['an extra without an id', { offer_id, extras: [{ quantity: 1 }] }, 'invalid_request', 'extras.0.extra_id'],
    [
      'a repeated extra',
      { offer_id, extras: [{ extra_id: 'A' }, { extra_id: 'A' }] },
      'invalid_request',
      'extras.1.extra_id',
    ],
    [
      'an extra with quantity zero',
      { offer_id, extras: [{ extra_id: 'A', quantity: 0 }] },
      'invalid_range',
      'extras.0.quantity',
    ],
    [
      'an extra with quantity ten',
      { offer_id, extras: [{ extra_id: 'A', quantity: 10 }] },
      'invalid_range',
      'extras.0.quantity',
    ],
    [
      'a quantity as text',
      { offer_id, extras: [{ extra_id: 'A', quantity: '2' }] },
      'invalid_format',
      'extras.0.quantity',
    ],
    [
      'an unknown field of an extra',
      { offer_id, extras: [{ extra_id: 'A', colour: 'red' }] },
      'invalid_request',
      'extras.0.colour',
    ],
    ['coverages that are not a list', { offer_id, coverages: {} }, 'invalid_format', 'coverages'],
    ['a coverage that is not text', { offer_id, coverages: [1] }, 'invalid_format', 'coverages.0'],
    ['a repeated coverage', { offer_id, coverages: ['A', 'B', 'A'] }, 'invalid_request', 'coverages.2'],
    [
      'too many coverages',
      { offer_id, coverages: Array.from({ length: 21 }, (_, i) => `C${i}`) },
      'invalid_range',
      'coverages',
    ],
    ['a child', { offer_id, age: 15 }, 'invalid_range', 'age'],
    ['a fractional age', { offer_id, age: 35.5 }, 'invalid_format', 'age'],
    ['an age as text', { offer_id, age: '35' }, 'invalid_format', 'age'],
    ['an invalid date', { offer_id, date_of_birth: '31.05.1990' }, 'invalid_format', 'date_of_birth'],
    ['an unknown field', { offer_id, extra: [] }, 'invalid_request', 'extra'],
  ])('%s', async (_case, body, reason, field) => {
    const answer = await rates(body);
    expect([answer.status, answer.errors.map((entry) => [entry.reason, entry.field])]).toEqual([
      400,
      [[reason, field]],
    ]);
  });

  test('rejects the date of birth of a driver who is still a child at pickup', async () => {
    const { offer_id: id } = await offerOf('alpine');
    const answer = await rates({ offer_id: id, date_of_birth: '2020-01-01' });
    expect([answer.status, answer.errors.map((entry) => [entry.reason, entry.field])]).toEqual([
      400,
      [['invalid_range', 'date_of_birth']],
    ]);
  });

  test.each([
    ['offer_id', 'off_nonsense'],
    ['quote_id', 'quo_nonsense'],
    ['offer_id', 'nothing of the kind'],
  ])('%s that does not exist: 404 resource_failure', async (field, id) => {
    const answer = await rates({ [field]: id });
    expect([answer.status, answer.errors.map((entry) => [entry.reason, entry.field])]).toEqual([
      404,
      [['resource_failure', field]],
    ]);
  });
});

test('nothing of all this was booked or held', async () => {
  expect(await books()).toEqual(before);
});
