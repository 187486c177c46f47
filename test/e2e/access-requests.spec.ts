import { TOTP } from 'otpauth';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { freePort } from '../support/child.js';
import { claim } from '../support/claim.js';
import type { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { gwInThread } from '../support/gw.js';
import { linkIn } from '../support/mail-server.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { PortalPerson as LoggingIn } from '../support/portal-person.js';
import { FORECOURT_SECRET } from '../support/session.js';
import { type SharedGateway, sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const LOCATIONS = 'car_location_keyword_search';
const RESERVATION = 'car_reservation';
const PASSWORD = 'three quiet herons';
const HOSTILE = '<script>alert(1)</script>';

describeWith('redis-server', 'initdb')('from the sandbox to production', () => {
  const running = sharedGateway();
  let redis: SharedGateway['redis'];
  let postgres: SharedGateway['postgres'];
  let mails: SharedGateway['mail'];
  let production: Gateway;
  let client: Client;
  /** The same person with an account in each environment. */
  let ada: PortalPerson;
  let adaInProduction: PortalPerson;
  let ops: PortalPerson;
  let site: string;
  let liveSite: string;
  let livePort: number;
  const env = () => running().options.env;
  const live = () => ({
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    SMTP_URL: mails.url,
    FORECOURT_SECRET,
    FORECOURT_ENV: 'production',
    PUBLIC_URL: `http://live.example.com:${livePort}`,
  });

  beforeAll(async () => {
    ({ redis, postgres, mail: mails, client } = running());
    livePort = await freePort();
    production = await startGateway({
      env: { ...live(), PORT: String(livePort) },
      config: { tiers: ROOMY, suppliers: { real: REAL_SUPPLIER } },
    });
    [site, liveSite] = [running().gateway.baseUrl, production.baseUrl];
    ada = await portalPerson({ postgres, redis });
    const environment = 'production';
    adaInProduction = await portalPerson({ postgres, redis }, { environment, email: ada.email });
    ops = await portalPerson({ postgres, redis }, { environment, role: 'ops' });
  }, 90_000);
  afterAll(async () => {
    await production?.stop();
  });

  interface Made {
    readonly id: string;
    readonly client_id: string;
    readonly client_secret: string;
  }
  let count = 0;
  const create = async (name = `Request ${++count}`, person = ada): Promise<Made> => {
    const { text } = await person.post(site, '/applications', { name, description: 'Sells cars.' });
    const [, id = ''] = /href="\/applications\/(app_[^"#]+)"/.exec(text) ?? [];
    const [, client_id = ''] = /id="client-id">([^<]+)</.exec(text) ?? [];
    const [, client_secret = ''] = /id="client-secret">([^<]+)</.exec(text) ?? [];
    await person.post(site, `/applications/${id}/subscriptions/${LOCATIONS}`);
    return { id, client_id, client_secret };
  };
  const ask = (made: Made, message = 'A shop for holiday cars, 10,000 calls a day.', person = ada) =>
    person.post(site, `/applications/${made.id}/production-access`, { message });
  const requestOf = async (made: Made) => {
    const [row] = await postgres.query(
      'select * from launch_requests where application_id = $1 order by requested_at desc',
      [made.id],
    );
    return row ?? {};
  };
  /** The digest in the form that decides on an open request, as an operator sees it now. */
  const copiedOf = async (id: unknown): Promise<string> => {
    const { text } = await ops.get(liveSite, `/ops/access-requests/${id}`);
    return (
      new RegExp(`action="/ops/access-requests/${id}"[^>]*><input type="hidden" name="copied" value="([^"]+)"`).exec(
        text,
      )?.[1] ?? ''
    );
  };
  const decide = async (made: Made, decision: string, reason = '', person = ops) => {
    const { id } = await requestOf(made);
    return person.post(liveSite, `/ops/access-requests/${id}`, {
      ...{ decision, reason, copied: await copiedOf(id), confirmed: 'yes' },
    });
  };
  const run = (...words: string[]) => gwInThread(words, live());
  const credentialsOf = async (id: string) => {
    const { text } = await adaInProduction.get(liveSite, `/applications/${id}/credentials`);
    expect(text).toContain('<strong>production</strong> credentials');
    return {
      client_id: /id="client-id">([^<]+)</.exec(text)?.[1] ?? '',
      client_secret: />(fcs_[^<]+)</.exec(text)?.[1] ?? '',
    };
  };

  /** The statuses of calls with a new token of a production application; by default of one that reads a reservation. */
  const callerOf = async (id: string) => {
    const minted = await fetch(`${liveSite}/oauth/token/v1`, { headers: await credentialsOf(id) });
    const { access_token } = (await minted.json()) as { access_token: string };
    return async (path = 'reservation/v1/res_none') => {
      const headers = { authorization: `Bearer ${access_token}` };
      return (await fetch(`${liveSite}/cars/${path}`, { headers })).status;
    };
  };

  test('an approved request creates a production application with its own credentials, which work in production only, and sends an email', async () => {
    const made = await create('Holiday cars');
    await ada.post(site, `/applications/${made.id}/redirect-url`, {
      redirect_url: 'https://shop.example.com/callback',
    });
    expect((await ask(made)).location).toBe(`/applications/${made.id}?notice=access_requested`);
    const list = (await ops.get(liveSite, '/ops/access-requests')).text;
    for (const shown of ['Holiday cars', '10,000 calls a day', ada.email, ada.accountId, LOCATIONS])
      expect(list).toContain(shown);
    expect((await decide(made, 'approve', 'Welcome.')).location).toBe('/ops/access-requests?notice=access_approved');

    const mail = await mails.next(ada.email);
    expect(mail.subject).toBe('Holiday cars is approved for production');
    expect(mail.text).toContain('Comment from the operator: Welcome.');
    const { production_application_id: id } = await requestOf(made);
    expect(linkIn(mail, '/applications')).toBe(`http://live.example.com:${livePort}/applications/${id}`);

    const page = (await adaInProduction.get(liveSite, `/applications/${id}`)).text;
    expect(page).toMatch(
      /<h1>Holiday cars.*<span class="badge bad">Production.*https:\/\/shop\.example\.com\/callback/s,
    );
    const credentials = await credentialsOf(String(id));
    expect([
      credentials.client_id === made.client_id,
      credentials.client_secret === made.client_secret,
      credentials.client_secret.length > 40,
    ]).toEqual([false, false, true]);

    const inSandbox = await client.get('/oauth/token/v1', { token: null, headers: credentials });
    expect([inSandbox.status, inSandbox.reasons]).toEqual([401, ['authentication_failure']]);
    const minted = await fetch(`${liveSite}/oauth/token/v1`, { headers: credentials });
    const { access_token } = (await minted.json()) as { access_token: string };
    expect([minted.status, access_token.slice(0, 5)]).toEqual([200, 'fc_p_']);
    const searched = await fetch(`${liveSite}/cars/locations/v1/?keyword=boston`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    // It is subscribed, so the one supplier is called; nothing listens at that supplier's address.
    expect(searched.status).toBe(500);
  });

  claim(
    ['API1', 'environments', 'V8.4.1'],
    'The sandbox neither shows nor changes a production application, not even its secret to its owner or an operator.',
    async () => {
      const made = await create();
      await ask(made);
      await decide(made, 'approve');
      await mails.next(ada.email);
      const id = String((await requestOf(made)).production_application_id);
      const { client_secret } = await credentialsOf(id);
      for (const path of ['', '/credentials', '/settings', '/secrets/new', '/delete'])
        expect([path, (await ada.get(site, `/applications/${id}${path}`)).status]).toEqual([path, 404]);
      for (const path of ['/suspend', '/secrets', '/delete', `/subscriptions/${LOCATIONS}/end`])
        expect([path, (await ada.post(site, `/applications/${id}${path}`)).status]).toEqual([path, 404]);
      for (const path of ['/applications', `/applications/${made.id}`, '/usage', '/logs', '/products', '/account'])
        expect([path, (await ada.get(site, path)).text.includes(id)]).toEqual([path, false]);
      const shown = gwInThread(['secrets', 'show', id], env());
      expect([shown.status, shown.stdout, shown.stderr]).toEqual([
        2,
        '',
        `There is no application ${id} in sandbox.\n`,
      ]);
      expect((await credentialsOf(id)).client_secret).toBe(client_secret);
    },
  );

  test('a developer without an account in production gets one, and sets its password with an email of production', async () => {
    const grace = await portalPerson({ postgres, redis });
    const made = await create('First steps', grace);
    await ask(made, 'A shop.', grace);
    await decide(made, 'approve');
    expect((await mails.next(grace.email)).text).toContain('choose Forgot password?');
    const accounts = await postgres.query(
      'select id, environment, role, password_hash, verified_at from accounts where email = $1 order by environment',
      [grace.email],
    );
    expect(accounts).toMatchObject([
      { environment: 'production', role: 'developer', password_hash: null, verified_at: null },
      { id: grace.accountId, environment: 'sandbox' },
    ]);
    const { production_application_id: id } = await requestOf(made);
    expect(await postgres.query('select account_id from applications where id = $1', [id])).toEqual([
      { account_id: accounts[0]?.id },
    ]);
    await grace.post(liveSite, '/reset', { email: grace.email });
    expect(linkIn(await mails.next(grace.email), '/verify/')).toMatch(/^http:\/\/live\.example\.com/);
  });

  test('stores decision, application and audit row together; each environment lists its own application', async () => {
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
      [ops.accountId, 'launch_approved', made.id],
      [ops.accountId, 'application_created', id],
      [ada.accountId, 'launch_requested', made.id],
    ]);
    const lists = [await ada.get(site, '/applications'), await adaInProduction.get(liveSite, '/applications')];
    expect(lists.map(({ text }) => [text.includes(made.id), text.includes(String(id))])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect((await ada.get(site, `/applications/${made.id}`)).text).toContain('log in to the production platform');
    expect((await adaInProduction.get(liveSite, '/applications/new')).status).toBe(404);
    const own = await adaInProduction.post(liveSite, '/applications', { name: 'Mine', description: '' });
    expect([own.status, lists[1]?.text.includes('New application')]).toEqual([404, false]);
  });

  claim(
    'API5',
    'A production application calls only the products of its newest approved access request, whatever its owner submits in production.',
    async () => {
      const made = await create();
      await ask(made);
      await decide(made, 'approve');
      await mails.next(ada.email);
      const id = String((await requestOf(made)).production_application_id);
      const call = await callerOf(id);
      const page = `/applications/${id}`;
      expect((await adaInProduction.get(liveSite, page)).text).toContain('Not in the newest approved access request.');
      const refused = await adaInProduction.post(liveSite, `${page}/subscriptions/${RESERVATION}`);
      expect([refused.status, refused.text.includes('request production access again')]).toEqual([400, true]);
      await adaInProduction.post(liveSite, `${page}/subscriptions`);
      expect(await call()).toBe(403);

      // In the sandbox, it may be subscribed and requested; an operator decides.
      await ada.post(site, `/applications/${made.id}/subscriptions/${RESERVATION}`);
      await ada.post(site, `/applications/${made.id}/subscriptions/${LOCATIONS}/end`);
      expect((await ada.get(site, `/applications/${made.id}`)).text).toContain('then request production access again');
      expect((await ask(made)).status).toBe(303);
      expect(await call()).toBe(403);
      expect((await ops.get(liveSite, '/ops/access-requests')).text).toContain(
        `<code>${id}</code>, subscribed to ${LOCATIONS}. Approval replaces its subscriptions`,
      );
      await decide(made, 'approve');
      const mail = await mails.next(ada.email);
      expect(mail.text).toContain(`Its production application is now subscribed to: ${RESERVATION}.`);
      // The token of before: it may call the product, which has no such reservation.
      expect(await call()).toBe(404);
      expect(await call('locations/v1/?keyword=boston')).toBe(403);
      expect(await postgres.query('select id from applications where launched_from = $1', [made.id])).toEqual([{ id }]);
    },
  );

  test('a rejection requires a reason, is shown by email and on the page, and the developer may request again', async () => {
    const made = await create();
    await ask(made);
    const nameless = await decide(made, 'refuse', '  ');
    expect([nameless.status, nameless.text.includes('Enter a reason')]).toEqual([400, true]);
    expect((await decide(made, 'refuse', 'Say more of what it does.')).location).toBe(
      '/ops/access-requests?notice=access_rejected',
    );
    const mail = await mails.next(ada.email);
    expect(mail.text).toContain('Say more of what it does.');
    // Production doesn't know the address of the sandbox.
    expect(mail.text).not.toContain('http');
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

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['name', '/description', { name: 'Another shop', description: 'Sells cars.' }],
    ['redirect URL', '/redirect-url', { redirect_url: 'https://other.example.com/callback' }],
    ['subscriptions', `/subscriptions/${LOCATIONS}/end`, {}],
  ])(
    'an application whose %s changed after the operator opened the page is not approved until it was shown',
    async (_what, path, form) => {
      const made = await create();
      await ask(made);
      const { id } = await requestOf(made);
      const copied = await copiedOf(id);
      expect((await ada.post(site, `/applications/${made.id}${path}`, form)).status).toBe(303);
      const answer = await ops.post(liveSite, `/ops/access-requests/${id}`, {
        decision: 'approve',
        reason: '',
        copied,
        confirmed: 'yes',
      });
      expect([answer.status, answer.text.includes('The application changed since you opened this page.')]).toEqual([
        400,
        true,
      ]);
      expect((await requestOf(made)).state).toBe('requested');
      expect((await decide(made, 'approve')).status).toBe(303);
      await mails.next(ada.email);
    },
  );

  test('the page of a request shows how the application used the sandbox, and what a decision does before it is made', async () => {
    const made = await create('Shown before');
    await ask(made);
    const { id } = await requestOf(made);
    const minted = await fetch(`${site}/oauth/token/v1`, {
      headers: { client_id: made.client_id, client_secret: made.client_secret },
    });
    const { access_token } = (await minted.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${access_token}` };
    for (const keyword of ['boston', ''])
      await fetch(`${site}/cars/locations/v1/?keyword=${keyword}`, { headers }).then((answer) => answer.text());
    const path = `/ops/access-requests/${id}`;
    const shown = await eventually(
      async () => (await ops.get(liveSite, path)).text,
      (text) => text.includes('Judged by 3 requests'),
    );
    expect(shown).toContain('<strong>1 of 20 passed</strong>, 0 failed, 19 not seen yet');
    expect(shown).toMatch(/Doesn(&#39;|')t repeat refused calls.*?<span class="badge good">Passed<\/span>/);
    const form = { decision: 'approve', reason: 'Welcome.', copied: await copiedOf(id) };
    const preview = await ops.post(liveSite, path, form);
    expect([preview.status, preview.text.includes(`It is subscribed to ${LOCATIONS}.`)]).toEqual([200, true]);
    expect((await requestOf(made)).state).toBe('requested');
    const changed = await ops.post(liveSite, path, { ...form, copied: 'before' });
    expect([changed.status, changed.text.includes('The application changed since')]).toEqual([400, true]);
    expect((await ops.post(liveSite, path, { ...form, confirmed: 'yes' })).status).toBe(303);
    await mails.next(ada.email);
    expect((await ops.get(liveSite, path)).text).toContain('was already decided');
    expect((await adaInProduction.get(liveSite, path)).status).toBe(404);
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
      expect((await adaInProduction.get(liveSite, '/ops/access-requests')).status).toBe(404);
      expect((await decide(made, 'approve', '', adaInProduction)).status).toBe(404);
      const { id, state } = await requestOf(made);
      expect(state).toBe('requested');
      const forged = await ops.post(
        liveSite,
        `/ops/access-requests/${id}`,
        { decision: 'approve', reason: '', confirmed: 'yes' },
        { origin: 'https://evil.example' },
      );
      expect([forged.status, (await requestOf(made)).state]).toEqual([403, 'requested']);
      expect(
        (await ops.post(liveSite, '/ops/access-requests/lau_none', { decision: 'approve', reason: '' })).text,
      ).toContain('This request does not exist');
    },
  );

  claim(
    ['API5', 'environments', 'V8.2.1'],
    'An operator of the sandbox decides on no production access request, neither on its pages nor with its settings of gw.',
    async () => {
      const made = await create();
      await ask(made);
      const { id } = await requestOf(made);
      const sandboxOps = await portalPerson({ postgres, redis }, { role: 'ops', email: ops.email });
      expect((await sandboxOps.get(site, '/ops/access-requests')).status).toBe(404);
      expect((await sandboxOps.get(site, '/applications')).text).not.toContain('/ops/access-requests');
      for (const at of [site, liveSite]) {
        const { status, location } = await sandboxOps.post(at, `/ops/access-requests/${id}`, { decision: 'approve' });
        expect([at, status, location.startsWith('/login') || status === 404]).toEqual([at, status, true]);
      }
      const approved = gwInThread(['access-requests', 'approve', String(id)], env());
      expect([approved.status, approved.stderr]).toEqual([2, expect.stringContaining('FORECOURT_ENV=production')]);
      expect((await requestOf(made)).state).toBe('requested');
    },
  );

  claim(
    ['portal', 'environments'],
    "An operator of production without a second factor can't open or use the operator pages, only set one up.",
    async () => {
      const email = 'ops@access.example';
      const { hash, pathname } = new URL(run('accounts', 'create-ops', email, '--name', 'Grace Sample').stdout.trim());
      const who = new LoggingIn(liveSite);
      await who.follow(pathname + hash, { new_password: PASSWORD });
      await mails.next(email);
      expect((await who.submit('/login', { email, password: PASSWORD, next: '/account' })).location).toBe('/account');
      const led = await who.get('/ops/access-requests');
      expect(led.location).toBe('/account/two-factor?notice=factor_needed&next=%2Fops%2Faccess-requests');
      const decided = await who.submit('/ops/access-requests/lau_1', { decision: 'approve', reason: '' });
      expect(decided.location).toBe('/account/two-factor?notice=factor_needed');
      const page = await who.get(led.location ?? '');
      expect(page.text).toContain('Operators need two-factor authentication');
      const secret = (/class="key">([^<]+)</.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
      const done = await who.fill(page, '/account/two-factor', { code: new TOTP({ secret }).generate() });
      expect(done.text).toContain('href="/ops"');
      expect((await who.get('/ops/access-requests')).status).toBe(200);
      // A lost device: the command turns it off, and the pages are closed again.
      const { status, stdout, stderr } = run('accounts', 'reset-factor', 'Ops@access.example');
      expect([status, stdout.endsWith(': two-factor authentication is off\n')]).toEqual([0, true]);
      expect(stderr).toContain('must set it up again');
      expect((await who.get('/ops/access-requests')).location).toContain('/account/two-factor');
      expect((await who.get('/account')).text).toContain('An operator turned off two-factor authentication.');
      expect(run('accounts', 'reset-factor', email)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('has no second factor'),
      });
    },
  );

  test('the console of production returns no token and says why; its page shows the operations without a button', async () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const asked = await adaInProduction.post(liveSite, '/console/token', { application: 'app_demo' }, headers);
    expect([asked.status, asked.text.includes("The console can't send requests in production")]).toEqual([403, true]);
    const { text } = await adaInProduction.get(liveSite, '/console');
    expect(text).toContain('This is a production gateway');
    expect(text).toContain('Search vehicles');
    expect(text).not.toContain('type="submit" disabled');
    expect(text).not.toMatch(/(?:Log in|Create an application) to send/);
  });

  test('the path of the operator page in earlier releases leads to it', async () => {
    const moved = await ops.get(liveSite, '/launches');
    expect([moved.status, moved.location]).toEqual([301, '/ops/access-requests']);
    expect((await adaInProduction.get(liveSite, '/launches')).status).toBe(404);
  });

  test('shows what developers and operators write as text, on pages and in emails', async () => {
    const made = await create(`Shop ${HOSTILE}`);
    await ask(made, HOSTILE);
    expect((await ops.get(liveSite, '/ops/access-requests')).text).not.toContain(HOSTILE);
    await decide(made, 'refuse', HOSTILE);
    const mail = await mails.next(ada.email);
    expect([mail.html.includes(HOSTILE), mail.text.includes(HOSTILE)]).toEqual([false, true]);
    const pages = [await ops.get(liveSite, '/ops/access-requests'), await ada.get(site, `/applications/${made.id}`)];
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
    const approved = await requestOf(one);
    expect(approved.state).toBe('approved');
    expect(run('access-requests', 'reject', second, '--reason', 'Not yet.').stdout).toBe(`${second}: rejected\n`);
    const again = run('access-requests', 'approve', second);
    expect([again.status, again.stderr]).toEqual([2, 'This request was already decided: refused.\n']);
    expect(await requestOf(two)).toMatchObject({ state: 'refused', decision: 'Not yet.' });

    // A later request takes effect on active tokens.
    const call = await callerOf(String(approved.production_application_id));
    expect(await call()).toBe(403);
    await ada.post(site, `/applications/${one.id}/subscriptions/${RESERVATION}`);
    await ask(one);
    expect(run('access-requests', 'approve', String((await requestOf(one)).id)).status).toBe(0);
    expect(await call()).toBe(404);
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
