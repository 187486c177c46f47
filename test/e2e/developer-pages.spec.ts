import { describeWith } from '../support/binaries.js';
import { create, driver, eventually, offerOf, RATES, reservationOf } from '../support/booking.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { recorded } from '../support/recorded.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { vehiclesPath } from '../support/rental.js';
import { DEMO_ACCOUNT, FORECOURT_SECRET, signIn } from '../support/session.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const LAST_NAME = 'Philippinella';

describeWith('redis-server', 'initdb')('what developers see of suppliers and reservations', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  let ada: string;
  let stranger: string;
  /** Of the confirmed reservation. */
  let id: string;
  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), freshDatabase()]);
    gateway = await startGateway({
      env: { REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET },
      config: { tiers: ROOMY, suppliers: { cobalt: { state: 'maintenance' } } },
    });
    client = await Client.of(gateway);
    ada = await signIn(postgres, redis.url, DEMO_ACCOUNT);
    stranger = await signIn(postgres, redis.url, 'acc_stranger');
    await postgres.query(`insert into webhook_endpoints (id, environment, account_id, application_id, url, secret)
      values ('whe_0123456789abcdef01234567', 'sandbox', 'acc_demo', 'app_demo', 'https://hooks.example/forecourt', 'x')`);
    await search('search-failed', 'bravo=error(503); alpine=empty');
    id = reservationOf(await book('booked-one', 'alpine', 'key-one', {})).reservation_id;
    await recorded(postgres, 'booked-one');
    await book('booked-again', 'alpine', 'key-one', {});
    await book('booked-lost', 'abg', 'key-lost', { scenario: 'abg=lost_for_good' });
    await recorded(postgres, 'booked-lost');
  }, 60_000);
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  const offers = new Map<string, string>();
  const search = (request: string, scenario: string) =>
    client.get(vehiclesPath(), { headers: { 'x-request-id': request, 'x-sandbox-scenario': scenario } });
  async function book(request: string, supplier: 'alpine' | 'abg', key: string, more: { scenario?: string }) {
    const offer = offers.get(key) ?? (await offerOf(client, supplier)).offer_id;
    offers.set(key, offer);
    const body = { offer_id: offer, driver: driver(LAST_NAME), client_reference: `order-${key}` };
    return await create(client, body, { key, headers: { 'x-request-id': request }, ...more });
  }
  const open = async (path: string, cookie = ada) => {
    const answer = await fetch(`${gateway.baseUrl}${path}`, { headers: { cookie }, redirect: 'manual' });
    const html = await answer.text();
    const main = html.slice(Math.max(0, html.indexOf('<main')));
    return {
      answer,
      status: answer.status,
      html: main,
      text: main.replaceAll(/<[^>]*>|req_[\w-]+/g, ' ').replaceAll(/\s+/g, ' '),
    };
  };
  const logged = async (query: string, cookie = ada) =>
    [...(await open(`/logs?${query}`, cookie)).html.matchAll(/<code>((?:search|booked)-\w+)<\/code>/g)].map(
      ([, one]) => one,
    );

  test.each([
    ['/requests', '/logs'],
    ['/requests?status=206&operation=searchVehicles', '/logs?status=206&operation=searchVehicles'],
    ['/requests/some-request?at=5', '/logs/some-request?at=5'],
    ['/requests/%2F%2Fevil.example', '/logs/%2F%2Fevil.example'],
  ])('%s, the old address, leads to %s', async (path, location) => {
    const { answer } = await open(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([308, location]);
  });

  test('the log is filtered by supplier, outcome, scenario and reservation', async () => {
    expect(await logged('supplier=bravo&cause=failed')).toEqual(['search-failed']);
    expect(await logged('supplier=bravo&cause=unavailable')).toEqual(['search-failed']);
    expect(await logged('supplier=bravo&cause=timeout')).toEqual([]);
    expect(await logged('supplier=alpine&cause=empty')).toEqual(['search-failed']);
    expect(await logged('scenario=LOST_FOR')).toEqual(['booked-lost']);
    expect(await logged(`reservation=${id}`)).toEqual(['booked-again', 'booked-one']);
    expect(await logged(`reservation=${id}`, stranger)).toEqual([]);
    expect((await open("/logs?cause=x'&supplier=%25&scenario=%27%20or%201=1")).status).toBe(200);
  });

  test('the live tail is an event with the newest requests of the own applications', async () => {
    const { answer, html } = await open('/logs/events?operation=createReservation');
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(html).toMatch(/^retry: \d+\ndata: .*booked-lost.*booked-again/s);
    expect((await open('/logs/events', stranger)).html).not.toContain('booked');
    expect((await open('/logs/events', '')).status).toBe(303);
  });

  test('a request, its reservation and its webhook events link to each other', async () => {
    const request = await open('/logs/booked-one');
    expect(request.html).toContain(`href="/reservations/${id}"`);
    expect(request.text).toContain('is now confirmed Booked.');
    const { status, html, text } = await open(`/reservations/${id}`);
    expect(status).toBe(200);
    expect(text).toMatch(/gateway pending → confirmed booked/);
    for (const one of ['booked-one', 'booked-again']) expect(html).toContain(`href="/logs/${one}?at=`);
    expect(text).toMatch(/reservation\.confirmed evt_/);
    expect(html).toContain('href="/applications/app_demo/webhooks/whe_0123456789abcdef01234567"');
    expect((await open('/applications/app_demo/webhooks/whe_0123456789abcdef01234567')).html).toContain(
      `href="/reservations/${id}"`,
    );
  });

  test('reservations are listed by state, supplier, reference and age, with nothing about the renter', async () => {
    const ids = async (query: string, cookie = ada) =>
      [...(await open(`/reservations?${query}`, cookie)).html.matchAll(/href="\/reservations\/(res_\w+)"/g)].length;
    expect(await ids('')).toBe(2);
    expect([await ids('state=confirmed'), await ids('state=confirmed&supplier=abg')]).toEqual([1, 0]);
    expect([await ids('reference=order-key-one'), await ids('reference=order')]).toEqual([1, 0]);
    expect([await ids('age=hour'), await ids('age=over_hour')]).toEqual([2, 0]);
    expect([await ids('application=app_demo'), await ids('', stranger)]).toEqual([2, 0]);
    expect(await ids("state=x'&supplier=%00&reference=%00&age=constructor&before=9e99.res_x")).toBe(2);
    for (const path of ['/reservations', `/reservations/${id}`])
      expect((await open(path)).html).not.toContain(LAST_NAME);
  });

  test('an account cannot see another one’s reservation, and not whether it exists', async () => {
    const [foreign, unknown] = await Promise.all([
      open(`/reservations/${id}`, stranger),
      open('/reservations/res_unknown', stranger),
    ]);
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    expect([
      unknown.status,
      (await open('/reservations/%00')).status,
      (await open('/reservations', '')).status,
    ]).toEqual([404, 404, 303]);
  });

  test('usage says which supplier costs bookings; replays and unknown outcomes don’t count as bookings; tables are exported', async () => {
    const usage = () => open('/usage?period=hour');
    const { text } = await eventually(
      usage,
      (page) => page.text.includes('Bookings requested 2') && page.text.includes('costs you most'),
    );
    expect(text).toContain('Bookings confirmed 1 0');
    expect(text).toMatch(/Bravo Mobility costs you most: 1 of \d+ searches failed/);
    const csv = await open('/usage/csv/searches?period=hour');
    expect(csv.answer.headers.get('content-disposition')).toBe('attachment; filename="usage-searches.csv"');
    expect(csv.html).toMatch(/^Supplier,Asked,Answered,Empty,Failed,.*\r\nBravo Mobility,1,0,0,1,1,/s);
    for (const table of ['bookings', 'causes', 'funnel', 'time', 'operations', 'applications'])
      expect((await open(`/usage/csv/${table}?period=hour`)).status).toBe(200);
    for (const table of ['toString', 'none', '%00']) expect((await open(`/usage/csv/${table}`)).status).toBe(404);
    expect((await open('/usage/csv/searches', '')).status).toBe(303);
    expect((await open('/usage/csv/funnel', stranger)).html).toContain('Bookings requested,0,0');
  });

  test('a price at a supplier in maintenance: the page of the request says that it received no call', async () => {
    const { offer_id } = await offerOf(client, 'bravo');
    const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, FORECOURT_SECRET };
    expect(gwInThread(['supplier', 'state', 'bravo', 'maintenance', '--reason', 'test'], env)).toMatchObject({
      status: 0,
    });
    let tries = 0;
    const ask = () => client.post(RATES, { offer_id }, { headers: { 'x-request-id': `price-try-${++tries}` } });
    await eventually(ask, ({ status }) => status === 503);
    await recorded(postgres, `price-try-${tries}`);
    const { text } = await open(`/logs/price-try-${tries}`);
    expect(text).toContain('Bravo Mobility received no call: in maintenance.');
    expect(text).toContain('not called in maintenance');
  });

  test('the list pages by key: every reservation once', async () => {
    await postgres.query(`insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version,
      rental, view, payment, sent_until, created_at, updated_at) select 'res_paged_' || n, 'sandbox', 'app_demo', 'alpine', 'pending', 'new',
      'application', 1, '{"brand":"Alpine","pickupDate":"2027-05-01T10:00:00","dropoffDate":"2027-05-02T10:00:00",
      "total":{"amountMinor":100,"currency":"USD"}}', '{}', '{}', now(), date_trunc('second', now()) - (n / 7) * interval '1 second', now()
      from generate_series(1, 120) n`);
    const seen: string[] = [];
    for (let path: string | undefined = '/reservations?reference=&state=pending'; path !== undefined; ) {
      const { status, html } = await open(path);
      expect(status).toBe(200);
      seen.push(...[...html.matchAll(/<code>(res_paged_\d+)<\/code>/g)].map(([, one = '']) => one));
      path = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    }
    expect([seen.length, new Set(seen).size]).toEqual([120, 120]);
  });
});
