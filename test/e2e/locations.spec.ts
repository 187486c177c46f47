import { locationsPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { SUPPLIER_IDS } from '../support/suppliers.js';

const running = sharedGateway();
const find = async (keyword: string, changes: Record<string, string> = {}) => {
  const answer = await running().client.get(locationsPath(keyword, changes));
  expect(answer.status).toBe(200);
  return answer.body.locations;
};

describe('location keyword search (spec §4.2, docs/model.md#location)', () => {
  test.each(['boston', 'BOS', 'London', 'a'])('"%s": at most three results, over all suppliers', async (keyword) => {
    const answer = await running().client.get(locationsPath(keyword));
    if (answer.status === 404) return;
    expect(answer.body.locations.length).toBeGreaterThan(0);
    expect(answer.body.locations.length).toBeLessThanOrEqual(3);
  });

  test('an exact IATA code comes first, with one counter per supplier, in configuration order', async () => {
    const locations = await find('LHR');
    expect(locations.map(({ supplier, iata_code }) => [supplier, iata_code])).toEqual(
      SUPPLIER_IDS.slice(0, 3).map((id) => [id, 'LHR']),
    );
  });

  test.each([
    ['without accents', 'Zurich', 'ZRH'],
    ['with accents', 'Zürich', 'ZRH'],
    ['in capitals', 'BOSTON', 'BOS'],
    ['with a typo', 'bostn', 'BOS'],
    ['with two typos in a long word', 'barcelna', 'BCN'],
    ['that is a lower-case code', 'fra', 'FRA'],
  ])('keyword %s finds its airport', async (_case, keyword, iata) => {
    expect((await find(keyword)).map((location) => location.iata_code)).toContain(iata);
  });

  test('airports come before counters in town', async () => {
    const types = (await find('Boston')).map((location) => location.type);
    expect([...types].sort((a, b) => Number(b === 'airport') - Number(a === 'airport'))).toEqual(types);
  });

  test('country_code limits results to that country, in any case', async () => {
    const locations = await find('Birmingham', { country_code: 'gb' });
    expect(new Set(locations.map((location) => location.address.country_code))).toEqual(new Set(['GB']));
  });

  test('brand accepts one value or a comma-separated list, in any case', async () => {
    expect(new Set((await find('BOS', { brand: 'bUdGeT' })).map((location) => location.brand))).toEqual(
      new Set(['Budget']),
    );
    const brands = (await find('BOS', { brand: 'avis,alpine' })).map((location) => location.brand);
    expect(new Set(brands)).toEqual(new Set(['Avis', 'Alpine']));
  });

  test('coordinates instead of a keyword: nearest first, with the distance, all within the radius', async () => {
    const answer = await running().client.get('/cars/locations/v1/?latitude=51.47&longitude=-0.4543&radius_km=15');
    expect(answer.status).toBe(200);
    const distances = answer.body.locations.map((location) => location.distance_from_search?.value ?? Number.NaN);
    expect(distances.every((value) => value <= 15)).toBe(true);
    expect(answer.body.locations[0]?.iata_code).toBe('LHR');
    expect(answer.body.locations[0]?.distance_from_search?.unit).toBe('km');
  });

  test('no location near a point in the ocean: 404 no_results', async () => {
    const answer = await running().client.get('/cars/locations/v1/?latitude=-48.8&longitude=-123.4');
    expect([answer.status, answer.reasons]).toEqual([404, ['no_results']]);
  });

  test('no location for the keyword: 404 no_results', async () => {
    const answer = await running().client.get(locationsPath('qqqqzzzzwwww'));
    expect([answer.status, answer.reasons]).toEqual([404, ['no_results']]);
  });

  test('the same request has the same answer, whatever order suppliers answer in (ruling 3)', async () => {
    const ask = async (scenario: string) =>
      (
        await running().client.get(locationsPath('Paris'), { headers: { 'x-sandbox-scenario': scenario } })
      ).body.locations.map((row) => row.location_id);
    const usual = await ask('abg=ok');
    expect(await ask('abg=slow(200)')).toEqual(usual);
    expect(await ask('bravo=slow(150); alpine=slow(250)')).toEqual(usual);
  });
});

describe('caching of locations (ruling 8)', () => {
  test('a full answer has an ETag and allows private caching; If-None-Match → 304 without body', async () => {
    const { client } = running();
    const first = await client.get(locationsPath('boston'));
    expect(first.headers['cache-control']).toBe('private, max-age=300');
    const etag = first.headers.etag ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await client.get(locationsPath('boston'), { headers: { 'if-none-match': value } });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await client.get(locationsPath('boston'), { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test('a partial answer has no ETag, may not be cached, and is never a 304', async () => {
    const answer = await running().client.get(locationsPath('boston'), {
      headers: { 'x-sandbox-scenario': 'bravo=reset', 'if-none-match': '*' },
    });
    expect([answer.status, answer.headers.etag, answer.headers['cache-control']]).toEqual([206, undefined, 'no-store']);
  });
});
