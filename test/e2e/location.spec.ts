import { rawAsk } from '../compat/raw-ask.js';
import { locationsPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { SUPPLIER_IDS } from '../support/suppliers.js';

const running = sharedGateway();
const pathOf = (id: string, version = 'v1'): string => `/cars/locations/${version}/${id}`;
/** Location ids at London Heathrow by supplier. */
const idsBySupplier = async (): Promise<Map<string, string>> => {
  const { body } = await running().client.get(locationsPath('LHR'));
  return new Map(body.locations.map(({ supplier, location_id }) => [supplier, location_id]));
};
const anyId = async (supplier = SUPPLIER_IDS[0] ?? ''): Promise<string> => (await idsBySupplier()).get(supplier) ?? '';
type Read = { location: Record<string, unknown>; status: { success?: { code: string }[] } };
const readOf = (text: string): Read => JSON.parse(text) as Read;

describe('one location (GET /cars/locations/v1/{location_id})', () => {
  test('of every supplier is the one that the search found, as its supplier describes it', async () => {
    const ids = await idsBySupplier();
    expect(ids.size).toBeGreaterThanOrEqual(3);
    for (const [supplier, id] of ids) {
      const answer = await running().client.get(pathOf(id));
      expect([supplier, answer.status]).toEqual([supplier, 200]);
      const { location, status } = readOf(answer.text);
      expect(location).toMatchObject({ location_id: id, supplier, iata_code: 'LHR', time_zone: 'Europe/London' });
      expect(location.opening_hours).not.toEqual([]);
      expect(status.success?.map(({ code }) => code)).toEqual(['200']);
    }
  });

  test('has its distance from a point, and no distance without one', async () => {
    const id = await anyId();
    const near = await running().client.get(`${pathOf(id)}?latitude=51.51&longitude=-0.13`);
    expect(readOf(near.text).location.distance_from_search).toEqual({ value: expect.closeTo(23, -1), unit: 'km' });
    expect(readOf((await running().client.get(pathOf(id))).text).location).not.toHaveProperty('distance_from_search');
  });

  test('has an ETag: If-None-Match gets a 304 without body', async () => {
    const id = await anyId();
    const { client } = running();
    const first = await client.get(pathOf(id));
    const etag = first.headers.etag ?? '';
    expect([first.headers['cache-control'], /^"[\w-]+"$/.test(etag)]).toEqual(['private, max-age=300', true]);
    const again = await client.get(pathOf(id), { headers: { 'if-none-match': etag } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    expect((await client.get(pathOf(id), { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test('HEAD has the headers of GET and no body', async () => {
    const { client, gateway } = running();
    const headers = { authorization: `Bearer ${await client.token()}` };
    const head = async (id: string) => {
      const answer = await fetch(`${gateway.baseUrl}${pathOf(id)}`, { method: 'HEAD', headers });
      return { status: answer.status, etag: answer.headers.get('etag'), text: await answer.text() };
    };
    const id = await anyId();
    expect(await head(id)).toEqual({ status: 200, etag: (await client.get(pathOf(id))).headers.etag, text: '' });
    expect(await head('loc_none')).toEqual({ status: 404, etag: null, text: '' });
  });
});

describe('errors of one location', () => {
  const invalid = (field: string, reason: string) => [400, [reason], [field]];

  test.each([
    ['an unknown parameter', 'latitud=1', ...invalid('latitud', 'invalid_request')],
    ['a repeated parameter', 'latitude=1&latitude=2&longitude=1', ...invalid('latitude', 'invalid_request')],
    ['a latitude out of range', 'latitude=91&longitude=1', ...invalid('latitude', 'invalid_range')],
    ['a longitude that is no number', 'latitude=1&longitude=x', ...invalid('longitude', 'invalid_format')],
    ['a latitude without longitude', 'latitude=1', ...invalid('longitude', 'invalid_request')],
    ['a longitude without latitude', 'longitude=1', ...invalid('latitude', 'invalid_request')],
  ])('%s: ?%s is a %d', async (_case, query, status, reasons, fields) => {
    const answer = await running().client.get(`${pathOf(await anyId())}?${query}`);
    expect([answer.status, answer.reasons, answer.body.status.errors?.map(({ field }) => field)]).toEqual([
      status,
      reasons,
      fields,
    ]);
  });

  test('of another form, forged or unknown: the same 404', async () => {
    const id = await anyId();
    for (const wrong of ['x', 'loc_', 'loc_none', `${id.slice(0, -1)}A`, `${id}A`, 'plc_lhr']) {
      const answer = await running().client.get(pathOf(wrong));
      expect([wrong, answer.status, answer.reasons]).toEqual([wrong, 404, ['resource_failure']]);
    }
  });

  test('before v1.2: 404, as before', async () => {
    const id = await anyId();
    for (const version of ['v1.1', 'v1.0.1'])
      expect((await running().client.get(pathOf(id, version))).reasons).toEqual(['resource_failure']);
    expect((await rawAsk(running().client, pathOf(id, 'v1.2'))).status).toBe(200);
  });

  test('no token 401, no subscription 403', async () => {
    const { client } = running();
    const id = await anyId();
    expect((await client.get(pathOf(id), { token: null })).reasons).toEqual(['authentication_failure']);
    const unsubscribed = await client.token('demo-unsubscribed');
    expect((await client.get(pathOf(id), { token: unsubscribed })).reasons).toEqual(['permissions_failure']);
  });

  test.each([
    ['the supplier fails', 'reset', 500, 'supplier_failure'],
    ['the supplier no longer has it', 'empty', 404, 'no_results'],
  ])('%s (%s): %d', async (_case, directive, status, reason) => {
    const supplier = SUPPLIER_IDS[0] ?? '';
    const headers = { 'x-sandbox-scenario': `${supplier}=${directive}` };
    const answer = await running().client.get(pathOf(await anyId()), { headers });
    expect([answer.status, answer.reasons]).toEqual([status, [reason]]);
    expect(answer.headers.etag).toBeUndefined();
  });
});
