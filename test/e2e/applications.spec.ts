import pg from 'pg';
import { describeWith } from '../support/binaries.js';
import { eventually, QUICK } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { gwInThread } from '../support/gw.js';
import { plainRequest } from '../support/plain-request.js';
import { type PageAnswer, type PortalPerson, portalPerson } from '../support/portal-account.js';
import { locationsPath } from '../support/rental.js';
import { type SharedGateway, sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const LOCATIONS = 'car_location_keyword_search';
/** Live tokens of an application at the second gateway, and token calls in one burst. */
const [MOST_TOKENS, MOST_CALLS] = [3, 10];
const HOSTILE = '<script>alert(1)</script>"\'&';

describeWith('redis-server', 'initdb')('applications in the portal, on two gateways', () => {
  const running = sharedGateway();
  let postgres: SharedGateway['postgres'];
  let redis: SharedGateway['redis'];
  let gateways: readonly [Gateway, Gateway];
  let a: Client;
  let b: Client;
  let ada: PortalPerson;
  let site: string;

  beforeAll(async () => {
    ({ postgres, redis, client: a } = running());
    const settings = {
      tokens: { maxLivePerApplication: MOST_TOKENS },
      throttling: { tokenOperation: { perMinute: 1, burst: MOST_CALLS } },
    };
    const other = await startGateway({ ...running().options, config: { ...QUICK, settings } });
    gateways = [running().gateway, other];
    b = await Client.of(other);
    site = gateways[0].baseUrl;
  });
  beforeEach(async () => {
    ada = await portalPerson({ postgres, redis });
  });
  afterAll(async () => {
    b.close();
    await gateways[1].stop();
  });

  interface Made {
    readonly id: string;
    readonly client_id: string;
    readonly client_secret: string;
  }
  const credentialsIn = (text: string): Omit<Made, 'id'> => ({
    client_id: /id="client-id">([^<]+)</.exec(text)?.[1] ?? '',
    client_secret: /id="client-secret">([^<]+)</.exec(text)?.[1] ?? '',
  });
  let count = 0;
  const create = async (person = ada, name = `Application ${++count}`): Promise<Made> => {
    const { status, text } = await person.post(site, '/applications', { name, description: 'Sells cars.' });
    expect(status).toBe(200);
    return { id: /href="\/applications\/(app_[^"#]+)"/.exec(text)?.[1] ?? '', ...credentialsIn(text) };
  };
  const subscribe = (made: Made, person = ada) =>
    person.post(site, `/applications/${made.id}/subscriptions/${LOCATIONS}`);
  const mint = ({ client_id, client_secret }: Omit<Made, 'id'>, client = a) =>
    client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
  const tokenOf = async (made: Omit<Made, 'id'>) => (await mint(made)).body.access_token;
  const statusOf = ({ status }: { status: number }): number => (status === 206 ? 200 : status);
  /** The statuses of both gateways. On a busy machine, a supplier may be late: 206, which says the same of the token as 200. */
  const search = async (token: string) =>
    Promise.all([a, b].map(async (client) => statusOf(await client.get(locationsPath('BOS'), { token }))));
  const audit = async (id: string) =>
    (await postgres.query('select actor, action from audit_events where subject = $1 order by id', [id])).map(
      ({ actor, action }) => (actor === ada.accountId ? action : `${actor} ${action}`),
    );
  const withoutRequestId = ({ text }: PageAnswer) => text.replace(/Request <code>[^<]*/, '');

  describe('creating', () => {
    test('shows client id, secret and three next steps immediately; the pair gets a token, which may not call any product yet', async () => {
      const { status, text } = await ada.post(site, '/applications', {
        name: 'Holiday cars',
        description: 'Sells cars.',
      });
      expect(status).toBe(200);
      const made = credentialsIn(text);
      expect(made.client_secret).toMatch(/^fcs_[\w-]{43}$/);
      expect(text).toContain(`client_id: ${made.client_id}`);
      expect(text).toMatch(/<strong>Subscribe.*<strong>Get a token.*href="\/console\?application=app_/s);
      expect(await search(await tokenOf(made))).toEqual([403, 403]);
    });

    test.each([
      ['no name', { name: '  ', description: '' }, 'Enter a name for the application.'],
      ['a name of 61 characters', { name: 'x'.repeat(61), description: '' }, 'Use at most 60 characters.'],
      [
        'an invisible character in the name',
        { name: 'Shop\u202eevil', description: '' },
        'Remove invisible characters.',
      ],
      [
        'a null character in the description',
        { name: 'Shop', description: 'a\u0000b' },
        'Remove invisible characters.',
      ],
      ['a long description', { name: 'Shop', description: 'x'.repeat(1_001) }, 'Use at most 1000 characters.'],
    ])('with %s is rejected, with instructions and the input kept', async (_case, form, problem) => {
      const before = await ada.get(site, '/applications');
      const { status, text } = await ada.post(site, '/applications', form);
      expect([status, text.includes(problem), text.includes('role="alert"')]).toEqual([400, true, true]);
      expect((await ada.get(site, '/applications')).text).toBe(before.text);
    });

    test('ten concurrent submissions create one application, because names are unique in any spelling', async () => {
      const form = { name: 'Only once', description: '' };
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => ada.post(gateways[index % 2]?.baseUrl ?? '', '/applications', form)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
      const again = await ada.post(site, '/applications', { name: ' only  ONCE', description: '' });
      expect([again.status, again.text.includes('Choose another name.')]).toEqual([400, true]);
      expect(
        await postgres.query(
          "select count(*)::int as count from applications where name ilike 'only once' and account_id = $1",
          [ada.accountId],
        ),
      ).toEqual([{ count: 1 }]);
    });

    test('another account may use the same name; 20 applications are the most, even if created concurrently', async () => {
      const grace = await portalPerson({ postgres, redis });
      await create(grace, 'Only once');
      for (let index = 0; index < 13; index += 1) await create(grace);
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          grace.post(site, '/applications', { name: `Many ${index}`, description: '' }),
        ),
      );
      expect(made.filter(({ status }) => status === 200).length).toBe(6);
      expect(made.find(({ status }) => status === 400)?.text).toContain('An account may have at most 20 applications.');
    });
  });

  describe('credentials', () => {
    test('are shown again after confirming the password, and every view is audited', async () => {
      const made = await create();
      const { status, text } = await ada.get(site, `/applications/${made.id}/credentials`);
      expect([status, text.includes(made.client_secret)]).toEqual([200, true]);
      expect(await audit(made.id)).toEqual(['application_created', 'secret_shown', 'secret_shown']);
      expect((await ada.get(site, `/applications/${made.id}`)).text).toContain('You viewed the credentials.');
      expect((await ada.get(site, `/applications/${made.id}`)).text).not.toContain(made.client_secret);
    });

    test('with an old confirmation, showing them and creating a new secret lead to the password page; nothing is shown or created', async () => {
      const late = await portalPerson({ postgres, redis }, { passwordMinutesAgo: 11 });
      const made = await create(late);
      for (const [path, next] of [
        ['credentials', 'credentials'],
        ['secrets/new', 'secrets/new'],
      ]) {
        const { status, location, text } = await late.get(site, `/applications/${made.id}/${path}`);
        expect([status, location, text]).toEqual([
          303,
          `/confirm?next=${encodeURIComponent(`/applications/${made.id}/${next}`)}`,
          '',
        ]);
      }
      const rotated = await late.post(site, `/applications/${made.id}/secrets`, { overlap: 'day' });
      expect([rotated.status, rotated.location]).toEqual([303, expect.stringContaining('/confirm?next=')]);
      expect(
        await postgres.query('select count(*)::int as count from client_secrets where application_id = $1', [made.id]),
      ).toEqual([{ count: 1 }]);
    });

    test.each([
      ['now', [401, 200], 0],
      ['hour', [200, 200], 3_600_000],
      ['day', [200, 200], 86_400_000],
      ['week', [200, 200], 604_800_000],
    ])(
      'a new secret with the older ones ending "%s": their token calls are %j, live tokens stay',
      async (overlap, expected, ms) => {
        const made = await create();
        await subscribe(made);
        const token = await tokenOf(made);
        const { status, text } = await ada.post(site, `/applications/${made.id}/secrets`, { overlap });
        const renewed = credentialsIn(text);
        expect([status, renewed.client_id]).toEqual([200, made.client_id]);
        expect([(await mint(made)).status, (await mint(renewed, b)).status]).toEqual(expected);
        expect(await search(token)).toEqual([200, 200]);
        const [row] = await postgres.query(
          'select expires_at from client_secrets where application_id = $1 and expires_at is not null',
          [made.id],
        );
        expect(Math.abs(Number(row?.expires_at) - Date.now() - ms)).toBeLessThan(30_000);
      },
    );

    test('allows at most five live secrets; ending older ones makes room', async () => {
      const made = await create();
      const path = `/applications/${made.id}/secrets`;
      for (let index = 0; index < 4; index += 1)
        expect((await ada.post(site, path, { overlap: 'week' })).status).toBe(200);
      const refused = await ada.post(site, path, { overlap: 'week' });
      expect([refused.status, refused.text.includes('An application may have at most 5 active secrets.')]).toEqual([
        400,
        true,
      ]);
      expect((await ada.post(site, path, { overlap: 'moon' })).text).toContain(
        'Choose when the existing secrets expire.',
      );
      expect((await ada.post(site, path, { overlap: 'now' })).status).toBe(200);
    });

    test('revoking states the consequences, ends the secret and its tokens, and leaves the other secret with its tokens', async () => {
      const made = await create();
      await subscribe(made);
      const [secret] = await postgres.query('select id from client_secrets where application_id = $1', [made.id]);
      const renewed = credentialsIn(
        (await ada.post(site, `/applications/${made.id}/secrets`, { overlap: 'day' })).text,
      );
      const tokens = [await tokenOf(made), await tokenOf(renewed)];
      const path = `/applications/${made.id}/secrets/${secret?.id}/revoke`;
      expect((await ada.get(site, path)).text).toMatch(
        /The tokens issued with it.*are revoked immediately.*other secrets \(1\) and their tokens stay valid/s,
      );
      expect((await ada.post(site, path)).location).toBe(`/applications/${made.id}?notice=revoked`);
      expect(await Promise.all(tokens.map(search))).toEqual([
        [401, 401],
        [200, 200],
      ]);
      expect([(await mint(made)).status, (await mint(renewed)).status]).toEqual([401, 200]);
      expect((await ada.post(site, path)).status).toBe(404);
      expect((await ada.get(site, `/applications/${made.id}`)).text).toContain('You revoked a secret and its tokens.');
    });
  });

  describe('settings', () => {
    test('name and description can be changed, but not to a taken name', async () => {
      const [one, two] = [await create(), await create()];
      const path = `/applications/${one.id}/description`;
      const saved = await ada.post(site, path, { name: 'Renamed', description: 'Better.\r\nMuch.' });
      expect(saved.location).toBe(`/applications/${one.id}?notice=saved`);
      expect((await ada.get(site, saved.location)).text).toMatch(/Changes saved\..*<h1>Renamed.*Better\.\nMuch\./s);
      expect((await ada.post(site, path, { name: 'RENAMED', description: '' })).status).toBe(303);
      const taken = await ada.post(site, `/applications/${two.id}/description`, { name: 'renamed', description: '' });
      expect([taken.status, taken.text.includes('Choose another name.')]).toEqual([400, true]);
    });

    test('keeps a redirect URL exactly as sent, rejects an invalid one with the reason, and removes it if empty', async () => {
      const made = await create();
      const path = `/applications/${made.id}/redirect-url`;
      const url = 'https://shop.example.com/callback?tenant=7';
      expect((await ada.post(site, path, { redirect_url: url })).status).toBe(303);
      expect((await ada.get(site, `/applications/${made.id}`)).text).toContain(`<code>${url}</code>`);
      const refused = await ada.post(site, path, { redirect_url: 'http://evil.example/callback' });
      expect([refused.status, refused.text.includes('Use http:// only for a local machine')]).toEqual([400, true]);
      expect(await postgres.query('select redirect_url from applications where id = $1', [made.id])).toEqual([
        { redirect_url: url },
      ]);
      await ada.post(site, path, { redirect_url: '' });
      expect(await postgres.query('select redirect_url from applications where id = $1', [made.id])).toEqual([
        { redirect_url: null },
      ]);
    });

    test('a default scenario applies to live tokens immediately; an invalid one is rejected with the message of the API', async () => {
      const made = await create();
      await subscribe(made);
      const token = await tokenOf(made);
      const path = `/applications/${made.id}/scenario`;
      await ada.post(site, path, { scenario: 'bravo=error(503)' });
      for (const client of [a, b]) {
        const answer = await client.get(locationsPath('BOS'), { token });
        expect([answer.status, answer.headers['x-sandbox-applied']]).toEqual([206, 'application: bravo=error(503)']);
      }
      const refused = await ada.post(site, path, { scenario: 'bravo=tiemout' });
      const inApi = await a.get(locationsPath('BOS'), { token, headers: { 'x-sandbox-scenario': 'bravo=tiemout' } });
      expect(refused.status).toBe(400);
      expect(refused.text.replaceAll('&quot;', '"')).toContain(inApi.errors[0]?.details);
      await ada.post(site, path, { scenario: '' });
      expect(await search(token)).toEqual([200, 200]);
    });

    test.each([
      [{ now: 'tomorrow', outcome: 'completed' }, 'Enter a date and time in UTC'],
      [{ now: '2027-13-01T10:00', outcome: 'completed' }, 'Enter a date and time in UTC'],
      [{ now: '', outcome: 'lost' }, 'Choose an outcome.'],
      [{ now: '' }, 'Choose an outcome.'],
      [{ outcome: 'no_show', back: '//evil.example' }, 'Move the clock'],
    ])('its test clock is not changed by %j', async (form, problem) => {
      const { id } = await create();
      const refused = await ada.post(site, `/applications/${id}/clock`, form);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(problem);
      expect(await audit(id)).not.toContain('test_clock_moved');
    });
  });

  describe('subscriptions', () => {
    test('a live token is answered 403 before subscribing, 200 once the page says subscribed, and 403 after unsubscribing', async () => {
      const made = await create();
      const token = await tokenOf(made);
      expect(await search(token)).toEqual([403, 403]);
      const subscribed = await subscribe(made);
      expect(subscribed.location).toBe(`/applications/${made.id}?notice=subscribed`);
      expect(await search(token)).toEqual([200, 200]);
      expect((await subscribe(made)).status).toBe(303);
      expect((await ada.get(site, '/products')).text).toContain(`href="/applications/${made.id}"`);
      await ada.post(site, `/applications/${made.id}/subscriptions/${LOCATIONS}/end`);
      expect(await search(token)).toEqual([403, 403]);
      expect(await audit(made.id)).toEqual([
        'application_created',
        'secret_shown',
        'product_subscribed',
        'product_unsubscribed',
      ]);
    });

    test('subscribing to all adds every open product with an audit row each; two concurrent submissions add each once', async () => {
      const made = await create();
      const path = `/applications/${made.id}/subscriptions`;
      await subscribe(made);
      expect((await ada.get(site, `/applications/${made.id}`)).text).toContain('Subscribe to all 3');
      const answers = await Promise.all(gateways.map(({ baseUrl }) => ada.post(baseUrl, path)));
      expect(answers.map(({ location }) => location)).toEqual(
        gateways.map(() => `/applications/${made.id}?notice=subscribed_all`),
      );
      const { text } = await ada.get(site, `/applications/${made.id}?notice=subscribed_all`);
      expect([text.match(/>Subscribed</g)?.length, text.includes('Subscribe to all')]).toEqual([4, false]);
      expect(await audit(made.id)).toEqual([
        'application_created',
        'secret_shown',
        'product_subscribed',
        'product_subscribed',
        'product_subscribed',
        'product_subscribed',
      ]);
      const forged = await ada.post(site, path, {}, { origin: 'https://evil.example' });
      expect(forged.status).toBe(403);
    });

    test('a completed step is no longer listed as a next step', async () => {
      const made = await create();
      const steps = async () => {
        const { text } = await ada.get(site, `/applications/${made.id}`);
        return [...text.matchAll(/<li><strong>(\w+)/g)].map(([, word]) => word);
      };
      expect(await steps()).toEqual(['Subscribe', 'Get', 'Try']);
      await subscribe(made);
      expect(await steps()).toEqual(['Get', 'Try']);
      await tokenOf(made);
      expect(await steps()).toEqual(['Try']);
    });

    test("leaves the policies of the account's other applications unchanged", async () => {
      const [one, two] = [await create(), await create()];
      await subscribe(two);
      const token = await tokenOf(two);
      await subscribe(one);
      await ada.post(site, `/applications/${one.id}/subscriptions/${LOCATIONS}/end`);
      expect(await search(token)).toEqual([200, 200]);
    });

    test('an unknown product takes no subscriptions', async () => {
      const made = await create();
      const { status, text } = await ada.post(site, `/applications/${made.id}/subscriptions/planes`);
      expect([status, text.includes('This product is closed to new subscriptions.')]).toEqual([400, true]);
    });
  });

  describe('suspending, resuming, deleting', () => {
    test('a suspended application is answered 401 on every gateway, and gets tokens again once its owner resumes it', async () => {
      const made = await create();
      await subscribe(made);
      const token = await tokenOf(made);
      await ada.post(site, `/applications/${made.id}/suspend`);
      expect([await search(token), (await mint(made)).status]).toEqual([[401, 401], 401]);
      await ada.post(site, `/applications/${made.id}/resume`);
      expect([await search(token), await search(await tokenOf(made))]).toEqual([
        [401, 401],
        [200, 200],
      ]);
    });

    test('gw apps suspend refuses the tokens of an application on both gateways within a second, and only those', async () => {
      const [made, other] = [await create(), await create()];
      for (const one of [made, other]) await subscribe(one);
      const [token, others] = [await tokenOf(made), await tokenOf(other)];
      const ask = (held: string) =>
        Promise.all([a, b].map((client) => client.get(locationsPath('BOS'), { token: held })));
      expect((await ask(token)).map(statusOf)).toEqual([200, 200]);
      const said = gwInThread(['apps', 'suspend', made.id, '--reason', 'It calls too much'], running().options.env);
      const [stored] = await postgres.query(
        'select extract(epoch from clock_timestamp() - at) * 1000 as ms, reason from audit_events where subject = $1 order by id desc limit 1',
        [made.id],
      );
      const from = performance.now();
      const refused = await ask(token);
      // From the commit to the last of the answers: a second, and as much for a machine with another busy process.
      expect(Number(stored?.ms) + performance.now() - from).toBeLessThan(2_000);
      expect([said.status, stored?.reason]).toEqual([0, 'It calls too much']);
      for (const { status, errors } of refused)
        expect([status, errors[0]?.reason]).toEqual([401, 'authentication_failure']);
      expect((await ask(others)).map(statusOf)).toEqual([200, 200]);
    });

    test('an owner cannot resume what an operator suspended, not even by suspending it as well', async () => {
      const made = await create();
      await postgres.query("update applications set state = 'suspended', is_held = true where id = $1", [made.id]);
      await ada.post(site, `/applications/${made.id}/suspend`);
      const page = await ada.get(site, `/applications/${made.id}`);
      expect([page.text.includes('An operator suspended it'), page.text.includes('/resume')]).toEqual([true, false]);
      const refused = await ada.post(site, `/applications/${made.id}/resume`);
      expect([refused.status, refused.text.includes('Contact the operators to have it resumed.')]).toEqual([400, true]);
      expect((await mint(made)).status).toBe(401);
    });

    test('a form waits a second for a locked account, then gets 429, and other forms wait for it without a connection', async () => {
      const made = await create();
      const locker = new pg.Client({ connectionString: postgres.url });
      await locker.connect();
      await locker.query('begin');
      await locker.query('select 1 from accounts where id = $1 for update', [ada.accountId]);
      const startedAt = performance.now();
      const suspend = () =>
        fetch(`${site}/applications/${made.id}/suspend`, {
          method: 'POST',
          headers: { cookie: ada.cookie, origin: site, 'content-type': 'application/x-www-form-urlencoded' },
          redirect: 'manual',
        });
      const answers = await Promise.all(Array.from({ length: 12 }, suspend));
      expect(performance.now() - startedAt).toBeLessThan(4_000);
      for (const answer of answers) expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '2']);
      expect(await answers[0]?.text()).toContain('Another change of your account is in progress.');
      await locker.query('rollback');
      await locker.end();
      expect((await ada.post(site, `/applications/${made.id}/suspend`)).status).toBe(303);
    });

    test('deleting requires the name and ends secrets, tokens and subscriptions; the application no longer appears anywhere', async () => {
      const made = await create(ada, 'To be deleted');
      await subscribe(made);
      const token = await tokenOf(made);
      const path = `/applications/${made.id}/delete`;
      expect((await ada.get(site, path)).text).toContain('Its reservations stay active with the suppliers');
      expect((await ada.post(site, path, { name: 'to be deleted' })).status).toBe(400);
      expect(await search(token)).toEqual([200, 200]);
      expect((await ada.post(site, path, { name: 'To be deleted' })).location).toBe('/applications?notice=deleted');
      expect([await search(token), (await mint(made)).status]).toEqual([[401, 401], 401]);
      expect((await ada.get(site, `/applications/${made.id}`)).status).toBe(404);
      for (const list of ['/applications', '/products'])
        expect((await ada.get(site, list)).text).not.toContain(made.id);
      expect(await postgres.query('select sealed from client_secrets where application_id = $1', [made.id])).toEqual([
        { sealed: null },
      ]);
      expect(await postgres.query('select * from subscriptions where application_id = $1', [made.id])).toEqual([]);
      expect((await audit(made.id)).at(-1)).toBe('application_deleted');
      await create(ada, 'To be deleted');
    });
  });

  describe('ownership', () => {
    const GETS = [
      ...['', '/credentials', '/settings', '/delete', '/production-access', '/secrets/new'],
      ...['/certification', '/clock'],
    ];
    const POSTS = [
      ['/suspend', {}],
      ['/resume', {}],
      ['/delete', { name: 'Not mine' }],
      ['/secrets', { overlap: 'now' }],
      ['/description', { name: 'Mine now', description: '' }],
      ['/redirect-url', { redirect_url: 'https://evil.example/' }],
      ['/scenario', { scenario: 'bravo=timeout' }],
      [`/subscriptions/${LOCATIONS}`, {}],
      [`/subscriptions/${LOCATIONS}/end`, {}],
      ['/production-access', { message: 'Mine' }],
      ['/certification', {}],
      ['/clock', { outcome: 'no_show' }],
      ['/clock/reset', {}],
    ] as const;

    test("another account's application gets the page of an unknown one on every path, and is never changed", async () => {
      const grace = await portalPerson({ postgres, redis });
      const theirs = await create(grace, 'Not mine');
      await subscribe(theirs, grace);
      const token = await tokenOf(theirs);
      const events = await audit(theirs.id);
      for (const [method, path, form] of [
        ...GETS.map((path) => ['get', path, {}] as const),
        ...POSTS.map((row) => ['post', ...row] as const),
      ]) {
        const ask = (id: string) =>
          method === 'get'
            ? ada.get(site, `/applications/${id}${path}`)
            : ada.post(site, `/applications/${id}${path}`, form);
        const [foreign, unknown] = [await ask(theirs.id), await ask('app_0123456789abcdef0123')];
        expect([path, foreign.status, unknown.status]).toEqual([path, 404, 404]);
        expect(withoutRequestId(foreign)).toBe(withoutRequestId(unknown));
      }
      expect([await search(token), await audit(theirs.id)]).toEqual([[200, 200], events]);
    });

    test("another account's application costs as many database queries as an unknown one", async () => {
      const theirs = await create(await portalPerson({ postgres, redis }), 'Not mine');
      // It has less to do for itself than the one that specs share.
      const [, gateway] = gateways;
      const read = async () => Number(/^forecourt_database_statements_total (\d+)/m.exec(await gateway.metrics())?.[1]);
      // The minimum of several runs: the gateway also queries for itself.
      const statements = async (id: string) => {
        const counts: number[] = [];
        for (let round = 0; round < 5; round += 1) {
          const before = await read();
          await ada.get(gateway.baseUrl, `/applications/${id}`);
          counts.push((await read()) - before);
        }
        return Math.min(...counts);
      };
      // One for the session, and one for the ownership.
      expect([await statements(theirs.id), await statements('app_0123456789abcdef0123')]).toEqual([2, 2]);
    });

    test('a secret of another application is not found under one of my own', async () => {
      const [mine, other] = [await create(), await create()];
      const [secret] = await postgres.query('select id from client_secrets where application_id = $1', [other.id]);
      const path = `/applications/${mine.id}/secrets/${secret?.id}/revoke`;
      expect([
        (await ada.get(site, path)).status,
        (await ada.post(site, path)).status,
        (await mint(other)).status,
      ]).toEqual([404, 404, 200]);
    });

    test.each(['app_%00', 'app_x%27', '..%2f..', 'app_ÄÖ', '%F0%9F%9A%97'])(
      'the odd id %s is an ordinary 404',
      async (id) => {
        expect((await ada.get(site, `/applications/${id}`)).status).toBe(404);
      },
    );

    test('a person who is not logged in is sent to the login page (and back, from a page); nothing is changed', async () => {
      const made = await create();
      const stranger = (path: string, init: RequestInit = {}) =>
        fetch(`${site}${path}`, { redirect: 'manual', ...init });
      for (const path of [
        '/applications',
        '/applications/new',
        `/applications/${made.id}/credentials`,
        '/ops/access-requests',
      ]) {
        const answer = await stranger(path);
        expect([answer.status, answer.headers.get('location')]).toEqual([
          303,
          `/login?next=${encodeURIComponent(path)}`,
        ]);
      }
      const posted = await stranger(`/applications/${made.id}/suspend`, {
        method: 'POST',
        headers: { origin: site },
        body: new URLSearchParams(),
      });
      expect([posted.status, posted.headers.get('location')]).toEqual([303, '/login?notice=session_over']);
      expect((await mint(made)).status).toBe(200);
    });

    test.each([
      ['from another origin', { origin: 'https://evil.example' }],
      ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
      ['from a sibling host', { 'sec-fetch-site': 'same-site' }],
      ['without an origin', {}],
    ])('a form %s is a 403, whatever it requests', async (_case, headers) => {
      const made = await create();
      for (const [path, form] of POSTS) {
        expect((await ada.post(site, `/applications/${made.id}${path}`, form, headers)).status).toBe(403);
      }
      expect((await ada.post(site, '/applications', { name: 'Forged', description: '' }, headers)).status).toBe(403);
      expect([await audit(made.id), (await mint(made)).status]).toEqual([['application_created', 'secret_shown'], 200]);
      expect(await postgres.query("select id from applications where name = 'Forged'")).toEqual([]);
    });
  });

  test('a host with shell syntax appears in no command', async () => {
    const made = await create();
    const { status, text } = await plainRequest(`${site}/applications/${made.id}`, {
      host: 'a$(id)b',
      cookie: ada.cookie,
    });
    expect([status, text.includes('curl http'), text.includes('$(id)')]).toEqual([200, true, false]);
  });

  test('user input is shown as text everywhere', async () => {
    const made = await create(ada, `Shop ${HOSTILE}`);
    const path = `/applications/${made.id}`;
    await ada.post(site, `${path}/description`, { name: `Shop ${HOSTILE}`, description: HOSTILE });
    const refused = await ada.post(site, `${path}/redirect-url`, {
      redirect_url: `https://shop.example.com/${HOSTILE}`,
    });
    const scenario = await ada.post(site, `${path}/scenario`, { scenario: HOSTILE });
    const pages = await Promise.all(
      ['/applications', path, `${path}/settings`, `${path}/delete`, `${path}/credentials`].map((one) =>
        ada.get(site, one),
      ),
    );
    for (const { text } of [...pages, refused, scenario]) {
      expect(text).not.toContain('<script>alert');
      expect(text).toContain('&lt;script>alert(1)');
    }
    await ada.post(site, `${path}/delete`, { name: `Shop ${HOSTILE}` });
    expect((await ada.get(site, path)).status).toBe(404);
  });

  test('the name of an application is shown as text on pages that only mention it', async () => {
    const name = '<img src=x onerror="alert(1)">';
    const made = await create(ada, name);
    for (const path of [
      '/products',
      `/usage?application=${made.id}`,
      `/logs?application=${made.id}`,
      `/console?application=${made.id}`,
      `/docs/getting-started?application=${made.id}`,
    ]) {
      await subscribe(made);
      const { status, text } = await ada.get(site, path);
      expect([
        path,
        status,
        text.includes('<img src=x'),
        text.includes('&lt;img src=x onerror=&quot;alert(1)&quot;>'),
      ]).toEqual([path, 200, false, true]);
    }
  });

  describe('/console/token', () => {
    const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
    /** Requests a token of the second gateway as the console's script does, unless the headers differ. */
    const askToken = (application: string, headers: Record<string, string> = { ...SAME_ORIGIN, cookie: ada.cookie }) =>
      fetch(`${gateways[1].baseUrl}/console/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ application }),
        redirect: 'manual',
      });

    test('gives the owner a working token of the application, without requiring a secret', async () => {
      const made = await create();
      await subscribe(made);
      const answer = await askToken(made.id);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number };
      expect([access_token.slice(0, 5), expires_in]).toEqual(['fc_s_', 7199]);
      expect(await search(access_token)).toEqual([200, 200]);
    });

    test("its tokens count toward the application's cap: the oldest one is revoked", async () => {
      const made = await create();
      await subscribe(made);
      const oldest = await tokenOf(made);
      for (let more = 1; more < MOST_TOKENS; more += 1) await askToken(made.id);
      expect(await search(oldest)).toEqual([200, 200]);
      await askToken(made.id);
      expect(await search(oldest)).toEqual([401, 401]);
    });

    test.each(['app_demo', 'app_nothing', 'app_\0x', ''])(
      'rejects %j, which the visitor does not own',
      async (application) => {
        const answer = await askToken(application);
        expect(answer.status).toBe(403);
        expect(await answer.text()).not.toContain('fc_s_');
      },
    );

    test('rejects a form of another site', async () => {
      const { id } = await create();
      const { cookie } = ada;
      for (const site of ['cross-site', 'same-site', 'none'])
        expect((await askToken(id, { 'sec-fetch-site': site, cookie })).status).toBe(403);
      expect((await askToken(id, { cookie })).status).toBe(403);
    });

    test('never redirects to the login page', async () => {
      const answer = await askToken('app_demo', SAME_ORIGIN);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/login?notice=session_over']);
    });

    test('too many per minute are a 429 that says when to retry; they are counted with those that a client requests', async () => {
      const made = await create();
      const answers = await Promise.all(Array.from({ length: MOST_CALLS + 1 }, () => askToken(made.id)));
      const limited = answers.filter(({ status }) => status === 429);
      expect([limited.length, Number(limited[0]?.headers.get('retry-after')) > 0]).toEqual([1, true]);
      expect((await mint(made, b)).status).toBe(429);
    });
  });

  describe('what is kept about an account', () => {
    const accountOf = async ({ accountId }: PortalPerson) =>
      (await postgres.query('select email from accounts where id = $1', [accountId]))[0];
    const gwAccounts = (...words: string[]) =>
      gwInThread(['accounts', ...words], {
        ...running().options.env,
        DATA_DIR: gateways[0].dataFolder,
      });

    claim(
      ['personal-data', 'portal'],
      'Developers can download everything kept on their account as JSON, after entering their password, without secrets.',
      async () => {
        const made = await create(ada, 'Exported shop');
        const other = await create(await portalPerson({ postgres, redis }), 'Shop of another');
        const hash = '$argon2id$hash-of-a-password';
        await postgres.query('update accounts set password_hash = $1 where id = $2', [hash, ada.accountId]);
        const { status, text } = await ada.get(site, '/account/data/export');
        const kept = JSON.parse(text) as Record<string, Record<string, unknown>[]>;
        expect([status, kept.account?.[0]?.email]).toEqual([200, ada.email]);
        expect(kept.applications).toMatchObject([{ id: made.id, name: 'Exported shop', client_id: made.client_id }]);
        for (const hidden of [made.client_secret, other.id, 'Shop of another', 'hmac', 'sealed', hash])
          expect(text).not.toContain(hidden);
        const stale = await portalPerson({ postgres, redis }, { passwordMinutesAgo: 11 });
        for (const path of ['/account/data/export', '/account/data/delete'])
          expect((await stale.get(site, path)).location).toContain('/confirm?next=');
        expect((await fetch(`${site}/account/data/export`, { redirect: 'manual' })).status).toBe(303);
      },
    );

    claim(
      ['personal-data', 'portal'],
      'One download of account data runs per account; another gets a 429 until it is complete or its browser disconnects.',
      async () => {
        const download = (signal?: AbortSignal) =>
          fetch(`${site}/account/data/export`, { headers: { cookie: ada.cookie }, ...(signal && { signal }) });
        const locker = new pg.Client({ connectionString: postgres.url });
        await locker.connect();
        try {
          await locker.query('begin');
          await locker.query('lock table request_log');
          // Both are sent before either is answered, as the first ends when its statement has waited too long for the lock.
          const disconnect = new AbortController();
          const answers = await Promise.all([download(disconnect.signal), download(disconnect.signal)]);
          const [, refused] = answers.sort((one, other) => one.status - other.status);
          expect(answers.map(({ status }) => status)).toEqual([200, 429]);
          expect(refused?.headers.get('retry-after')).toBe('10');
          expect(await refused?.text()).toContain('Another download of your data is in progress.');
          disconnect.abort();
        } finally {
          await locker.end();
        }
        const { status } = await eventually(
          () => download(),
          (answer) => answer.status !== 429,
        );
        expect(status).toBe(200);
      },
    );

    claim(
      ['personal-data', 'portal'],
      'Developers can delete their account: on every gateway its sessions and tokens end, and its data is erased.',
      async () => {
        const made = await create(ada, 'Deleted shop');
        await subscribe(made);
        const token = await tokenOf(made);
        expect(await search(token)).toEqual([200, 200]);
        const page = await ada.get(site, '/account/data/delete');
        expect([page.status, page.text.includes(ada.email)]).toEqual([200, true]);
        for (const email of ['', 'someone@else.example', ada.accountId]) {
          expect((await ada.post(site, '/account/data/delete', { email })).status).toBe(400);
          expect(await accountOf(ada)).toEqual({ email: ada.email });
        }
        const done = await ada.post(site, '/account/data/delete', { email: ` ${ada.email.toUpperCase()} ` });
        expect([done.status, done.location]).toEqual([303, '/login?notice=account_deleted']);
        expect(await search(token)).toEqual([401, 401]);
        for (const { baseUrl } of gateways) expect((await ada.get(baseUrl, '/account')).location).toContain('/login');
        // 401 until the secrets are erased, soon after the account is closed.
        await eventually(
          () => mint(made),
          ({ status }) => status === 400,
        );
        expect(await accountOf(ada)).toEqual({ email: null });
        expect(await audit(ada.accountId)).toEqual(['account_deleted']);
      },
    );

    test('a form from another site deletes nothing', async () => {
      const answer = await ada.post(
        site,
        '/account/data/delete',
        { email: ada.email },
        { origin: 'https://evil.example' },
      );
      expect([answer.status, await accountOf(ada)]).toEqual([403, { email: ada.email }]);
    });

    test('operators export and delete accounts with the command line', async () => {
      const made = await create(ada, 'Shop of a caller');
      const exported = gwAccounts('export', ada.email);
      expect((JSON.parse(exported.stdout) as { applications: object[] }).applications).toMatchObject([{ id: made.id }]);
      const unsure = gwAccounts('delete', ada.email);
      expect([unsure.status, unsure.stderr.includes('--yes'), await accountOf(ada)]).toEqual([
        2,
        true,
        { email: ada.email },
      ]);
      const { status, stdout } = gwAccounts('delete', ada.email, '--yes');
      expect([status, stdout]).toEqual([0, `${ada.accountId}: deleted\n`]);
      expect((await ada.get(site, '/account')).location).toContain('/login');
      expect(gwAccounts('export', ada.email).stderr).toContain(`no account found for ${ada.email}`);
    });
  });
});
