import { rmSync } from 'node:fs';
import { describeWith } from '../support/binaries.js';
import { freePort } from '../support/child.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gw } from '../support/gw.js';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type Gateway, newDataFolder, startGateway } from '../support/start-gateway.js';

const FORECOURT_SECRET = 'a-secret-of-the-application-tests-0123456789';
const LOCATIONS = 'car_location_keyword_search';
const HOSTILE = '<script>alert(1)</script>';

describeWith('redis-server', 'initdb')('from the sandbox to production', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let mails: MailServer;
  let gateway: Gateway;
  let client: Client;
  let ada: PortalPerson;
  let ops: PortalPerson;
  let site: string;
  let port: number;
  const env = () => ({
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    SMTP_URL: mails.url,
    PUBLIC_URL: `http://cars.example.com:${port}`,
    FORECOURT_SECRET,
  });

  beforeAll(async () => {
    [redis, postgres, mails] = await Promise.all([startRedis(), freshDatabase(), startMailServer()]);
    port = await freePort();
    gateway = await startGateway({ env: { ...env(), PORT: String(port) }, config: { tiers: ROOMY } });
    client = await Client.of(gateway);
    site = gateway.baseUrl;
    [ada, ops] = [await portalPerson({ postgres, redis }), await portalPerson({ postgres, redis }, { role: 'ops' })];
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose(), mails.stop()]);
  });

  interface Made {
    readonly id: string;
    readonly client_id: string;
    readonly client_secret: string;
  }
  let count = 0;
  const create = async (name = `Request ${++count}`): Promise<Made> => {
    const { text } = await ada.post(site, '/applications', { name, description: 'Sells cars.' });
    const [, id = ''] = /href="\/applications\/(app_[^"#]+)"/.exec(text) ?? [];
    const [, client_id = ''] = /id="client-id">([^<]+)</.exec(text) ?? [];
    const [, client_secret = ''] = /id="client-secret">([^<]+)</.exec(text) ?? [];
    await ada.post(site, `/applications/${id}/subscriptions/${LOCATIONS}`);
    return { id, client_id, client_secret };
  };
  const ask = (made: Made, message = 'A shop for holiday cars, 10,000 calls a day.') =>
    ada.post(site, `/applications/${made.id}/production-access`, { message });
  const requestOf = async (made: Made) => {
    const [row] = await postgres.query(
      'select * from launch_requests where application_id = $1 order by requested_at desc',
      [made.id],
    );
    return row ?? {};
  };
  const decide = async (made: Made, decision: string, reason = '', person = ops) =>
    person.post(site, `/access-requests/${(await requestOf(made)).id}`, { decision, reason });
  const run = (...words: string[]) => gw(words, env());

  test('an approved request creates a production application with its own credentials, which work in production only, and sends an email', async () => {
    const made = await create('Holiday cars');
    await ada.post(site, `/applications/${made.id}/redirect-url`, {
      redirect_url: 'https://shop.example.com/callback',
    });
    expect((await ask(made)).location).toBe(`/applications/${made.id}?notice=access_requested`);
    const list = (await ops.get(site, '/access-requests')).text;
    for (const shown of ['Holiday cars', '10,000 calls a day', ada.email, ada.accountId, LOCATIONS])
      expect(list).toContain(shown);
    expect((await decide(made, 'approve', 'Welcome.')).location).toBe('/access-requests?notice=access_approved');

    const mail = await mails.next(ada.email);
    expect(mail.subject).toBe('Holiday cars is approved for production');
    expect(mail.text).toContain('Comment from the operator: Welcome.');
    const { production_application_id: id } = await requestOf(made);
    expect(linkIn(mail, '/applications')).toBe(`http://cars.example.com:${port}/applications/${id}`);

    const page = (await ada.get(site, `/applications/${id}`)).text;
    expect(page).toMatch(
      /<h1>Holiday cars.*<span class="badge bad">Production.*https:\/\/shop\.example\.com\/callback/s,
    );
    const { text } = await ada.get(site, `/applications/${id}/credentials`);
    expect(text).toContain('<strong>production</strong> credentials');
    const production = {
      client_id: /id="client-id">([^<]+)</.exec(text)?.[1] ?? '',
      client_secret: />(fcs_[^<]+)</.exec(text)?.[1] ?? '',
    };
    expect([production.client_id === made.client_id, production.client_secret === made.client_secret]).toEqual([
      false,
      false,
    ]);

    const inSandbox = await client.get('/oauth/token/v1', { token: null, headers: production });
    expect([inSandbox.status, inSandbox.reasons]).toEqual([401, ['authentication_failure']]);
    const config = configFolder({ tiers: ROOMY, suppliers: { real: REAL_SUPPLIER } });
    const dataFolder = await newDataFolder(false);
    const livePort = await freePort();
    const live = await startGateway({
      dataFolder,
      env: {
        ...env(),
        FORECOURT_ENV: 'production',
        PORT: String(livePort),
        PUBLIC_URL: `http://live.example.com:${livePort}`,
        CONFIG_DIR: config,
      },
    });
    const minted = await fetch(`${live.baseUrl}/oauth/token/v1`, { headers: production });
    const { access_token } = (await minted.json()) as { access_token: string };
    expect([minted.status, access_token.slice(0, 5)]).toEqual([200, 'fc_p_']);
    const searched = await fetch(`${live.baseUrl}/cars/locations/v1/?keyword=boston`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    // It is subscribed, so the one supplier is called; nothing listens at that supplier's address.
    expect(searched.status).toBe(500);
    await live.stop();
    rmSync(config, { recursive: true });
    rmSync(dataFolder, { recursive: true });
  });

  test('stores decision, application and audit row together; lists sandbox and production separately', async () => {
    const made = await create();
    await ask(made);
    await decide(made, 'approve');
    await mails.next(ada.email);
    const { state, production_application_id: id } = await requestOf(made);
    expect(state).toBe('approved');
    const events = await postgres.query(
      'select actor, action, subject from audit_events where subject = any($1) order by id desc limit 3',
      [[made.id, id]],
    );
    expect(events.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      [ops.accountId, 'application_created', id],
      [ops.accountId, 'launch_approved', made.id],
      [ada.accountId, 'launch_requested', made.id],
    ]);
    const list = (await ada.get(site, '/applications')).text;
    expect(list.indexOf(made.id)).toBeLessThan(list.indexOf('<h2>Production</h2>'));
    expect(list.indexOf(String(id))).toBeGreaterThan(list.indexOf('<h2>Production</h2>'));
    expect((await ada.get(site, `/applications/${made.id}`)).text).toContain(`href="/applications/${id}"`);
    expect((await ask(made)).text).toContain('This application already has a production application.');
  });

  test('a rejection requires a reason, is shown by email and on the page, and the developer may request again', async () => {
    const made = await create();
    await ask(made);
    const nameless = await decide(made, 'refuse', '  ');
    expect([nameless.status, nameless.text.includes('Enter a reason')]).toEqual([400, true]);
    expect((await decide(made, 'refuse', 'Say more of what it does.')).location).toBe(
      '/access-requests?notice=access_rejected',
    );
    const mail = await mails.next(ada.email);
    expect(mail.text).toContain('Say more of what it does.');
    expect(linkIn(mail, '/applications')).toBe(`http://cars.example.com:${port}/applications/${made.id}`);
    expect((await ada.get(site, `/applications/${made.id}`)).text).toContain('Say more of what it does.');
    expect((await ask(made)).status).toBe(303);
  });

  test('of ten concurrent decisions, one wins and at most one production application is created', async () => {
    const made = await create();
    await ask(made);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => decide(made, index % 2 === 0 ? 'approve' : 'refuse', 'Decided.')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 9 }, () => 400)]);
    expect(answers.find(({ status }) => status === 400)?.text).toContain('This request was already decided');
    const { state } = await requestOf(made);
    const launched = await postgres.query('select id from applications where launched_from = $1', [made.id]);
    expect(launched.length).toBe(state === 'approved' ? 1 : 0);
    await mails.next(ada.email);
  });

  test('rejects a request without a subscription, while one is open, and while suspended; ten concurrent requests create one', async () => {
    const made = await create();
    await ada.post(site, `/applications/${made.id}/subscriptions/${LOCATIONS}/end`);
    expect((await ask(made)).text).toContain(
      'Before requesting production access, subscribe to the products that will go live.',
    );
    await ada.post(site, `/applications/${made.id}/subscriptions/${LOCATIONS}`);
    await ada.post(site, `/applications/${made.id}/suspend`);
    expect((await ask(made)).text).toContain('The application is suspended.');
    await ada.post(site, `/applications/${made.id}/resume`);
    expect((await ask(made, '   ')).text).toContain('Describe your application.');
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(made)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 9 }, () => 400)]);
    expect(
      await postgres.query('select count(*)::int as count from launch_requests where application_id = $1', [made.id]),
    ).toEqual([{ count: 1 }]);
  });

  test('deleting an application closes its open request', async () => {
    const made = await create('Given up');
    await ask(made);
    await ada.post(site, `/applications/${made.id}/delete`, { name: 'Given up' });
    expect(await requestOf(made)).toMatchObject({ state: 'refused', decision: 'The application was deleted.' });
    expect((await decide(made, 'approve')).status).toBe(400);
  });

  claim(
    'API5',
    "The page for operators is a 404 for developers, and neither a developer's session nor a form from another site decides a production access request.",
    async () => {
      const made = await create();
      await ask(made);
      expect((await ada.get(site, '/access-requests')).status).toBe(404);
      expect((await decide(made, 'approve', '', ada)).status).toBe(404);
      const { id, state } = await requestOf(made);
      expect(state).toBe('requested');
      const forged = await ops.post(
        site,
        `/access-requests/${id}`,
        { decision: 'approve', reason: '' },
        { origin: 'https://evil.example' },
      );
      expect([forged.status, (await requestOf(made)).state]).toEqual([403, 'requested']);
      expect((await ops.post(site, '/access-requests/lau_none', { decision: 'approve', reason: '' })).text).toContain(
        'This request does not exist.',
      );
    },
  );

  test('the path of the operator page in earlier releases leads to it', async () => {
    const moved = await ops.get(site, '/launches');
    expect([moved.status, moved.location]).toEqual([301, '/access-requests']);
    expect((await ada.get(site, '/launches')).status).toBe(404);
  });

  test('shows what developers and operators write as text, on pages and in emails', async () => {
    const made = await create(`Shop ${HOSTILE}`);
    await ask(made, HOSTILE);
    expect((await ops.get(site, '/access-requests')).text).not.toContain(HOSTILE);
    await decide(made, 'refuse', HOSTILE);
    const mail = await mails.next(ada.email);
    expect([mail.html.includes(HOSTILE), mail.text.includes(HOSTILE)]).toEqual([false, true]);
    const pages = [await ops.get(site, '/access-requests'), await ada.get(site, `/applications/${made.id}`)];
    for (const { text } of pages) expect([text.includes(HOSTILE), text.includes('&lt;script>')]).toEqual([false, true]);
  });

  test('gw access-requests lists, approves and rejects like the page', async () => {
    const [one, two] = [await create(), await create()];
    await ask(one, 'First line\nsecond\tline');
    await ask(two);
    const line = run('access-requests', 'list')
      .stdout.split('\n')
      .find((text) => text.includes(one.id));
    expect(line?.split('\t').slice(1)).toEqual([
      'requested',
      one.id,
      expect.any(String),
      ada.accountId,
      LOCATIONS,
      '"First line\\nsecond\\tline"',
    ]);
    const [first, second] = [(await requestOf(one)).id, (await requestOf(two)).id].map(String) as [string, string];
    expect(run('access-requests', 'approve', first).stdout).toBe(`${first}: approved\n`);
    expect((await requestOf(one)).state).toBe('approved');
    expect(run('access-requests', 'reject', second, '--reason', 'Not yet.').stdout).toBe(`${second}: rejected\n`);
    const again = run('access-requests', 'approve', second);
    expect([again.status, again.stderr]).toEqual([2, 'This request was already decided: refused.\n']);
    expect(await requestOf(two)).toMatchObject({ state: 'refused', decision: 'Not yet.' });
  });
});

/** Nothing listens on port 9 of this machine: a real supplier that is down. */
const REAL_SUPPLIER = {
  name: 'Real Rent',
  adapter: 'ota-xml',
  order: 1,
  url: 'http://127.0.0.1:9/',
  brands: ['Real'],
  environments: ['production'],
};
