import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  booked,
  create,
  driver,
  fresh,
  on,
  path,
  QUICK,
  quoteOf,
  type Reservation,
  read,
  reservationOf,
  settled,
} from '../support/booking.js';
import type { AnyBody, Offer } from '../support/client.js';
import { PROJECT } from '../support/project.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { SUPPLIERS } from '../support/suppliers.js';

const TODAY = new Date().toISOString().slice(0, 10);
const SOURCE = 'European Central Bank';
const file = join(mkdtempSync(join(tmpdir(), 'forecourt-rates-')), 'rates.xml');
const shipped = readFileSync(join(PROJECT, 'config/exchange-rates.xml'), 'utf8');
writeFileSync(file, shipped.replace(/time='[\d-]+'/, `time='${TODAY}'`).replace('Forecourt sample rates', SOURCE));

/** Suppliers that consist of a manifest only; ember is off as shipped. */
const BRANDS = { dune: 'Dune', ember: 'Ember' } as const;
const BUDGETED = {
  timeoutMs: { searchLocations: 3_000, searchVehicles: 3_000, ...QUICK.suppliers.alpine?.timeoutMs },
};
/** Rates of today, one more supplier, and a short budget with all timeouts that it requires. */
const running = runGateway({
  env: { REQUEST_BUDGET_MS: '3500' },
  config: {
    ...QUICK,
    settings: { ...QUICK.settings, exchangeRates: { file }, search: { timeoutMs: { min: 500, max: 3_000 } } },
    suppliers: {
      ...Object.fromEntries([...SUPPLIERS.map(({ id }) => id), 'cobalt'].map((id) => [id, BUDGETED])),
      ember: { ...BUDGETED, state: 'live' },
    },
  },
});
const client = () => running().client;

