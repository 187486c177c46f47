import { setTimeout as wait } from 'node:timers/promises';
import { RATES } from '../support/booking.js';
import type { CallOptions, HttpAnswer, Offer } from '../support/client.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

const cache = {
  searchVehicles: { ttlSeconds: 60 },
  searchLocations: { ttlSeconds: 60, staleSeconds: 60 },
};
const kept = { tiers: { demo_throttled: { burst: 10 } }, suppliers: { alpine: { cache }, bravo: { cache } } };
/** What identifies an offer in two searches. */
const named = ({ supplier, brand, vehicle, rate, price }: Offer) =>
  JSON.stringify([supplier, brand, vehicle.sipp_code, vehicle.name, rate, price.total]);
const NO_CACHE = { headers: { 'cache-control': 'no-cache' } };

describe('suppliers with a cache, over HTTP', () => {
  const running = runGateway({ config: kept });
  const search = (more: CallOptions = {}, path: Record<string, string> = {}): Promise<HttpAnswer> =>
    running().client.get(vehiclesPath({ max_results: '500', ...path }), more);
  const ages = ({ body }: HttpAnswer): Record<string, boolean> =>
    Object.fromEntries(body.suppliers.map((row) => [row.supplier, 'age_seconds' in row]));
  const ofAlpine = ({ body }: HttpAnswer) =>
    body.vehicles
      .filter(({ supplier }) => supplier === 'alpine')
      .map(({ offer_id: _id, expires_at: _expires, ...offer }) => offer);

  // The first search of a gateway takes longest: on a busy machine, suppliers may be late.
  beforeAll(async () => void (await search({}, { pickup_location: 'JFK' })));

  test('a repeated search has their offers from memory, with the age; the others are called', async () => {
    const first = await search();
    const second = await search();
    expect(Object.values(ages(first)).some(Boolean)).toBe(false);
    expect(ages(second)).toEqual({ ...ages(first), alpine: true, bravo: true });
    expect(ofAlpine(first).length).toBeGreaterThan(0);
    expect(ofAlpine(second)).toEqual(ofAlpine(first));
  });

  test('Cache-Control: no-cache, a scenario and a magic place call every supplier', async () => {
    await search();
    for (const [more, path] of [
      [NO_CACHE, {}],
      [{ headers: { 'x-sandbox-scenario': 'alpine=ok' } }, {}],
      [{}, { pickup_location: 'ZZT206F' }],
      [{}, { pickup_location: 'ZZT206F' }],
    ] as const) {
      const answer = await search(more, path);
      expect(Object.values(ages(answer)).some(Boolean)).toBe(false);
    }
  });

  test('pages with offers from memory are kept until the last of their offers expires', async () => {
    await search();
    const { body } = await running().client.get(vehiclesPath({ max_results: undefined, page_size: '200' }));
    const ends = body.vehicles.map(({ expires_at }) => Date.parse(expires_at));
    for (let next = body.links?.next; next !== undefined; ) {
      const page = (await running().client.get(next)).body;
      ends.push(...page.vehicles.map(({ expires_at }) => Date.parse(expires_at)));
      next = page.links?.next;
    }
    expect(Math.min(...ends)).toBeLessThan(Math.max(...ends));
    expect(Date.parse(body.page?.kept_until ?? '')).toBe(Math.max(...ends));
  });

  test('a free cancellation is not shown as such once its deadline is past, on a kept page and from memory', async () => {
    const HOUR_MS = 3_600_000;
    await search();
    // Many offers can be cancelled for free until 48 hours before the pickup.
    const [pickup, timeZone] = whereCountersAreOpen();
    const at = (ms: number) => new Date(ms).toLocaleString('sv', { timeZone }).replace(' ', 'T');
    const endsAt = Date.now() + 5_000;
    const rental = { pickup_date: at(endsAt + 48 * HOUR_MS), dropoff_date: at(endsAt + 120 * HOUR_MS) };
    const dates = { pickup_location: pickup, ...rental };
    const isFree = ({ cancellation }: Offer) => cancellation.free_until === at(endsAt);
    const before = await search({}, dates);
    const paged = vehiclesPath({ max_results: undefined, page_size: '200', ...dates });
    const page = (await running().client.get(paged)).body;
    const free = page.vehicles.filter(isFree);
    expect([before.body.vehicles.some(isFree), new Set(free.map(({ supplier }) => supplier)).size > 1]).toEqual([
      true,
      true,
    ]);
    await wait(endsAt + 1_000 - Date.now());
    const kept = (await running().client.get(`/cars/catalog/v1/searches/${page.search_id}`)).body;
    const after = await search({}, dates);
    for (const { vehicles } of [kept, after.body]) {
      expect(vehicles.length).toBeGreaterThan(0);
      expect(vehicles.filter(({ cancellation }) => (cancellation.free_until ?? '9') <= at(Date.now()))).toEqual([]);
    }
    const ids = new Set(free.map(({ offer_id }) => offer_id));
    const shown = kept.vehicles.filter(({ offer_id }) => ids.has(offer_id));
    expect(shown.map(({ cancellation, ...offer }) => offer)).toEqual(free.map(({ cancellation, ...offer }) => offer));
    const fresh = (await search(NO_CACHE, dates)).body.vehicles;
    const termsOf = (one: Offer) => fresh.find((other) => named(other) === named(one))?.cancellation;
    for (const one of shown) expect(one.cancellation).toEqual(termsOf(one));
  });

  test('a streamed search is answered from the same memory', async () => {
    await search();
    const lines = await running().client.get(vehiclesPath({ max_results: '500' }), {
      headers: { accept: 'application/x-ndjson' },
    });
    const rows = lines.text.split('\n').filter((line) => line.includes('"age_seconds"'));
    expect(rows.map((row) => (JSON.parse(row) as { supplier: string }).supplier).sort()).toEqual(['alpine', 'bravo']);
  });

  test('filters, order and currency apply to offers from memory', async () => {
    const all = await search();
    const cheapest = await search({}, { max_results: '1', brand: 'Alpine' });
    const alpine = all.body.vehicles.filter(({ supplier }) => supplier === 'alpine');
    expect(cheapest.body.vehicles[0]?.price.total).toEqual(alpine[0]?.price.total);
    const limit = alpine[2]?.price.total.amount ?? '';
    const filtered = await search({}, { price_max: limit });
    expect(ages(filtered)).toMatchObject({ alpine: true });
    expect(filtered.body.vehicles.every(({ price }) => Number(price.total.amount) <= Number(limit))).toBe(true);
    expect(ages(await search({}, { currency: 'EUR' }))).toMatchObject({ alpine: false });
  });

  test('another application gets its own answer, and cannot use the offers of the first', async () => {
    const mine = await search();
    const token = await running().client.token('demo-throttled');
    const theirs = await search({ token });
    expect(Object.values(ages(theirs)).some(Boolean)).toBe(false);
    const offer_id = mine.body.vehicles.find(({ supplier }) => supplier === 'alpine')?.offer_id;
    const answer = await running().client.post(RATES, { offer_id }, { token });
    expect(answer.status).toBe(404);
  });

  test('an offer from memory is priced by its supplier', async () => {
    await search();
    const offer = (await search()).body.vehicles.find(({ supplier }) => supplier === 'alpine');
    const priced = await running().client.post(RATES, { offer_id: offer?.offer_id });
    expect([priced.status, priced.body.quote.offer.price.total]).toEqual([200, offer?.price.total]);
    const text = await running().gateway.metrics();
    expect(text).toMatch(
      /forecourt_supplier_seconds_count\{supplier="alpine",operation="priceCheck",outcome="answered"\} [1-9]/,
    );
  });

  test('locations from memory have an Age, and no-cache refuses them', async () => {
    const path = locationsPath('boston');
    expect((await running().client.get(path)).headers.age).toBeUndefined();
    expect((await running().client.get(path)).headers.age).toMatch(/^\d+$/);
    expect((await running().client.get(path, NO_CACHE)).headers.age).toBeUndefined();
  });

  test('metrics count what came from memory and what it takes', async () => {
    const text = await running().gateway.metrics();
    expect(text).toMatch(
      /forecourt_supplier_cache_total\{supplier="alpine",operation="searchVehicles",result="hit"\} [1-9]/,
    );
    expect(text).toMatch(/forecourt_supplier_cache_bytes\{supplier="alpine",operation="searchVehicles"\} [1-9]\d{4}/);
    expect(text).toContain('forecourt_supplier_cache_lifetime_ratio{supplier="alpine"} 1');
  });
});

/** A location, and its time zone, where it is day now: at night, some suppliers have no cars. */
function whereCountersAreOpen(): readonly [location: string, timeZone: string] {
  const hour = new Date().getUTCHours();
  if (hour >= 4 && hour < 16) return ['DXB', 'Asia/Dubai'];
  return hour >= 16 ? ['LAX', 'America/Los_Angeles'] : ['SYD', 'Australia/Sydney'];
}
