import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BookingLedger } from '../bookings.js';
import type { DialectSimulator, Directive, SimulatedRequest } from '../world.js';
import { createRecordedSimulator } from './simulator.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-recorded-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CARS = {
  currency: 'EUR',
  days: 3,
  from: { id: 'BGO1', title: 'Bergen' },
  cars: [
    { rate_id: 'r1', name: 'Small', total: '210.50', hold: 0 },
    { rate_id: 'r2', name: 'Large', total: '320.00', hold: 0 },
  ],
};
const THREE_DAYS = { start: '2027-05-01T10:00:00', end: '2027-05-04T10:00:00' };
const PLACES = { places: [{ id: 'BGO1', title: 'Bergen Airport', country: 'NO' }] };

function write(name: string, body: unknown): void {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(body));
}

const manifest = {
  auth: { kind: 'header', headers: { 'x-api-key': '{key}' } },
  tables: { payment: { POA: 'pay_later' }, offerStatus: { 0: 'available', 1: 'on_request' } },
  errors: [
    { when: "code == 'SLOW_DOWN'", status: 420, means: 'throttled' },
    { when: "code == 'GONE'", means: 'rejected', refusal: 'sold_out' },
  ],
  location: { code: 'id', name: 'title', countryCode: 'country' },
  offer: {
    rows: 'cars',
    ref: { rate: 'rate_id' },
    status: 'hold',
    currency: '$answer.currency',
    rentalDays: '$answer.days',
    pickup: '$answer.from',
    dropoff: '$answer.from',
    payment: "'POA'",
    vehicle: { name: 'name' },
    price: { total: 'total' },
  },
  searchLocations: { request: { method: 'GET', path: '/places', query: { text: 'keyword' } }, rows: 'places' },
  searchVehicles: {
    request: {
      method: 'POST',
      path: '/cars',
      json: { from: { place: 'pickup.code' }, start: 'pickupDate', end: 'dropoffDate' },
    },
  },
  priceCheck: { request: { method: 'GET', path: '/cars/{ref.rate}' } },
};

let simulator: DialectSimulator;
beforeEach(() => {
  write('searchLocations', PLACES);
  write('searchVehicles', CARS);
  simulator = createRecordedSimulator(settings());
});

function settings() {
  return {
    options: manifest,
    credentials: { key: 'k1' },
    brands: ['Fjord'],
    folder,
    now: Date.now,
    ledger: new BookingLedger(Date.now),
  };
}

function ask(method: string, target: string, body = '', directive: Directive = { verb: 'ok' }, key = 'k1') {
  const answer = askOf(simulator, method, target, body, directive, key);
  return { status: answer.status, body: JSON.parse(answer.body) as unknown };
}

function askOf(
  asked: DialectSimulator,
  method: string,
  target: string,
  body: string,
  directive: Directive = { verb: 'ok' },
  key = 'k1',
) {
  const { pathname, searchParams } = new URL(target, 'http://simulator');
  const headers = { 'x-api-key': key, ...(body === '' ? {} : { 'content-type': 'application/json' }) };
  const request: SimulatedRequest = { method, path: pathname, query: searchParams, headers, body, directive };
  return asked.answer(request);
}

const cars = (place: string, directive?: Directive) =>
  ask('POST', '/cars', JSON.stringify({ from: { place }, ...THREE_DAYS }), directive);

