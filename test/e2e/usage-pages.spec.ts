import { describeWith } from '../support/binaries.js';
import { create, eventually, fresh, offerOf } from '../support/booking.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { counted, recorded } from '../support/recorded.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { DEMO_ACCOUNT, FORECOURT_SECRET, signIn } from '../support/session.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const DRIVER = { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com' };

describeWith('redis-server', 'initdb')('usage, requests and their explanation', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  let ada: string;
  let stranger: string;
  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), freshDatabase()]);
    const config = {
      tiers: { ...ROOMY, demo_throttled: { ...ROOMY.demo, perDay: 10 } },
      suppliers: { cobalt: { state: 'maintenance' } },
    };
    gateway = await startGateway({
      env: { REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET },
      config,
    });
    client = await Client.of(gateway);
    ada = await signIn(postgres, redis.url, DEMO_ACCOUNT);
    stranger = await signIn(postgres, redis.url, 'acc_stranger');
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  /** A page as text, without tags. */
  const open = async (path: string, cookie: string) => {
    const answer = await fetch(`${gateway.baseUrl}${path}`, { headers: { cookie }, redirect: 'manual' });
    const html = await answer.text();
    const main = html.slice(html.indexOf('<main'));
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      refresh: answer.headers.get('refresh'),
      /** Without the navigation, which appears on every page. */
      html: main,
      text: main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '),
    };
  };
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
      expect(await open(path, '')).toMatchObject({ status: 303, location: `/login?next=${encodeURIComponent(path)}` });
    },
  );

  test('counts by answer, 206 share, look-to-book and the daily quota match the calls made', async () => {
    for (let call = 0; call < 3; call += 1) await search(`counted-${call}`);
    await search('counted-partial', 'bravo=error(503)');
    const { offer_id } = await offerOf(client, 'alpine');
    await create(client, { offer_id, price_tolerance: '900', driver: DRIVER }, { key: fresh('key') });
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
    expect(foreign.html.replaceAll('mine-and-only-mine', 'X')).toBe(unknown.html.replaceAll('an-unknown-request', 'X'));
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

  test('a filter that fits few requests searches 5,000 per page, says so, and goes on', async () => {
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
