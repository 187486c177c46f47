import { Redis } from 'ioredis';
import { describeWith } from '../support/binaries.js';
import { QUICK, SUPPLIERS } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client, type HttpAnswer, type Offer } from '../support/client.js';
import { expandCompact } from '../support/expand-compact.js';
import { vehiclesPath } from '../support/rental.js';
import { FORECOURT_SECRET } from '../support/session.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const paged = (changes: Record<string, string> = {}) =>
  vehiclesPath({ max_results: undefined, page_size: '50', ...changes });
/** At the second gateway: room for one search of all of its offers, but not four. */
const APPLICATION_BYTES = 120_000;

describeWith('redis-server', 'initdb')('pages of a search, at two gateways on one Redis', () => {
  const running = sharedGateway();
  let keys: Redis;
  let other: Gateway;
  let a: Client;
  /** Its suppliers have twice as many offers. */
  let b: Client;

  beforeAll(async () => {
    const { redis, client } = running();
    a = client;
    keys = new Redis(redis.url);
    other = await startGateway({
      env: { REDIS_URL: redis.url, FORECOURT_SECRET, SIMULATORS_CARS_PER_LOCATION: '24' },
      config: {
        settings: { search: { pages: { accountBytes: APPLICATION_BYTES } } },
        tiers: QUICK.tiers,
        // Its first searches, of so many offers, take seconds on a busy machine.
        suppliers: Object.fromEntries(SUPPLIERS.map((id) => [id, { timeoutMs: { searchVehicles: 7_500 } }])),
      },
    });
    b = await Client.of(other);
  });
  afterAll(async () => {
    b.close();
    keys.disconnect();
    await other.stop();
  });

  const search = async (changes: Record<string, string> = {}, headers = {}, client = a): Promise<HttpAnswer> => {
    const answer = await client.get(paged(changes), { headers });
    expect(answer.body.vehicles.length).toBeGreaterThan(0);
    return answer;
  };
  /** All pages from this one on, read at the gateways in turns. */
  const rest = async (first: HttpAnswer): Promise<readonly HttpAnswer[]> => {
    const pages = [first];
    for (let next = first.body.links?.next; next !== undefined; next = pages.at(-1)?.body.links?.next)
      pages.push(await (pages.length % 2 === 0 ? a : b).get(next));
    return pages;
  };
  const offersOf = (pages: readonly HttpAnswer[]): readonly Offer[] => pages.flatMap(({ body }) => body.vehicles);
  /** What identifies an offer in two searches. */
  const named = ({ supplier, brand, vehicle, rate, price }: Offer) =>
    JSON.stringify([supplier, brand, vehicle.sipp_code, vehicle.name, rate, price.total]);
  const keyOf = async (id: string): Promise<string> => (await keys.keys(`*:${id}`))[0] ?? '';

  test('have every offer once, in the order of the complete answer, and lead forward and back', async () => {
    const pages = await rest(await search());
    const complete = (await a.get(vehiclesPath({ max_results: '1000' }))).body;
    expect(offersOf(pages).map(named)).toEqual(complete.vehicles.map(named));
    expect(complete.vehicles.length).toBe(complete.vehicles_found);
    expect(new Set(offersOf(pages).map(({ offer_id }) => offer_id)).size).toBe(complete.vehicles_found);
    const { search_id, request, suppliers } = pages[0]?.body ?? {};
    for (const [index, { status, body }] of pages.entries()) {
      expect([status, body.vehicles_found]).toEqual([200, complete.vehicles_found]);
      expect(body.page).toMatchObject({ number: index + 1, count: Math.ceil(complete.vehicles_found / 50) });
      expect({ search_id, request, suppliers }).toEqual({
        search_id: body.search_id,
        request: body.request,
        suppliers: body.suppliers,
      });
      const before = body.links?.prev === undefined ? undefined : (await b.get(body.links.prev)).body.vehicles;
      expect(before).toEqual(pages[index - 1]?.body.vehicles);
    }
    expect(request).toMatchObject({ page_size: 50 });
    const start = await b.get(`/cars/catalog/v1/searches/${search_id}`);
    expect([start.body.vehicles, start.body.links]).toEqual([pages[0]?.body.vehicles, pages[0]?.body.links]);
  });

  test('have offers that can be priced at any gateway', async () => {
    const [, second] = await rest(await search());
    const offer_id = second?.body.vehicles[0]?.offer_id;
    expect((await b.post('/cars/catalog/v1/vehicles/rates', { offer_id })).status).toBe(200);
  });

  test('of a partial result are each a 206 with its entries, or a 200 if the caller prefers; so are those of a POST', async () => {
    const scenario = { 'x-sandbox-scenario': 'bravo=error(503)' };
    const pages = await rest(await search({}, scenario));
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect([page.status, page.missing]).toEqual([206, ['500 bravo unavailable']]);
    const { next = '' } = pages[0]?.body.links ?? {};
    const preferred = await b.get(next, { headers: { prefer: 'partial=200' } });
    expect([preferred.status, preferred.headers['preference-applied']]).toEqual([200, 'partial=200']);
    const body = { ...Object.fromEntries(new URLSearchParams(paged().split('?')[1])), page_size: 50 };
    const posted = await a.post('/cars/catalog/v1/vehicles', body, { headers: scenario });
    expect([posted.status, posted.missing]).toEqual([200, ['500 bravo unavailable']]);
    expect((await b.get(posted.body.links?.next ?? '')).status).toBe(206);
  });

  test('have the same offers in the compact view, in at most a quarter of the bytes', async () => {
    for (const changes of [{}, { currency: 'EUR' }] as Record<string, string>[]) {
      const { body } = await search({ page_size: '200', ...changes }, {}, b);
      const path = `/cars/catalog/v1/searches/${body.search_id}`;
      const [full, compact] = [await a.get(path), await b.get(`${path}?view=compact`)];
      expect(full.body.vehicles).toHaveLength(200);
      expect([compact.body.vehicles, compact.body.compact && expandCompact(compact.body.compact)]).toEqual([
        [],
        full.body.vehicles,
      ]);
      expect(compact.text.length / full.text.length).toBeLessThan(0.25);
      const next = await a.get(compact.body.links?.next ?? '');
      expect([next.body.vehicles.length, next.body.compact?.offers.length]).toEqual([0, body.vehicles_found - 200]);
    }
    const searched = await a.get(vehiclesPath({ view: 'compact' }));
    expect([searched.body.vehicles.length, searched.body.compact?.offers.length]).toEqual([0, 20]);
  });

  test('expire with the last offer', async () => {
    const { body } = await search();
    const pages = await rest(await a.get(`/cars/catalog/v1/searches/${body.search_id}`));
    const last = Math.max(...offersOf(pages).map(({ expires_at }) => Date.parse(expires_at)));
    expect(Date.parse(body.page?.kept_until ?? '')).toBe(last);
    const leftMs = await keys.pttl(await keyOf(body.search_id));
    expect(Math.abs(Date.now() + leftMs - last)).toBeLessThan(5_000);
    await keys.pexpire(await keyOf(body.search_id), 1);
    const gone = await b.get(body.links?.next ?? '');
    expect([gone.status, gone.reasons]).toEqual([404, ['resource_failure']]);
    expect(gone.errors[0]?.details).toContain('Search again with "page_size"');
  });

  test('are dropped beyond the bytes of the application: those of its earliest search', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) ids.push((await search({}, {}, b)).body.search_id);
    const statusOf = async (id: string) => (await a.get(`/cars/catalog/v1/searches/${id}`)).status;
    // A 206 is kept as well: on a busy machine, a supplier may be late.
    const statuses = (await Promise.all(ids.map(statusOf))).map((status) => (status === 206 ? 200 : status));
    expect([statuses[0], statuses.at(-1)]).toEqual([404, 200]);
    expect(statuses.join()).toMatch(/^(404,)+200(,200)*$/);
  });

  claim('API1', "Another application's search and cursor get the answer for those that don't exist.", async () => {
    const { body } = await search();
    const invented = 'sea_AAAAAAAAAAAAAAAA';
    const [token, next = ''] = [await b.token('demo-throttled'), body.links?.next];
    const told = ({ status, errors }: HttpAnswer) => [status, errors];
    const ask = async (path: string) => told(await b.get(path, { token }));
    expect(await ask(`/cars/catalog/v1/searches/${body.search_id}`)).toEqual(
      await ask(`/cars/catalog/v1/searches/${invented}`),
    );
    const cursor = `?cursor=cur_sea_${'A'.repeat(80)}`;
    const refused = await ask(`/cars/catalog/v1/searches/${invented}${cursor}`);
    expect(refused).toEqual([400, [expect.objectContaining({ field: 'cursor', reason: 'invalid_range' })]]);
    expect(await ask(next)).toEqual(refused);
    // Neither is the cursor of another search of one's own.
    const other = (await search()).body.search_id;
    expect(told(await b.get(next.replace(body.search_id, other)))).toEqual(refused);
    expect((await b.get(next)).status).toBe(200);
  });

  test.each([
    [paged({ page_size: '9' }), 'page_size', 'must be between 10 and 200'],
    [paged({ page_size: '201' }), 'page_size', 'must be between 10 and 200'],
    [paged({ page_size: 'ten' }), 'page_size', 'must be an integer'],
    [`${paged()}&page_size=20`, 'page_size', 'must be given once'],
    [paged({ view: 'small' }), 'view', 'must be full or compact'],
    [`${paged()}&view=full&view=compact`, 'view', 'must be'],
    ['/cars/catalog/v1/searches/sea_AAAAAAAAAAAAAAAA?view=', 'view', 'must be full or compact'],
    ['/cars/catalog/v1/searches/sea_AAAAAAAAAAAAAAAA?page=2', 'page', 'is not a known field'],
    ['/cars/catalog/v1/searches/sea_AAAAAAAAAAAAAAAA?cursor=', 'cursor', 'must not be empty'],
    ['/cars/catalog/v1/searches/sea_AAAAAAAAAAAAAAAA?cursor=a&cursor=b', 'cursor', 'must be given once'],
    ['/cars/catalog/v1/searches/sea_AAAAAAAAAAAAAAAA?cursor=7', 'cursor', 'Leave it out'],
  ])('%s: a 400 for %s that says "%s"', async (path, field, details) => {
    const answer = await a.get(path);
    expect([answer.status, answer.errors.map((entry) => entry.field)]).toEqual([400, [field]]);
    expect(answer.errors[0]?.details).toContain(details);
  });

  test.each([
    ['page_size', paged()],
    ['view', vehiclesPath({ view: 'compact' })],
  ])('exclude a stream: the 400 names both (%s)', async (field, path) => {
    const answer = await a.get(path, { headers: { accept: 'application/x-ndjson' } });
    expect([answer.status, answer.errors[0]?.field]).toEqual([400, field]);
    expect(answer.errors[0]?.details).toContain('Accept: application/x-ndjson');
  });

  test('are not kept for a search without page_size', async () => {
    const before = await keys.keys('*:pages:*');
    const { body } = await a.get(vehiclesPath());
    expect([body.page, body.links, await keyOf(body.search_id)]).toEqual([undefined, undefined, '']);
    expect(await keys.keys('*:pages:*')).toEqual(before);
  });
});