describe('prices in a currency that was asked for', () => {
  const search = (more: Record<string, string> = {}) => client().get(vehiclesPath({ max_results: '1000', ...more }));

  // The first search of a gateway takes longest; the timeouts here are short.
  beforeAll(async () => void (await search()));

  const minor = (amount = ''): number => Math.round(Number(amount) * 100);
  const suppliersIn = (vehicles: readonly Offer[]): string[] =>
    [...new Set(vehicles.map(({ supplier }) => supplier))].sort();

  /** Checks what a display price in euros says about itself. */
  function expectConverted({ price: { total, display, due_now, due_at_counter } }: Pick<Offer, 'price'>): void {
    const same = total.currency === 'EUR';
    expect(display).toMatchObject({ currency: 'EUR', as_of: TODAY, source: same ? 'none' : SOURCE });
    expect(display?.stale).toBeUndefined();
    expect(Math.abs(Number(total.amount) * Number(display?.rate) - Number(display?.amount))).toBeLessThan(0.005_001);
    const parts = minor(display?.due_now?.amount) + minor(display?.due_at_counter?.amount);
    expect(parts).toBe(minor(display?.amount));
    expect(minor(due_now.amount) + minor(due_at_counter.amount)).toBe(minor(total.amount));
  }

  test('every offer has a price in the requested currency, and price_max and the order are in it', async () => {
    const plain = await search();
    const all = await search({ currency: 'EUR' });
    expect(suppliersIn(all.body.vehicles)).toEqual(suppliersIn(plain.body.vehicles));
    expect(all.body.vehicles_found).toBe(plain.body.vehicles_found);
    expect(all.body.conversion).toEqual({ currency: 'EUR', as_of: TODAY, source: SOURCE, stale: false });
    for (const offer of all.body.vehicles) expectConverted(offer);
    const amounts = all.body.vehicles.map(({ price }) => minor(price.display?.amount));
    expect(amounts).toEqual([...amounts].sort((one, other) => one - other));

    const limited = await search({ currency: 'EUR', price_max: '250' });
    expect(limited.body.vehicles_found).toBe(amounts.filter((amount) => amount <= 25_000).length);
    expect(suppliersIn(limited.body.vehicles).length).toBeGreaterThanOrEqual(4);
    expect(limited.body.vehicles.some(({ price }) => price.total.currency !== 'EUR')).toBe(true);
    expect(limited.body.vehicles.every(({ price }) => minor(price.display?.amount) <= 25_000)).toBe(true);
  });

  test('without a currency, an answer says nothing about conversion', async () => {
    const { text } = await search();
    expect(text).not.toMatch(/"(display|conversion|unconverted)"/);
  });

  test('offers that cannot be converted are listed and counted, and only price_max removes them', async () => {
    const all = await search({ currency: 'ARS' });
    expect(all.status).toBe(200);
    for (const row of all.body.suppliers) expect(row.unconverted).toBe(row.offers);
    expect(all.body.vehicles.every(({ price }) => price.display === undefined)).toBe(true);
    const limited = await search({ currency: 'ARS', price_max: '999999' });
    expect([limited.status, limited.errors.map(({ reason }) => reason)]).toEqual([404, ['no_results']]);
    expect(limited.errors[0]?.details).toContain('No exchange rate into the requested currency is known');
  });

  test('a stream says in its first line with what its offers are converted', async () => {
    const { text } = await client().get(vehiclesPath({ currency: 'EUR' }), {
      headers: { accept: 'application/x-ndjson' },
    });
    const [head, ...lines] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AnyBody);
    expect(head?.conversion).toMatchObject({ currency: 'EUR', source: SOURCE });
    const offers = lines.flatMap(({ vehicles = [] }) => vehicles);
    expect(offers.length).toBeGreaterThan(0);
    for (const offer of offers) expectConverted(offer);
  });

  test('a quote keeps currency and rate, and so does the reservation that it makes', async () => {
    const { body } = await search({ currency: 'EUR', brand: 'Alpine' });
    const offer_id = body.vehicles[0]?.offer_id;
    const quote = await quoteOf(client(), { offer_id });
    expectConverted(quote.offer);
    const inYen = await quoteOf(client(), { offer_id, currency: 'jpy' });
    expect(inYen.offer.price.display).toMatchObject({ currency: 'JPY', amount: expect.stringMatching(/^\d+$/) });
    expect((await quoteOf(client(), { quote_id: inYen.quote_id })).offer.price.display?.currency).toBe('JPY');

    const made = await booked(client(), { quote_id: inYen.quote_id, driver: driver(fresh()) });
    expect(made.price).toEqual(inYen.offer.price);
    const stored = await read(client(), made.reservation_id);
    expect(stored.price.display).toEqual(inYen.offer.price.display);
    expect(stored.price.total).toEqual(inYen.offer.price.total);

    const direct = await booked(client(), { offer_id, driver: driver(fresh()) });
    expect(direct.price.display).toEqual(quote.offer.price.display);
  });

  test.each([
    ['an unknown currency', 'ZZX', 'invalid_range'],
    ['a currency with four letters', 'EURO', 'invalid_format'],
    ['a currency that is not text', 978, 'invalid_format'],
    ['no currency', null, 'invalid_format'],
  ])('a price check with %s is refused', async (_case, currency, reason) => {
    const answer = await client().post('/cars/catalog/v1/vehicles/rates', { offer_id: 'off_x', currency });
    expect([answer.status, answer.errors.map((entry) => [entry.reason, entry.field])]).toEqual([
      400,
      [[reason, 'currency']],
    ]);
  });
});

