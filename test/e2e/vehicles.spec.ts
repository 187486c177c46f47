import { request as httpRequest } from 'node:http';
import { airportByIata, distanceKm } from '../../src/places/places.js';
import type { Offer } from '../support/client.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { SUPPLIER_IDS } from '../support/suppliers.js';

const running = sharedGateway();
const search = async (changes: Record<string, string | undefined> = {}): Promise<readonly Offer[]> => {
  const answer = await running().client.get(vehiclesPath({ max_results: '500', ...changes }));
  expect([200, 206]).toContain(answer.status);
  expect(answer.body.vehicles.length).toBeGreaterThan(0);
  return answer.body.vehicles;
};
const total = (offer: Offer): number => Number(offer.price.total.amount);

describe('filters hold for every offer', () => {
  test.each<[string, Record<string, string>, (offer: Offer) => boolean]>([
    ['brand', { brand: 'avis,BRAVO' }, (offer) => ['Avis', 'Bravo'].includes(offer.brand)],
    [
      'vehicle_sipp_codes',
      { vehicle_sipp_codes: 'E???,C??R' },
      (offer) => /^(E...|C..R)$/.test(offer.vehicle.sipp_code ?? ''),
    ],
    [
      'transmission',
      { transmission: 'automatic' },
      (offer) => (offer.vehicle.transmission ?? offer.vehicle.sipp?.transmission) === 'automatic',
    ],
    ['seats_min', { seats_min: '7' }, (offer) => (offer.vehicle.seats ?? 0) >= 7],
    [
      'unlimited_distance',
      { unlimited_distance: 'true' },
      (offer) => offer.distance_policy.some((policy) => policy.unlimited),
    ],
    ['free_cancellation', { free_cancellation: 'true' }, (offer) => offer.cancellation.free_until !== undefined],
    ['price_max', { price_max: '300.00' }, (offer) => total(offer) <= 300],
  ])('%s', async (_name, changes, holds) => {
    const offers = await search(changes);
    expect(offers.filter((offer) => !holds(offer))).toEqual([]);
  });

  test.each(['petrol', 'diesel', 'hybrid', 'electric'])('fuel=%s', async (fuel) => {
    const answer = await running().client.get(vehiclesPath({ fuel, max_results: '500', pickup_location: 'FRA' }));
    expect([200, 206, 404]).toContain(answer.status);
    for (const offer of answer.body.vehicles ?? [])
      expect((offer.vehicle.fuel ?? offer.vehicle.sipp?.fuel ?? '').replace('_plus', '')).toBe(fuel);
  });

  test('max_results is an upper bound', async () => {
    expect(await search({ max_results: '3' })).toHaveLength(3);
  });

  test('a filter that no offer passes: 404 no_results', async () => {
    const answer = await running().client.get(vehiclesPath({ price_max: '0.01' }));
    expect([answer.status, answer.reasons]).toEqual([404, ['no_results']]);
  });
});

describe('order (ruling 3)', () => {
  const isSorted = (values: readonly number[]): boolean =>
    values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);

  test('price_total is the default: cheapest first within a currency', async () => {
    const offers = await search();
    expect(isSorted(offers.filter((offer) => offer.price.total.currency === 'USD').map(total))).toBe(true);
  });

  test('price_due_now: lowest amount due now first', async () => {
    const offers = await search({ sort_by: 'price_due_now' });
    expect(isSorted(offers.map((offer) => Number(offer.price.due_now.amount)))).toBe(true);
  });

  test('supplier: in configuration order', async () => {
    const order = (await search({ sort_by: 'supplier' })).map((offer) => SUPPLIER_IDS.indexOf(offer.supplier));
    expect(isSorted(order)).toBe(true);
  });

  test('distance: offers of the counter nearest to the place first', async () => {
    const airport = airportByIata('BOS') ?? { latitude: 0, longitude: 0 };
    const away = (await search({ sort_by: 'distance' })).map(({ pickup }) =>
      distanceKm(airport, { latitude: pickup.location.latitude ?? 0, longitude: pickup.location.longitude ?? 0 }),
    );
    expect(isSorted(away)).toBe(true);
  });

  test('never the order of arrival: slow suppliers do not change it', async () => {
    const key = (offer: Offer): string =>
      [offer.supplier, offer.brand, offer.vehicle.sipp_code, offer.rate.payment, offer.price.total.amount].join(' ');
    const ask = async (scenario: string): Promise<string[]> =>
      (
        await running().client.get(vehiclesPath({ max_results: '500' }), {
          headers: { 'x-sandbox-scenario': scenario },
        })
      ).body.vehicles.map(key);
    expect(await ask('abg=slow(250)')).toEqual(await ask('alpine=slow(150); bravo=slow(50)'));
  });
});

