import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { booked, driver, fresh, QUICK, quoteOf, read } from '../support/booking.js';
import type { AnyBody, Offer } from '../support/client.js';
import { PROJECT } from '../support/project.js';
import { vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

const TODAY = new Date().toISOString().slice(0, 10);
const SOURCE = 'European Central Bank';
const file = join(mkdtempSync(join(tmpdir(), 'forecourt-rates-')), 'rates.xml');
const shipped = readFileSync(join(PROJECT, 'config/exchange-rates.xml'), 'utf8');
writeFileSync(file, shipped.replace(/time='[\d-]+'/, `time='${TODAY}'`).replace('Forecourt sample rates', SOURCE));

const running = runGateway({ config: { ...QUICK, settings: { ...QUICK.settings, exchangeRates: { file } } } });
const client = () => running().client;
const search = (more: Record<string, string> = {}) => client().get(vehiclesPath({ max_results: '1000', ...more }));

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
