import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { booked, driver, eventually, offerOf } from '../support/booking.js';
import { type Person, personAt, startBrowser, type Window, windowFindings } from '../support/browser.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { vehiclesPath } from '../support/rental.js';
import { browserCookie, FORECOURT_SECRET } from '../support/session.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/** A folder for screenshots of every page; unset = none. */
const SHOTS = process.env.SCREENSHOTS;
/** Those of the screenshots, for people who check them. */
const SHOT_WINDOWS = [360, 1440].flatMap((width) => [
  { width, colorScheme: 'light' as const },
  { width, colorScheme: 'dark' as const },
]);

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('the operations console in a browser', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let browser: Browser;
  let operator: PortalPerson;
  let developer: PortalPerson;
  /** Id of a reservation in review. */
  let stuck: string;
  beforeAll(async () => {
    [redis, postgres, browser] = await Promise.all([startRedis(), freshDatabase(), startBrowser()]);
    gateway = await startGateway({
      env: { REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET },
      config: { tiers: ROOMY },
    });
    operator = await portalPerson({ postgres, redis }, { role: 'ops' });
    developer = await portalPerson({ postgres, redis });
    const client = await Client.of(gateway);
    for (let days = 30; days < 42; days += 1) {
      await client.get(vehiclesPath({ max_results: String(days) }), {
        headers: { 'x-sandbox-scenario': 'bravo=error(503)' },
      });
    }
    const { offer_id } = await offerOf(client, 'alpine');
    stuck = (await booked(client, { offer_id, driver: driver('Secretperson') })).reservation_id;
    client.close();
    await postgres.query(
      `update reservations set state = 'manual_review', version = version + 1, state_reason = 'the supplier shows several bookings',
        state_actor = 'reconciler', confirmation_number = null, updated_at = now() - interval '40 minutes' where id = $1`,
      [stuck],
    );
    await eventually(
      () =>
        postgres.query(
          "select 1 from supplier_calls where supplier_id = 'bravo' and cause = 'http_5xx' having sum(calls) >= 10",
        ),
      (rows) => rows.length > 0,
    );
  });
  afterAll(async () => {
    await browser.close();
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  const window = async (options: Parameters<typeof personAt>[2] = {}): Promise<Person> => {
    const person = await personAt(browser, gateway.baseUrl, options);
    await person.context.addCookies([browserCookie(operator.cookie)]);
    return person;
  };

  test('why bravo returns nothing, whose fault it is and since when: in three clicks', async () => {
    const { page, context } = await window({ javaScriptEnabled: false });
    await page.goto('/');
    await page.getByRole('main').getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('link', { name: 'Suppliers', exact: true }).click();
    await page.getByRole('link', { name: 'Bravo' }).click();
    const diagnosis = await page.getByLabel('Diagnosis').innerText();
    expect(diagnosis).toMatch(/answers with a server error \(5xx\) in \d+ % of vehicle searches/i);
    expect(diagnosis).toMatch(
      /Whose fault\s+Them .*Since\s+\d\d:\d\d UTC .*Operations\s+Vehicle searches.*Applications\s+demo/s,
    );
    expect(diagnosis).toMatch(/Applications\s+demo.* \(\d+ of \d+ calls since \d\d:\d\d UTC\)/);
    expect(diagnosis).toMatch(/What to press\s+Maintenance/);
    await page.getByLabel('Diagnosis').getByRole('link', { name: 'Maintenance' }).click();
    expect(await page.locator('li:target').innerText()).toMatch(/Maintenance.*Ends by itself/s);
    expect(await page.getByLabel('Applications', { exact: true }).innerText()).toMatch(/demo.*5xx/s);
    await context.close();
  });

  test('bravo in maintenance: in five clicks, with a reason and the effect before', async () => {
    const { page, context } = await window({ javaScriptEnabled: false });
    await page.goto('/ops');
    await page.getByRole('link', { name: 'Suppliers', exact: true }).click();
    await page.getByRole('link', { name: 'Bravo' }).click();
    await page.getByLabel('Reason').fill('5xx since 02:14, ticket 4711');
    await page.getByRole('button', { name: 'Maintenance' }).click();
    expect(await page.locator('main').innerText()).toMatch(/live → maintenance until .*UTC/);
    await page.getByRole('button', { name: /to maintenance/ }).click();
    expect(await page.getByRole('status').innerText()).toContain('The state was changed');
    expect(await page.locator('.events').innerText()).toMatch(/Ada Sample: .* → maintenance until .*ticket 4711/);
    const client = await Client.of(gateway);
    const skipped = await eventually(
      async () => (await client.get(vehiclesPath())).headers['x-suppliers-skipped'],
      (header) => header !== undefined,
    );
    expect(skipped).toContain('bravo');
    client.close();
    await context.close();
  });

  test('which reservations are stuck: in two clicks; resolved with evidence in two more', async () => {
    const { page, context } = await window({ javaScriptEnabled: false });
    await page.goto('/ops');
    await page.getByRole('link', { name: /1 reservation waits for a person, the oldest for 4\d min/ }).click();
    expect(await page.getByRole('region', { name: 'Reservations' }).innerText()).toMatch(
      /manual review.*4\d min.*alpine/s,
    );
    await page.getByRole('link', { name: stuck }).click();
    const shown = await page.locator('main').innerText();
    expect(shown).toContain('the supplier shows several bookings');
    expect(await page.content()).not.toMatch(/Secretperson/i);
    await page.getByLabel('Confirmation number').fill('PHONE-4711');
    await page.getByLabel('Reason').fill('Confirmed by the supplier by phone');
    await page.getByLabel('Evidence').fill('call with their desk at 03:10, ticket 4711');
    await page.getByRole('button', { name: 'It is booked' }).click();
    expect(await page.getByRole('status').innerText()).toContain('The outcome was recorded');
    expect(await postgres.query('select state, confirmation_number from reservations where id = $1', [stuck])).toEqual([
      { state: 'confirmed', confirmation_number: 'PHONE-4711' },
    ]);
    expect(
      await postgres.query("select actor, reason, after from audit_events where action = 'reservation_resolved'"),
    ).toEqual([
      {
        actor: operator.accountId,
        reason: 'Confirmed by the supplier by phone',
        after: {
          state: 'confirmed',
          evidence: 'call with their desk at 03:10, ticket 4711',
        },
      },
    ]);
    await context.close();
  });

  test('the audit log shows who changed what and why, links to it, and is verified', async () => {
    const { page, context } = await window({ javaScriptEnabled: false });
    await page.goto('/ops/audit?action=reservation_resolved');
    const row = page.getByRole('row').filter({ hasText: stuck });
    expect(await row.innerText()).toMatch(/Ada Sample.*reservation resolved.*→ confirmed.*by the supplier by phone/s);
    await page.getByRole('link', { name: 'Verify the newest' }).click();
    expect(await page.getByRole('status').innerText()).toMatch(/Unaltered.* agree with their seals/);
    await postgres.query(
      "alter table audit_events disable trigger all; update audit_events set reason = 'forged' where action = 'reservation_resolved'; alter table audit_events enable trigger all",
    );
    await page.reload();
    expect(await page.getByRole('status').innerText()).toMatch(/Altered.*before, after or reason was changed/);
    await page.goto(`/ops/audit?subject=${stuck}&before=0`);
    expect(await page.locator('main').innerText()).toContain('No changes match');
    await context.close();
  });

  test('a brand is switched off and on again: three clicks each, with a reason, and everyone sees since when', async () => {
    const { page, context } = await window({ javaScriptEnabled: false });
    await page.goto('/ops');
    await page.getByRole('link', { name: 'Switches' }).click();
    expect(await page.locator('main').innerText()).toContain('Nothing is planned');
    await page.getByRole('link', { name: 'Switch a brand off' }).click();
    await page.getByRole('heading', { name: 'Switch off a brand' }).waitFor();
    await page.getByLabel('Brand').selectOption('Alpine');
    await page.getByLabel('Reason').fill('their cars have no tires');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Switch off the brand Alpine' }).waitFor();
    expect(await page.locator('main').innerText()).toMatch(/Nothing has changed yet.*Alpine.*no tires/s);
    expect(await postgres.query('select 1 from switches')).toEqual([]);
    await page.getByRole('button', { name: 'Switch off the brand Alpine' }).click();
    expect(await page.getByRole('status').innerText()).toContain('The brand Alpine is switched off on every gateway.');
    // What the command printed is there for those who open it.
    expect(await page.locator('details pre').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Back to the switches' }).click();
    const off = page.getByRole('region', { name: 'Off now' }).getByRole('row').filter({ hasText: 'brand Alpine' });
    expect(await off.innerText()).toMatch(/off.*UTC.*an operator ends it.*no tires/s);
    const [switched] = await postgres.query(
      "select actor, channel, reason from audit_events where action = 'switch_added'",
    );
    expect(switched).toEqual({ actor: operator.accountId, channel: 'page', reason: 'their cars have no tires' });
    await off.getByRole('link', { name: 'Switch on' }).click();
    await page.getByLabel('Reason').fill('they have tires again');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Switch on the brand Alpine' }).click();
    expect(await page.getByRole('status').innerText()).toContain('The brand Alpine is switched on again');
    expect(await postgres.query('select 1 from switches')).toEqual([]);
    const unknown = { kind: 'brand', subject: 'Alpine Rent', reason: 'a typing error', confirmed: 'yes' };
    const refused = await operator.post(gateway.baseUrl, '/ops/commands/switchOff', unknown);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('There is no brand &quot;Alpine Rent&quot;'),
    ]);
    await context.close();
  });

  test('an operation of the API is named in words wherever it is switched', async () => {
    const { page, context } = await window({ javaScriptEnabled: false });
    await page.goto('/ops/switches');
    await page.getByRole('link', { name: 'Switch an operation of the API off' }).click();
    await page
      .getByLabel('Operation', { exact: true })
      .selectOption({ label: 'Check whether a token is active (RFC 7662)' });
    await page.getByLabel('Reason').fill('a drill of the on-call team');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Switch off the operation' }).click();
    await page.getByRole('link', { name: 'Back to the switches' }).click();
    const off = page.getByRole('region', { name: 'Off now' }).getByRole('row').filter({ hasText: 'on-call' });
    expect(await off.innerText()).toContain('operation Check whether a token is active');
    await off.getByRole('link', { name: 'Switch on' }).click();
    await page.getByLabel('Reason').fill('the drill is over');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Switch on the operation' }).click();
    await context.close();
  });

  test('the link of a new operator is copied from the page that shows it', async () => {
    const { page, context } = await window();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/ops/commands/createOperator');
    await page.getByLabel('Email').fill('new.operator@example.com');
    await page.getByLabel('Reason').fill('joins the team');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Create an operator account' }).click();
    expect(await page.getByRole('status').innerText()).toContain('The account was created.');
    await page.getByRole('button', { name: 'Copy' }).click();
    const copied = await page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    );
    expect(copied).toMatch(new RegExp(`^${gateway.baseUrl}/reset/link#[\\w-]{43}$`));
    await context.close();
  });

  test('every command has a page that shows its form or what it finds', async () => {
    const index = (await operator.get(gateway.baseUrl, '/ops/commands')).text;
    const paths = [...index.matchAll(/href="(\/ops\/commands\/\w+)"/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(55);
    for (const path of paths) {
      const { status, text } = await operator.get(gateway.baseUrl, path);
      expect([path, status, /<form class="card command"|<table|<dl class="facts"|Nothing found/.test(text)]).toEqual([
        path,
        200,
        true,
      ]);
    }
  });

  test('a command that is not urgent needs a password entered lately; one that only reads changes nothing', async () => {
    const stale = await portalPerson({ postgres, redis }, { role: 'ops', passwordMinutesAgo: 600 });
    const led = await stale.get(gateway.baseUrl, '/ops/commands/rotateSecret?application=app_demo');
    expect([led.status, led.location]).toEqual([
      303,
      '/confirm?next=%2Fops%2Fcommands%2FrotateSecret%3Fapplication%3Dapp_demo',
    ]);
    const form = { application: 'app_demo', overlap_hours: '1', reason: 'why not', confirmed: 'yes' };
    expect((await stale.post(gateway.baseUrl, '/ops/commands/rotateSecret', form)).status).toBe(303);
    expect((await stale.post(gateway.baseUrl, '/ops/commands/listSuppliers', {})).status).toBe(404);
    expect((await stale.get(gateway.baseUrl, '/ops/commands/switchOff')).status).toBe(200);
    expect(await postgres.query("select 1 from audit_events where action = 'secret_rotated'")).toEqual([]);
  });

  test('the audit log is downloaded as one JSON object per line', async () => {
    const answer = await fetch(`${gateway.baseUrl}/ops/audit/export`, { headers: { cookie: operator.cookie } });
    const text = await answer.text();
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="forecourt-sandbox-audit.ndjson"');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { sequence: number });
    expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, index) => index + 1));
    expect((await developer.get(gateway.baseUrl, '/ops/audit/export')).status).toBe(404);
  });

  test('a reservation shows the requests that created and read it, and no others', async () => {
    const client = await Client.of(gateway);
    const { offer_id } = await offerOf(client, 'abg');
    const made = (await booked(client, { offer_id, driver: driver('Second') })).reservation_id;
    await client.get(`/cars/reservation/v1/${made}`, { headers: { 'x-request-id': 'read-of-this-test' } });
    await client.get('/cars/reservation/v1/reservations', { headers: { 'x-request-id': 'list-of-this-test' } });
    client.close();
    const { text } = await eventually(
      () => operator.get(gateway.baseUrl, `/ops/reservations/${made}`),
      (page) => page.text.includes('read-of-this-test') && /createReservation|Book/.test(page.text),
    );
    expect(text).not.toContain('list-of-this-test');
    expect(text.match(/class="instant"/g)).toHaveLength(2);
  });

  test('the overview follows without a reload', async () => {
    const { page, context } = await window();
    await page.goto('/ops');
    await postgres.query(
      "insert into outbox (environment, at, recipient, subject, text, html) values ('sandbox', now() - interval '1 hour', 'x', 'x', 'x', 'x')",
    );
    await page.getByText('1 email has not been delivered').waitFor({ timeout: 20_000 });
    await context.close();
  });

  test('at 360 px the header has three lines, however long the name is', async () => {
    await postgres.query('update accounts set name = $1 where id = $2', ['Ada Sample '.repeat(6), operator.accountId]);
    const { page, context } = await window({ width: 360 });
    await page.goto('/ops');
    const tops = async (selector: string) => new Set(await page.locator(selector).evaluateAll(middles)).size;
    expect(await tops('header nav a')).toBe(2);
    expect(await tops('header .brand, header .who a, header .who button')).toBe(1);
    await postgres.query("update accounts set name = 'Ada Sample' where id = $1", [operator.accountId]);
    await context.close();
  });

  const PAGES = [
    '/ops',
    '/ops/suppliers',
    '/ops/suppliers/bravo',
    '/ops/failures',
    '/ops/failures/first',
    '/ops/requests',
    '/ops/requests/first',
    '/ops/reservations?state=confirmed',
    '/ops/reservations/stuck',
    '/ops/applications',
    '/ops/applications/app_demo',
    '/ops/audit',
    '/ops/audit?verify=yes',
    '/ops/switches',
    '/ops/commands',
    '/ops/commands/switchOff?kind=brand',
    '/ops/commands/listApplications?run=yes',
  ];
  describe.each(PAGES)('%s', (place) => {
    let path: string;
    beforeAll(async () => {
      const [first] = await postgres.query('select id::text, request_id from failed_exchanges order by id limit 1');
      path = place
        .replace('failures/first', `failures/${first?.id}`)
        .replace('requests/first', `requests/${first?.request_id}`)
        .replace('stuck', stuck);
    });
    test('fits a narrow and a wide dark window, has no serious axe finding in either, and keeps to its host and policy', async () => {
      const { page, context, offences } = await window({ width: 360 });
      await page.goto(path, { waitUntil: 'load' });
      const name = place.slice(1).replaceAll(/\W/g, '-');
      const shoot = ({ width, colorScheme }: Window) =>
        page.screenshot({ path: join(SHOTS ?? '', `${name}-${width}-${colorScheme}.png`), fullPage: true });
      expect(await (SHOTS ? windowFindings(page, SHOT_WINDOWS, shoot) : windowFindings(page))).toEqual([]);
      expect(offences).toEqual([]);
      await context.close();
    });

    test('does not exist for developers, and others must log in', async () => {
      expect((await developer.get(gateway.baseUrl, path)).status).toBe(404);
      const anonymous = await fetch(`${gateway.baseUrl}${path}`, { redirect: 'manual' });
      expect([anonymous.status, anonymous.headers.get('location')]).toEqual([
        303,
        expect.stringContaining('/login?next='),
      ]);
    });
  });

  test('a supplier that fails in maintenance is not to be put into it again', async () => {
    const { text } = await operator.get(gateway.baseUrl, '/ops/suppliers/bravo');
    expect(text).toContain('Bravo Mobility answers with a server error');
    expect(text).toContain('the supplier is already in the state Maintenance. Call it.');
    expect(text).not.toContain('href="#switch-maintenance"');
  });

  test('limits of an application and its account are set with a reason, and refused without one', async () => {
    const path = '/ops/applications/app_demo/limits';
    const form = { tier: 'standard', account_tier: 'demo', limits_reason: ' ' };
    const refused = await operator.post(gateway.baseUrl, path, form);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Enter a reason. Other operators')]);
    expect(refused.text).toMatch(/<option[^>]*value="standard"[^>]*selected/);
    const unknown = await operator.post(gateway.baseUrl, path, {
      ...form,
      tier: 'golden',
      limits_reason: 'They grow.',
    });
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('Choose one of demo, ')]);
    expect((await operator.post(gateway.baseUrl, path, { ...form, limits_reason: 'They grow.' })).status).toBe(303);
    const shown = (await operator.get(gateway.baseUrl, '/ops/applications/app_demo')).text;
    expect(shown).toContain('3,000 calls per minute, bursts of 500, 2,000,000 per day (tier standard)');
    await operator.post(gateway.baseUrl, path, { ...form, tier: 'demo', limits_reason: 'As before.' });
    const rows = await postgres.query(
      "select before, after, reason from audit_events where subject = 'app_demo' and action = 'application_tier_set' order by id",
    );
    expect(rows).toEqual([
      { before: { tier: 'demo' }, after: { tier: 'standard' }, reason: 'They grow.' },
      { before: { tier: 'standard' }, after: { tier: 'demo' }, reason: 'As before.' },
    ]);
  });

  test('a switch is refused without a reason, from another site, and for developers', async () => {
    const post = (person: PortalPerson, form: Record<string, string>, headers?: Record<string, string>) =>
      person.post(
        gateway.baseUrl,
        '/ops/suppliers/alpine/switch',
        { state: 'drain', confirmed: 'yes', ...form },
        headers,
      );
    expect((await post(operator, { reason: ' ' })).status).toBe(400);
    expect((await post(operator, { reason: 'why not' }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(developer, { reason: 'why not' })).status).toBe(404);
    expect(await postgres.query("select 1 from supplier_states where supplier_id = 'alpine'")).toEqual([]);
  });
});

/** Where the middles of elements are, to ten pixels; runs in the page. */
function middles(elements: readonly unknown[]): readonly number[] {
  return (elements as readonly { getBoundingClientRect(): { top: number; bottom: number } }[]).map((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return Math.round((top + bottom) / 20);
  });
}