describe('ways to name a location (ruling 27)', () => {
  test('an IATA code in any case, a plc_ id and a loc_ id all reach every supplier', async () => {
    const [location] = (await running().client.get(locationsPath('BOS'))).body.locations;
    for (const pickup of ['BOS', 'bos', location?.place_id, location?.location_id]) {
      const suppliers = new Set((await search({ pickup_location: pickup })).map((offer) => offer.supplier));
      expect([pickup, [...suppliers].sort()]).toEqual([pickup, [...SUPPLIER_IDS].sort()]);
    }
  });

  test('a supplier’s own code together with its brand calls that supplier only', async () => {
    const bravo = (await running().client.get(locationsPath('BOS', { brand: 'Bravo' }))).body.locations[0];
    const offers = await search({ pickup_location: bravo?.code, brand: 'Bravo', country_code: 'US' });
    expect(new Set(offers.map((offer) => offer.supplier))).toEqual(new Set(['bravo']));
    expect(offers[0]?.pickup.location.time_zone).toBe('America/New_York');
  });

  test('one way: echoes another dropoff, and returns at another counter', async () => {
    const answer = await running().client.get(vehiclesPath({ dropoff_location: 'JFK' }));
    expect(answer.body.request).toMatchObject({ pickup_location: 'BOS', dropoff_location: 'JFK' });
    expect(answer.body.vehicles[0]?.dropoff.location.iata_code).toBe('JFK');
    expect(answer.body.vehicles[0]?.pickup.location.iata_code).toBe('BOS');
  });
});

describe('money and time', () => {
  test.each([
    ['NRT', 'JPY', /^\d+$/],
    ['KWI', 'KWD', /^\d+\.\d{3}$/],
    ['BOS', 'USD', /^\d+\.\d{2}$/],
  ])('%s: amounts in %s have the digits of ISO 4217', async (pickup, currency, form) => {
    const amounts = (await search({ pickup_location: pickup }))
      .filter((offer) => offer.price.total.currency === currency)
      .map((offer) => offer.price.total.amount);
    expect(amounts.length).toBeGreaterThan(0);
    expect(amounts.filter((amount) => !form.test(amount))).toEqual([]);
  });

  test('date_utc is correct on both sides of the change to summer time', async () => {
    // Europe/Berlin: UTC+1 in January, UTC+2 in July.
    const year = new Date().getUTCFullYear() + 1;
    for (const [date, back, utc] of [
      [`${year}-01-15T10:00:00`, `${year}-01-18T10:00:00`, `${year}-01-15T09:00:00Z`],
      [`${year}-07-15T10:00:00`, `${year}-07-18T10:00:00`, `${year}-07-15T08:00:00Z`],
    ] as const) {
      if (Date.parse(`${date}Z`) - Date.now() > 539 * 86_400_000) continue;
      const [offer] = await search({ pickup_location: 'FRA', pickup_date: date, dropoff_date: back });
      expect([offer?.pickup.date, new Date(offer?.pickup.date_utc ?? '').getTime()]).toEqual([date, Date.parse(utc)]);
    }
  });

  test('the amounts due now and at the counter add up to the total', async () => {
    for (const offer of await search()) {
      const cents = (text: string | undefined): number => Math.round(Number(text ?? 0) * 100);
      expect(cents(offer.price.due_now.amount) + cents(offer.price.due_at_counter.amount)).toBe(
        cents(offer.price.total.amount),
      );
    }
  });
});