describe('a supplier with recorded answers', () => {
  it('returns the recorded rows that contain the keyword', () => {
    expect(ask('GET', '/places?text=bergen')).toEqual({ status: 200, body: PLACES });
    expect(ask('GET', '/places?text=oslo')).toEqual({ status: 200, body: { places: [] } });
  });

  it('has the recorded cars at the recorded places, and none elsewhere', () => {
    expect(cars('BGO1')).toEqual({ status: 200, body: CARS });
    expect(cars('OSL')).toEqual({ status: 200, body: { ...CARS, cars: [] } });
  });

  it('recognizes the pickup place of its cars if no depots are recorded', () => {
    rmSync(join(folder, 'searchLocations.json'));
    expect(cars('BGO1')).toEqual({ status: 200, body: CARS });
    expect(cars('OSL')).toEqual({ status: 200, body: { ...CARS, cars: [] } });
  });

  it('prices the requested row', () => {
    expect(ask('GET', '/cars/r2').body).toMatchObject({ cars: [CARS.cars[1]] });
    expect(ask('GET', '/cars/r9').body).toMatchObject({ cars: [] });
  });

  it('states the days of the requested dates, and none if the request has no dates, whatever others requested before', () => {
    const dates = { start: '2027-05-01T10:00:00', end: '2027-05-08T12:00:00' };
    expect(ask('POST', '/cars', JSON.stringify({ from: { place: 'BGO1' }, ...dates })).body).toEqual({
      ...CARS,
      days: 8,
    });
    expect(ask('GET', '/cars/r1').body).not.toHaveProperty('days');
  });

  it('uses a changed recording for the next call', () => {
    write('searchVehicles', { ...CARS, currency: 'NOK' });
    expect(cars('BGO1').body).toMatchObject({ currency: 'NOK' });
  });

  it.each<[Directive, unknown]>([
    [{ verb: 'empty' }, { status: 200, body: { ...CARS, cars: [] } }],
    [{ verb: 'sold_out' }, { status: 200, body: { ...CARS, cars: [] } }],
    [{ verb: 'throttled' }, { status: 420, body: { code: 'SLOW_DOWN' } }],
    [{ verb: 'auth' }, { status: 401, body: { error: 'no rule of the manifest has this meaning' } }],
    [
      { verb: 'price', percent: 10 },
      {
        status: 200,
        body: {
          ...CARS,
          cars: [
            { ...CARS.cars[0], total: '231.55' },
            { ...CARS.cars[1], total: '352.00' },
          ],
        },
      },
    ],
    [{ verb: 'on_request' }, { status: 200, body: { ...CARS, cars: CARS.cars.map((car) => ({ ...car, hold: 1 })) } }],
  ])('supports scenario %j', (directive, answer) => {
    expect(cars('BGO1', directive)).toEqual(answer);
  });

  it.each([
    ['decimal', '200.50', '220.55'],
    [{ thousands: '.', decimal: ',' }, '999.500', '1099450'],
    [{ thousands: '.', decimal: ',' }, '1.999,50', '2199,45'],
    ['minor', '1000', '1100'],
    ['minor', 1000, 1100],
  ])('changes prices in the format of the supplier, money: %j: %j becomes %j', (money, total, changed) => {
    write('searchVehicles', { ...CARS, cars: [{ ...CARS.cars[0], total }] });
    const priced = createRecordedSimulator({ ...settings(), options: { ...manifest, money } });
    const body = JSON.stringify({ from: { place: 'BGO1' }, ...THREE_DAYS });
    const answer = askOf(priced, 'POST', '/cars', body, { verb: 'price', percent: 10 });
    expect(JSON.parse(answer.body)).toMatchObject({ cars: [{ total: changed }] });
  });

  it.each<[string, string, object, (answer: typeof CARS & { cars: object[]; from_ts?: number }) => unknown]>([
    ['in the answer', '$answer.from_ts', { read: 'epoch-seconds', zone: 'Europe/Oslo' }, (answer) => answer.from_ts],
    ['in each row', 'at', { read: 'DD.MM.YYYY HH:mm' }, ({ cars }) => cars.map((car) => (car as { at?: string }).at)],
  ])('states the requested dates %s, never the recorded ones', (_where, pickupDate, times, statedIn) => {
    write('searchVehicles', {
      ...CARS,
      from_ts: 1,
      cars: CARS.cars.map((car) => ({ ...car, at: '01.01.2020 10:00' })),
    });
    const json = { from: { place: 'pickup.code' }, at: 'pickupDate' };
    const dated = createRecordedSimulator({
      ...settings(),
      options: {
        ...manifest,
        times,
        offer: { ...manifest.offer, pickupDate },
        searchVehicles: { request: { ...manifest.searchVehicles.request, json } },
      },
    });
    const stated = (body: object): unknown =>
      statedIn(JSON.parse(askOf(dated, 'POST', '/cars', JSON.stringify(body)).body));
    const isInstant = pickupDate.startsWith('$');
    expect(stated({ from: { place: 'BGO1' }, at: '2031-05-06T10:00:00' })).toEqual(
      isInstant ? Date.parse('2031-05-06T08:00:00Z') / 1_000 : Array(2).fill('06.05.2031 10:00'),
    );
    expect(stated({ from: { place: 'BGO1' } })).toEqual(isInstant ? undefined : [undefined, undefined]);
  });

  it.each<[string, object, string]>([
    ['answers', { format: 'xml' }, 'XML answers cannot be simulated'],
    [
      'requests',
      { searchVehicles: { request: { method: 'POST', path: '/cars', xml: { cars: {} } } } },
      'XML requests cannot be simulated',
    ],
  ])('are not made from a manifest with XML %s', (_what, more, problem) => {
    expect(() => createRecordedSimulator({ ...settings(), options: { ...manifest, ...more } })).toThrow(problem);
  });

  it('accepts only the key of the file, and only calls of the manifest', () => {
    expect(ask('GET', '/places?text=bergen', '', { verb: 'ok' }, 'k2').status).toBe(401);
    expect(ask('DELETE', '/cars')).toEqual({ status: 404, body: { error: 'the manifest has no call DELETE /cars' } });
  });

  it('names the missing recording', () => {
    rmSync(join(folder, 'searchVehicles.json'));
    expect(cars('BGO1')).toEqual({
      status: 501,
      body: { error: 'there is no recorded answer: add searchVehicles.json' },
    });
  });
});
