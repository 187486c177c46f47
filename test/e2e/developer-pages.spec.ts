import { describeWith } from '../support/binaries.js';
import { create, driver, eventually, fresh, offerOf, RATES, reservationOf } from '../support/booking.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { counted, recorded } from '../support/recorded.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { DEMO_ACCOUNT, FORECOURT_SECRET, signIn } from '../support/session.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const LAST_NAME = 'Philippinella';

describeWith('redis-server', 'initdb')('what developers see', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let stranger: string;
  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), freshDatabase()]);
    gateway = await startGateway({
      env: { REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET },
      config: {
        tiers: { ...ROOMY, demo_throttled: { ...ROOMY.demo, perDay: 10 } },
        suppliers: { cobalt: { state: 'maintenance' } },
      },
    });
    stranger = await signIn(postgres, redis.url, 'acc_stranger');
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  /** What a page contains, without the navigation, which appears on every page. `text`: without tags and new request ids. */
  const open = async (path: string, cookie: string) => {
    const answer = await fetch(`${gateway.baseUrl}${path}`, { headers: { cookie }, redirect: 'manual' });
    const all = await answer.text();
    const html = all.slice(Math.max(0, all.indexOf('<main')));
    return {
      answer,
      status: answer.status,
      location: answer.headers.get('location'),
      refresh: answer.headers.get('refresh'),
      html,
      text: html.replaceAll(/<[^>]*>|req_[\w-]+/g, ' ').replaceAll(/\s+/g, ' '),
    };
  };

  describe('of usage and requests', () => {
    let client: Client;
    let ada: string;
    beforeAll(async () => {
      client = await Client.of(gateway);
      ada = await signIn(postgres, redis.url, DEMO_ACCOUNT);
    });
    afterAll(() => client.close());

    const search = (id: string, scenario?: string) =>
      client.get(vehiclesPath(), {
        headers: { 'x-request-id': id, ...(scenario === undefined ? {} : { 'x-sandbox-scenario': scenario }) },
      });

    test('without calls, the usage page links to the console; without an application, to the applications', async () => {
      expect((await open('/usage', ada)).html).toContain('href="/console"');
      expect((await open('/usage', stranger)).html).toContain('href="/applications"');
      expect((await open('/logs', ada)).html).toContain('href="/console"');
    });

    test.each(['/usage', '/logs', '/logs/some-request'])(
      '%s requires a login: other visitors are sent to the login page and return',
      async (path) => {
        expect(await open(path, '')).toMatchObject({
          status: 303,
          location: `/login?next=${encodeURIComponent(path)}`,
        });
      },
    );

    test('counts by answer, 206 share, look-to-book and the daily quota match the calls made', async () => {
      for (let call = 0; call < 3; call += 1) await search(`counted-${call}`);
      await search('counted-partial', 'bravo=error(503)');
      const { offer_id } = await offerOf(client, 'alpine');
      await create(client, { offer_id, price_tolerance: '900', driver: driver('Sample') }, { key: fresh('key') });
      const token = await client.token('demo-throttled');
      for (let call = 0; call < 4; call += 1) await client.get(locationsPath('BOS', { country_code: 'US' }), { token });
      await counted(postgres, 12);
      const { text } = await open('/usage?period=hour', ada);
      expect(text).toContain('Partial responses 20%');
      expect(text).toContain('Look-to-book 5 : 1 5 availability searches, 1 confirmed bookings');
      expect(text).toContain('Bookings confirmed 1 0 – 20%');
      expect(text).toContain('6 2xx complete responses 1 206 partial responses 0 4xx');
      const throttled = await signIn(postgres, redis.url, 'acc_demothrottled');
      expect((await open('/usage?period=hour', throttled)).text).toContain('Used demo-throttled 5 5 0 0 0 0 0% ');
      expect((await open('/usage?period=hour', throttled)).text).toContain(' 4 10 40% CSV');
    });

    test('the explanation names which suppliers failed and how, which were not called and what to do, and draws a bar per call', async () => {
      await search('explained-partial', 'bravo=error(503); alpine=empty');
      const { trace } = await recorded(postgres, 'explained-partial');
      const { status, text, html } = await open('/logs/explained-partial', ada);
      expect([status, text]).toEqual([200, expect.stringContaining('206 Partial response')]);
      expect(text).toContain('Bravo Mobility could not be reached, or answered with an error.');
      expect(text).toContain('Alpine Rent had no matching results.');
      expect(text).toContain('Cobalt Chaos received no call: in maintenance.');
      expect(text).toContain('Retry in a few seconds. Results of other suppliers in the same response are valid.');
      expect(html.match(/role="img"/g)).toHaveLength(trace.calls.length + 1);
      expect(html).not.toMatch(/ style=|<script(?! type="module" src="\/assets)/);
      expect(html).toMatch(
        /href="\/console\?application=app_demo&amp;operation=searchVehicles&amp;scenario=bravo%3Derror/,
      );
    });

    test('another account gets exactly the page of an unknown request for one of mine', async () => {
      await search('mine-and-only-mine');
      await recorded(postgres, 'mine-and-only-mine');
      const [foreign, unknown] = await Promise.all([
        open('/logs/mine-and-only-mine', stranger),
        open('/logs/an-unknown-request', stranger),
      ]);
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
      expect(foreign.html.replaceAll('mine-and-only-mine', 'X')).toBe(
        unknown.html.replaceAll('an-unknown-request', 'X'),
      );
      expect(foreign.text).toContain('Reload this page.');
      expect((await open('/logs?id=mine-and-only-mine', stranger)).text).toContain('No requests match these filters.');
      expect((await open('/logs?application=app_demo', stranger)).html).not.toContain('/logs/mine');
      expect((await open('/logs/mine-and-only-mine', ada)).status).toBe(200);
    });

    test('a page that was opened too early reloads itself each second, until the request must have been written', async () => {
      const first = await open('/logs/not-yet-there', ada);
      expect([first.status, first.refresh]).toEqual([404, '1;url=/logs/not-yet-there?again=1']);
      const second = await open('/logs/not-yet-there?again=1', ada);
      expect([second.status, second.refresh]).toEqual([404, '1;url=/logs/not-yet-there?again=2']);
      for (const again of ['2', '9', 'x', '-1', '1e9']) {
        const last = await open(`/logs/not-yet-there?again=${again}`, ada);
        expect([last.status, last.refresh]).toEqual([404, null]);
      }
    });

    test('a request answered a moment ago appears within two seconds', async () => {
      await search('just-answered');
      await eventually(
        () => open('/logs/just-answered', ada),
        ({ status }) => status === 200,
        2_000,
      );
    });

    test('several requests with one id are listed; each links to its own explanation', async () => {
      await search('chosen-twice');
      await search('chosen-twice', 'bravo=error(503)');
      const list = await eventually(
        () => open('/logs/chosen-twice', ada),
        ({ text }) => text.includes('of 2 requests'),
      );
      const links = [...list.html.matchAll(/href="(\/logs\/chosen-twice\?at=\d+)"/g)].map(([, path = '']) => path);
      const pages = await Promise.all(links.map((path) => open(path, ada)));
      expect(pages.map(({ text }) => /\d{3} (?:Partial|Complete)/.exec(text)?.[0])).toEqual([
        '206 Partial',
        '200 Complete',
      ]);
    });

    test.each([
      ['id=explained-partial', ['explained-partial']],
      ['status=206&operation=searchVehicles&id=counted-partial', ['counted-partial']],
      ['status=5xx', []],
      ['operation=createReservation&id=explained-partial', []],
      ['from=2020-01-01T00:00&to=2020-01-02T00:00', []],
      ['id=explained-partial&status=teapot&from=never&application=app_of_nobody', ['explained-partial']],
    ])('the log filters by %s', async (query, ids) => {
      const { html } = await open(`/logs?${query}`, ada);
      expect([...html.matchAll(/<code>([\w-]+)<\/code>/g)].map(([, id]) => id)).toEqual(ids);
    });

    test.each([
      '/logs/%00',
      '/logs?id=%00',
      '/logs?operation=%00',
      '/logs?before=1.%00',
      '/logs?from=0000-01-01T00:00',
      '/logs?to=9999-12-31T23:59',
      '/logs?before=9e14.x',
      '/logs?before=900000000000000.x',
      '/logs?before=999999999999999.x',
    ])('%s does not count as a fault of the gateway', async (path) => {
      expect((await open(path, ada)).status).toBe(path.includes('?') ? 200 : 404);
    });

    test('the log pages without losing or repeating a request', async () => {
      await postgres.query(
        `insert into request_log select 'app_demo', date_trunc('second', now()) - (n / 3) * interval '1 second', 'paged-' || n, 'revokeToken', 200, 5,
           '{"budgetMs":1,"calls":[],"skipped":[],"entries":[]}' from generate_series(1, 120) n`,
      );
      const seen: string[] = [];
      for (let path: string | undefined = '/logs?operation=revokeToken'; path !== undefined; ) {
        const { html } = await open(path, ada);
        seen.push(...[...html.matchAll(/<code>(paged-\d+)<\/code>/g)].map(([, id = '']) => id));
        path = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
      }
      expect([seen.length, new Set(seen).size]).toEqual([120, 120]);
    });

    test('a filter that matches few requests searches 5,000 per page, says so, and goes on', async () => {
      await postgres.query(
        `insert into request_log select 'app_demo', now() - interval '1 day' - n * interval '1 ms', 'older-' || n, 'searchLocations',
           case n when 6000 then 418 else 200 end, 5, '{"budgetMs":1,"calls":[],"skipped":[],"entries":[]}' from generate_series(1, 6000) n`,
      );
      const first = await open('/logs?status=418', ada);
      expect(first.text).toMatch(/5,000 requests were searched, back to \d{4}-/);
      expect(first.text).not.toContain('No requests match');
      const next = /href="(\/logs\?[^"]*)"[^>]*>\s*Search older requests/.exec(first.html)?.[1];
      const second = await open(String(next).replaceAll('&amp;', '&'), ada);
      expect(second.html).toContain('/logs/older-6000?');
      expect(second.text).not.toContain('requests were searched');
    });
  });

  describe('of suppliers and reservations', () => {
    /** Calls with tokens of the application. */
    let client: Client;
    let developer: PortalPerson;
    let application: string;
    /** The id of the confirmed reservation. */
    let id: string;
    const opened = (path: string, cookie = developer.cookie) => open(path, cookie);
    beforeAll(async () => {
      developer = await portalPerson({ postgres, redis });
      const made = await developer.post(gateway.baseUrl, '/applications', { name: 'Shop', description: '' });
      const found = (pattern: RegExp) => pattern.exec(made.text)?.[1] ?? '';
      application = found(/href="\/applications\/(app_[^"#]+)"/);
      await developer.post(gateway.baseUrl, `/applications/${application}/subscriptions`);
      const credentials = {
        name: 'Shop',
        client_id: found(/id="client-id">([^<]+)</),
        client_secret: found(/id="client-secret">([^<]+)</),
      };
      client = await Client.of({ ...gateway, credentials: () => credentials });
      await postgres.query(
        `insert into webhook_endpoints (id, environment, account_id, application_id, url, secret)
         values ('whe_0123456789abcdef01234567', 'sandbox', $1, $2, 'https://hooks.example/forecourt', 'x')`,
        [developer.accountId, application],
      );
      await search('search-failed', 'bravo=error(503); alpine=empty');
      id = reservationOf(await book('booked-one', 'alpine', 'key-one', {})).reservation_id;
      await recorded(postgres, 'booked-one');
      await book('booked-again', 'alpine', 'key-one', {});
      await book('booked-lost', 'abg', 'key-lost', { scenario: 'abg=lost_for_good' });
      await recorded(postgres, 'booked-lost');
    }, 60_000);
    afterAll(() => client.close());

    const offers = new Map<string, string>();
    const search = (request: string, scenario: string) =>
      client.get(vehiclesPath(), { headers: { 'x-request-id': request, 'x-sandbox-scenario': scenario } });
    async function book(request: string, supplier: 'alpine' | 'abg', key: string, more: { scenario?: string }) {
      const offer = offers.get(key) ?? (await offerOf(client, supplier)).offer_id;
      offers.set(key, offer);
      const body = { offer_id: offer, driver: driver(LAST_NAME), client_reference: `order-${key}` };
      return await create(client, body, { key, headers: { 'x-request-id': request }, ...more });
    }
    const logged = async (query: string, cookie = developer.cookie) =>
      [...(await opened(`/logs?${query}`, cookie)).html.matchAll(/<code>((?:search|booked)-\w+)<\/code>/g)].map(
        ([, one]) => one,
      );

    test.each([
      ['/requests', '/logs'],
      ['/requests?status=206&operation=searchVehicles', '/logs?status=206&operation=searchVehicles'],
      ['/requests/some-request?at=5', '/logs/some-request?at=5'],
      ['/requests/%2F%2Fevil.example', '/logs/%2F%2Fevil.example'],
    ])('%s, the old address, leads to %s', async (path, location) => {
      const { answer } = await opened(path);
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
      expect((await opened("/logs?cause=x'&supplier=%25&scenario=%27%20or%201=1")).status).toBe(200);
    });

    test('the live tail is an event with the newest requests of the own applications', async () => {
      const { answer, html } = await opened('/logs/events?operation=createReservation');
      expect(answer.headers.get('content-type')).toContain('text/event-stream');
      expect(html).toMatch(/^retry: \d+\ndata: .*booked-lost.*booked-again/s);
      expect((await opened('/logs/events', stranger)).html).not.toContain('booked');
      expect((await opened('/logs/events', '')).status).toBe(303);
    });

    test('a request, its reservation and its webhook events link to each other', async () => {
      const request = await opened('/logs/booked-one');
      expect(request.html).toContain(`href="/reservations/${id}"`);
      expect(request.text).toContain('is now confirmed Booked.');
      const { status, html, text } = await opened(`/reservations/${id}`);
      expect(status).toBe(200);
      expect(text).toMatch(/gateway pending → confirmed booked/);
      for (const one of ['booked-one', 'booked-again']) expect(html).toContain(`href="/logs/${one}?at=`);
      expect(text).toMatch(/reservation\.confirmed evt_/);
      expect(html).toContain(`href="/applications/${application}/webhooks/whe_0123456789abcdef01234567"`);
      expect((await opened(`/applications/${application}/webhooks/whe_0123456789abcdef01234567`)).html).toContain(
        `href="/reservations/${id}"`,
      );
    });

    test('reservations are listed by state, supplier, reference and age, with nothing about the renter', async () => {
      const ids = async (query: string, cookie = developer.cookie) =>
        [...(await opened(`/reservations?${query}`, cookie)).html.matchAll(/href="\/reservations\/(res_\w+)"/g)].length;
      expect(await ids('')).toBe(2);
      expect([await ids('state=confirmed'), await ids('state=confirmed&supplier=abg')]).toEqual([1, 0]);
      expect([await ids('reference=order-key-one'), await ids('reference=order')]).toEqual([1, 0]);
      expect([await ids('age=hour'), await ids('age=over_hour')]).toEqual([2, 0]);
      expect([await ids(`application=${application}`), await ids('', stranger)]).toEqual([2, 0]);
      expect(await ids("state=x'&supplier=%00&reference=%00&age=constructor&before=9e99.res_x")).toBe(2);
      for (const path of ['/reservations', `/reservations/${id}`])
        expect((await opened(path)).html).not.toContain(LAST_NAME);
    });

    test('an account cannot see another one’s reservation, and not whether it exists', async () => {
      const [foreign, unknown] = await Promise.all([
        opened(`/reservations/${id}`, stranger),
        opened('/reservations/res_unknown', stranger),
      ]);
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
      expect([
        unknown.status,
        (await opened('/reservations/%00')).status,
        (await opened('/reservations', '')).status,
      ]).toEqual([404, 404, 303]);
    });

    test('usage says which supplier costs bookings; replays and unknown outcomes don’t count as bookings; tables are exported', async () => {
      const usage = () => opened('/usage?period=hour');
      const { text } = await eventually(
        usage,
        (page) => page.text.includes('Bookings requested 2') && page.text.includes('costs you most'),
      );
      expect(text).toContain('Bookings confirmed 1 0');
      expect(text).toMatch(/Bravo Mobility costs you most: 1 of \d+ searches failed/);
      const csv = await opened('/usage/csv/searches?period=hour');
      expect(csv.answer.headers.get('content-disposition')).toBe('attachment; filename="usage-searches.csv"');
      expect(csv.html).toMatch(/^Supplier,Asked,Answered,Empty,Failed,.*\r\nBravo Mobility,1,0,0,1,1,/s);
      for (const table of ['bookings', 'causes', 'funnel', 'time', 'operations', 'applications'])
        expect((await opened(`/usage/csv/${table}?period=hour`)).status).toBe(200);
      for (const table of ['toString', 'none', '%00']) expect((await opened(`/usage/csv/${table}`)).status).toBe(404);
      expect((await opened('/usage/csv/searches', '')).status).toBe(303);
      expect((await opened('/usage/csv/funnel', stranger)).html).toContain('Bookings requested,0,0');
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
      const { text } = await opened(`/logs/price-try-${tries}`);
      expect(text).toContain('Bravo Mobility received no call: in maintenance.');
      expect(text).toContain('not called in maintenance');
    });

    test('the list pages by key: every reservation once', async () => {
      await postgres.query(`insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version,
        rental, view, payment, sent_until, created_at, updated_at) select 'res_paged_' || n, 'sandbox', '${application}', 'alpine', 'pending', 'new',
        'application', 1, '{"brand":"Alpine","pickupDate":"2027-05-01T10:00:00","dropoffDate":"2027-05-02T10:00:00",
        "total":{"amountMinor":100,"currency":"USD"}}', '{}', '{}', now(), date_trunc('second', now()) - (n / 7) * interval '1 second', now()
        from generate_series(1, 120) n`);
      const seen: string[] = [];
      for (let path: string | undefined = '/reservations?reference=&state=pending'; path !== undefined; ) {
        const { status, html } = await opened(path);
        expect(status).toBe(200);
        seen.push(...[...html.matchAll(/<code>(res_paged_\d+)<\/code>/g)].map(([, one = '']) => one));
        path = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
      }
      expect([seen.length, new Set(seen).size]).toEqual([120, 120]);
    });
  });
});