describe('completeness (docs/model.md#completeness)', () => {
  const slow = { headers: { 'x-sandbox-scenario': 'bravo=slow(2500)' } };

  test('timeout_ms ends the wait with the results so far: 206 naming the late suppliers', async () => {
    const answer = await running().client.get(vehiclesPath({ timeout_ms: '600' }), slow);
    expect([answer.status, answer.missing]).toEqual([206, ['500 bravo timeout']]);
    expect(answer.ms).toBeLessThan(1_200);
  });

  test('min_suppliers keeps waiting until that many have answered', async () => {
    const answer = await running().client.get(
      vehiclesPath({ timeout_ms: '600', min_suppliers: String(SUPPLIER_IDS.length) }),
      slow,
    );
    expect([answer.status, answer.missing]).toEqual([200, []]);
    expect(answer.ms).toBeGreaterThan(2_400);
  });
});

test('identical concurrent searches share one supplier call, marked as shared (single-flight)', async () => {
  const { client } = running();
  const calls = async (): Promise<number> => (await running().simulators.stats('alpine')).requests;
  const path = vehiclesPath({ brand: 'Alpine', pickup_location: 'MUC' });
  const options = { headers: { 'x-sandbox-scenario': 'alpine=slow(400)' }, token: await client.token() };
  const before = await calls();
  const answers = await Promise.all([client.get(path, options), client.get(path, options), client.get(path, options)]);
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  expect(await calls()).toBe(before + 1);
  expect(answers.filter((answer) => answer.body.suppliers[0]?.shared).length).toBe(2);
});

describe('NDJSON', () => {
  test('lines arrive as suppliers answer: the first before a slow supplier is done, the last is status', async () => {
    const { client, gateway } = running();
    const token = await client.token();
    const lines: { line: Record<string, unknown>; at: number }[] = [];
    const startedAt = performance.now();
    const type = await new Promise<string | undefined>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/x-ndjson',
        'x-sandbox-scenario': 'bravo=slow(800); alpine=empty',
      };
      httpRequest({ host: '127.0.0.1', port: gateway.port, path: vehiclesPath(), headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          const parts = (text + chunk).split('\n');
          text = parts.pop() ?? '';
          for (const part of parts)
            lines.push({ line: JSON.parse(part) as Record<string, unknown>, at: performance.now() - startedAt });
        });
        response.once('end', () => resolve(response.headers['content-type']));
        response.once('error', reject);
      })
        .once('error', reject)
        .end();
    });
    expect(type).toBe('application/x-ndjson; charset=utf-8');
    expect(lines[0]?.line).toMatchObject({
      search_id: expect.stringMatching(/^sea_/),
      request: { pickup_location: 'BOS' },
    });
    expect(lines[0]?.at).toBeLessThan(700);
    expect(lines.findLast(({ line }) => line.supplier === 'bravo')?.at).toBeGreaterThan(780);
    expect(lines.at(-1)?.line).toMatchObject({
      status: {
        success: [{ code: '206' }],
        request_errors: 1,
        errors: [{ reason: 'no_supplier_results', supplier: 'alpine' }],
      },
    });
  });

  test.each(['GET', 'POST'])('%s streams when Accept asks for it, as /openapi.json says', async (method) => {
    const body = { pickup_location: 'BOS', pickup_date: dayAhead(30), dropoff_date: dayAhead(33) };
    const options = { headers: { accept: 'application/x-ndjson' }, ...(method === 'POST' ? { body } : {}) };
    const answer = await running().client.call(
      method,
      method === 'POST' ? '/cars/catalog/v1/vehicles' : vehiclesPath(),
      options,
    );
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    expect(answer.text.trimEnd().split('\n').length).toBeGreaterThan(4);
  });

  test('a stream without data is a plain error, with its status code', async () => {
    const answer = await running().client.get(vehiclesPath(), {
      headers: { accept: 'application/x-ndjson', 'x-sandbox-scenario': '*=empty' },
    });
    expect([answer.status, answer.reasons]).toEqual([404, ['no_results']]);
  });
});

