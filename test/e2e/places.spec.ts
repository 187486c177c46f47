import type { z } from 'zod';
import type { placesAnswer } from '../../src/locations/places.wire.js';
import { vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const pathOf = (query: string): string => `/cars/places/v1?${query}`;
const find = async (keyword: string, more = '') => {
  const answer = await running().client.get(pathOf(`keyword=${encodeURIComponent(keyword)}${more}`));
  expect(answer.status).toBe(200);
  return (JSON.parse(answer.text) as z.infer<typeof placesAnswer>).places;
};

describe('place search (GET /cars/places/v1)', () => {
  test.each([
    ['münchen', { type: 'city', name: 'Munich', country: 'Germany', airports: ['MUC'] }],
    ['wien', { type: 'city', name: 'Vienna', time_zone: 'Europe/Vienna' }],
    ['LHR', { place_id: 'plc_lhr', type: 'airport', code: 'LHR', airports: ['LHR'] }],
    ['NYC', { type: 'city', code: 'NYC', airports: expect.arrayContaining(['JFK', 'EWR', 'LGA']) }],
    ['02128', { type: 'postal_code', code: '02128', region: 'Massachusetts', country_code: 'US', airports: [] }],
    ['Germany', { type: 'country', code: 'DE' }],
  ])('"%s" finds what it means first', async (keyword, place) => {
    expect((await find(keyword))[0]).toMatchObject(place);
  });

  test('returns 8 places, or max_results, in the given country', async () => {
    expect(await find('san')).toHaveLength(8);
    expect(await find('san', '&max_results=20')).toHaveLength(20);
    expect(new Set((await find('san', '&country_code=ar')).map(({ country_code }) => country_code))).toEqual(
      new Set(['AR']),
    );
  });

  test('the place of an airport and a magic place of the sandbox work as pickup_location', async () => {
    expect((await find('zzt404'))[0]).toMatchObject({ place_id: 'plc_zzt404', country_code: 'ZZ' });
    expect((await find('ZZT404', '&country_code=ZZ'))[0]?.code).toBe('ZZT404');
  });

  test('is cached: an ETag, a 304 without body, HEAD without body', async () => {
    const { client, gateway } = running();
    const first = await client.get(pathOf('keyword=paris'));
    const etag = first.headers.etag ?? '';
    expect([first.headers['cache-control'], first.headers.vary]).toEqual(['private, max-age=300', 'authorization']);
    const again = await client.get(pathOf('keyword=paris'), { headers: { 'if-none-match': etag } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    const headers = { authorization: `Bearer ${await client.token()}` };
    const head = await fetch(`${gateway.baseUrl}${pathOf('keyword=paris')}`, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
  });
});

describe('errors of the place search', () => {
  test.each([
    ['no keyword', '', 400, 'invalid_request', 'keyword'],
    ['an empty keyword', 'keyword=%20', 400, 'invalid_range', 'keyword'],
    ['a keyword that is too long', `keyword=${'x'.repeat(81)}`, 400, 'invalid_range', 'keyword'],
    ['a control character', 'keyword=a%00b', 400, 'invalid_format', 'keyword'],
    ['a repeated keyword', 'keyword=a&keyword=b', 400, 'invalid_request', 'keyword'],
    ['an unknown parameter', 'keyword=paris&max_result=1', 400, 'invalid_request', 'max_result'],
    ['max_results out of range', 'keyword=paris&max_results=21', 400, 'invalid_range', 'max_results'],
    ['max_results that is no number', 'keyword=paris&max_results=x', 400, 'invalid_format', 'max_results'],
    ['an unknown country', 'keyword=paris&country_code=XX', 400, 'invalid_range', 'country_code'],
    ['a country of another form', 'keyword=paris&country_code=FRA', 400, 'invalid_format', 'country_code'],
    ['a repeated country', 'keyword=paris&country_code=FR&country_code=US', 400, 'invalid_request', 'country_code'],
    ['no place of that name', 'keyword=qqqqzzzzwwww', 404, 'no_results', undefined],
  ])('%s: ?%s is a %d', async (_case, query, status, reason, field) => {
    const answer = await running().client.get(pathOf(query));
    expect([answer.status, answer.reasons, answer.body.status.errors?.[0]?.field]).toEqual([status, [reason], field]);
  });

  test('no token: 401; an application that is not selected for the Beta: 404', async () => {
    const { client } = running();
    expect((await client.get(pathOf('keyword=paris'), { token: null })).reasons).toEqual(['authentication_failure']);
    const token = await client.token('demo-unsubscribed');
    expect((await client.get(pathOf('keyword=paris'), { token })).reasons).toEqual(['resource_failure']);
  });
});

describe('availability around a point', () => {
  const around = { pickup_location: undefined, pickup_latitude: '42.3601', pickup_longitude: '-71.0589' };
  const search = (changes: Record<string, string | undefined>) =>
    running().client.get(vehiclesPath({ ...around, max_results: '1000', ...changes }));

  test('returns the offers of the airports in the circle, each with its distance, and their offers can be priced', async () => {
    const answer = await search({ pickup_radius_km: '80', sort_by: 'distance' });
    expect([200, 206]).toContain(answer.status);
    const request = answer.body.request as { pickup_airports: string[]; pickup_distances: { iata_code: string }[] };
    expect(request.pickup_airports.length).toBeGreaterThan(1);
    expect(request.pickup_distances.map(({ iata_code }) => iata_code)).toEqual(request.pickup_airports);
    const codes = answer.body.vehicles.map(({ pickup }) => pickup.location.iata_code);
    expect([...new Set(codes)]).toEqual(request.pickup_airports.filter((code) => codes.includes(code)));
    expect(codes.length).toBeGreaterThan(0);
    const last = answer.body.vehicles.at(-1);
    const price = await running().client.post('/cars/catalog/v1/vehicles/rates', { offer_id: last?.offer_id });
    expect(price.status).toBe(200);
  });

  test('a return at another point is at its nearest airport', async () => {
    const answer = await search({ pickup_radius_km: '10', dropoff_latitude: '40.758', dropoff_longitude: '-73.9855' });
    expect([200, 206]).toContain(answer.status);
    const [offer] = answer.body.vehicles;
    expect([offer?.pickup.location.iata_code, offer?.dropoff.location.iata_code]).toEqual(['BOS', 'LGA']);
  });

  test('a repeated, half or empty point is a 400 that names the field', async () => {
    const fieldOf = async (path: Promise<{ status: number; body: { status: { errors?: { field?: string }[] } } }>) => {
      const { status, body } = await path;
      return [status, body.status.errors?.[0]?.field];
    };
    const repeated = running().client.get(`${vehiclesPath(around)}&pickup_latitude=1`);
    expect(await fieldOf(repeated)).toEqual([400, 'pickup_latitude']);
    expect(await fieldOf(search({ pickup_longitude: undefined }))).toEqual([400, 'pickup_longitude']);
    expect(await fieldOf(search({ pickup_latitude: '-40', pickup_longitude: '-120' }))).toEqual([
      400,
      'pickup_radius_km',
    ]);
  });
});