describe.each(['dune', 'ember'] as const)('%s', (supplier) => {
  const brand = BRANDS[supplier];
  let offer: Offer;
  beforeAll(async () => {
    const answer = await client().get(vehiclesPath({ brand, max_results: '60' }));
    const found = answer.body.vehicles.find(
      ({ status, rate }) => status === 'available' && rate.payment === 'pay_later',
    );
    if (!found) throw new Error(answer.text.slice(0, 300));
    offer = found;
  });

  const book = async (more: object = {}): Promise<Reservation> =>
    booked(client(), { offer_id: offer.offer_id, driver: driver(fresh()), ...more });

  test('finds its counters by words, each once', async () => {
    const { status, body } = await client().get(locationsPath('London', { brand }));
    expect(status).toBe(200);
    expect(body.locations.length).toBeGreaterThan(1);
    expect(new Set(body.locations.map((location) => location.location_id)).size).toBe(body.locations.length);
  });

  test('prices the chosen options; the quote can be booked, read and cancelled', async () => {
    const extra = offer.extras.find(({ price_total }) => price_total !== undefined);
    const quote = await quoteOf(client(), {
      offer_id: offer.offer_id,
      extras: [{ extra_id: extra?.extra_id, quantity: 1 }],
    });
    const reservation = await booked(client(), { quote_id: quote.quote_id, driver: driver(fresh()) });
    expect(reservation).toMatchObject({ state: 'confirmed', selected_extras: [{ quantity: 1 }] });
    expect(reservation.price.total).toEqual(quote.offer.price.total);
    expect(await read(client(), reservation.reservation_id)).toMatchObject({ state: 'confirmed' });
    expect((await on(client(), 'DELETE', reservation.reservation_id)).status).toBe(204);
    expect(path(await read(client(), reservation.reservation_id))).toBe('pending confirmed cancel_pending cancelled');
  });

  test('changes a booking, or declares that it supports no changes', async () => {
    const { reservation_id: id } = await book();
    const answer = await on(client(), 'PATCH', id, { remark: 'Three cases' });
    if (supplier === 'dune') expect([answer.status, answer.errors[0]?.cause]).toEqual([400, 'unsupported_by_supplier']);
    else expect([answer.status, (await read(client(), id)).remark]).toEqual([204, 'Three cases']);
  });

  test.each([
    ['sold_out', 404, 'sold_out'],
    ['price(+50%)', 400, 'price_changed'],
  ])('%s: nothing is booked', async (verb, status, cause) => {
    const answer = await create(
      client(),
      { offer_id: offer.offer_id, driver: driver(fresh()) },
      { scenario: `${supplier}=${verb}` },
    );
    expect([answer.status, answer.errors[0]?.cause ?? answer.errors[0]?.reason]).toEqual([status, cause]);
  });

  test('finds a lost answer by our reference', async () => {
    const answer = await create(
      client(),
      { offer_id: offer.offer_id, driver: driver(fresh()) },
      { scenario: `${supplier}=lost_then_found` },
    );
    expect(answer.status).toBe(202);
    expect(path(await settled(client(), reservationOf(answer).reservation_id, ['confirmed']))).toBe(
      'pending unknown confirmed',
    );
  });

  test.each([
    ['timeout', 'timeout'],
    ['html', 'bad_payload'],
    ['garbage', 'bad_payload'],
    ['truncated', 'unavailable'],
    ['error(503)', 'unavailable'],
    ['auth', 'rejected'],
    ['throttled', 'throttled'],
  ])('reports %s in a search as %s', async (verb, cause) => {
    const answer = await client().get(vehiclesPath({ brand, timeout_ms: '1500' }), {
      headers: { 'x-sandbox-scenario': `${supplier}=${verb}` },
    });
    expect(answer.status).toBe(500);
    expect(answer.text).toContain(cause);
  });
});

test('a budget that expires while NDJSON flows neither crashes the process nor truncates the answer', async () => {
  const { client, gateway } = running();
  const token = await client.token();
  const rental = { pickup_location: 'BOS', pickup_date: dayAhead(30), dropoff_date: dayAhead(32) };
  const body = JSON.stringify({ ...rental, max_results: 1 });
  const socket = connect(gateway.port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  const scenario = 'X-Sandbox-Scenario: bravo=slow(2000)';
  socket.write(
    `POST /cars/catalog/v1/vehicles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: application/x-ndjson\r\n${scenario}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  // The body arrives so late that the budget (3.5 s) expires while bravo (2 s) is still awaited.
  const late = setTimeout(() => socket.write(body), 2_250);
  await once(socket, 'close');
  clearTimeout(late);
  expect(received).toContain('HTTP/1.1 200 OK');
  expect(received).toContain('"request_time"');
  expect((await client.get('/health/live', { token: null })).status).toBe(200);
}, 30_000);