describe('discount codes and memberships', () => {
  const search = async (more: object) =>
    running().client.post('/cars/catalog/v1/vehicles', {
      pickup_location: 'BOS',
      pickup_date: dayAhead(30),
      dropoff_date: dayAhead(33),
      max_results: 1_000,
      ...more,
    });
  const totals = (answer: Awaited<ReturnType<typeof search>>, discounted: boolean) => {
    const offers = answer.body.vehicles.filter(({ rate }) => rate.discounts_applied.length > 0 === discounted);
    return Object.fromEntries(
      Object.entries(Object.groupBy(offers, ({ supplier }) => supplier)).map(([supplier, own]) => [
        supplier,
        Math.round((own ?? []).reduce((sum, { price }) => sum + Number(price.total.amount), 0)),
      ]),
    );
  };

  test('a code for one supplier changes its prices only, and only its offers list it; an unknown code changes nothing', async () => {
    const plain = await search({});
    const answer = await search({
      discount_codes: [
        { type: 'corporate', value: 'CORP15', supplier: 'alpine' },
        { type: 'corporate', value: 'R566100' },
      ],
      loyalty: [{ program: 'Avis', number: 'SIM12' }],
    });
    expect(answer.body.request.discount_codes).toHaveLength(2);
    expect(answer.body.request.loyalty).toEqual([{ program: 'Avis' }]);
    const before = totals(plain, false);
    const { alpine, ...others } = totals(answer, true);
    expect(others).toEqual({});
    expect(alpine).toBeLessThan((before.alpine ?? 0) * 0.95);
    const { abg, ...unchanged } = totals(answer, false);
    const { alpine: _alpine, abg: abgBefore, ...same } = before;
    expect(unchanged).toEqual(same);
    // Members of Avis pay less for cars of Avis, but not for those of Budget and Payless.
    expect(abg).toBeLessThan(abgBefore ?? 0);
    const ofBudget = ({ body }: typeof plain) =>
      body.vehicles.filter(({ brand }) => brand === 'Budget').map(({ price }) => price);
    expect(ofBudget(answer)).toEqual(ofBudget(plain));
  });

  test('an unknown supplier is a 400 that lists the known ones', async () => {
    const answer = await search({ discount_codes: [{ type: 'promo', value: 'X', supplier: 'nobody' }] });
    expect([answer.status, answer.reasons, answer.body.status.errors?.[0]?.field]).toEqual([
      400,
      ['invalid_range'],
      'discount_codes.0.supplier',
    ]);
    expect(answer.body.status.errors?.[0]?.details).toContain('Use one of abg, dune, alpine, bravo.');
  });
});

test('POST accepts what must not appear in a URL', async () => {
  const body = {
    pickup_location: 'BOS',
    pickup_date: dayAhead(30),
    dropoff_date: dayAhead(33),
    date_of_birth: '1990-05-31',
    discount_codes: [{ type: 'corporate', value: 'A123456' }],
    loyalty: [{ number: 'LOYAL-4711' }],
    additional_drivers: 1,
  };
  const answer = await running().client.post('/cars/catalog/v1/vehicles', body);
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain('1990-05-31');
  expect(running().gateway.child.output()).not.toMatch(/1990-05-31|LOYAL-4711/);
});
