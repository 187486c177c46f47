import { rmSync } from 'node:fs';
import { MAGIC_PLACES } from '../../src/sandbox/magic-places.js';
import { describeWith } from '../support/binaries.js';
import { booked, driver, eventually, fresh, offerOf } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type FakeSupplier, replyOta, startFakeSupplier } from '../support/fake-supplier.js';
import { gwInThread } from '../support/gw.js';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.js';
import { PortalPerson } from '../support/portal-person.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import { FORECOURT_SECRET, putPerson, putSession } from '../support/session.js';
import { type Gateway, newDataFolder, spawnGateway, startGateway } from '../support/start-gateway.js';

const TOKEN = '/oauth/token/v1';
const PASSWORD = 'sixteen gray pelicans';

interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

describeWith('redis-server', 'initdb')('a sandbox and a production gateway on one PostgreSQL and one Redis', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let supplier: FakeSupplier;
  let sandbox: Gateway;
  let production: Gateway;
  let inSandbox: Client;
  let inProduction: Client;

  let mails: MailServer;
  /** Credentials of an application in production: only operators create one there, never the gateway. */
  let live: Credentials;

  const mint = (client: Client, { client_id, client_secret }: Credentials) =>
    client.get(TOKEN, { token: null, headers: { client_id, client_secret } });
  const productionToken = async (): Promise<string> => (await mint(inProduction, live)).body.access_token;
  const shared = () => ({
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    FORECOURT_SECRET,
    SMTP_URL: mails.url,
  });

  beforeAll(async () => {
    [redis, postgres, supplier, mails] = await Promise.all([
      startRedis(),
      freshDatabase(),
      startFakeSupplier(),
      startMailServer(),
    ]);
    supplier.behave((socket, request) =>
      replyOta(request.includes('OTA_VehLocSearchRQ') ? 'OTA_VehLocSearchRS' : 'OTA_VehAvailRateRS', '<Success/>')(
        socket,
        request,
      ),
    );
    const real = {
      name: 'Real Rent',
      adapter: 'ota-xml',
      url: supplier.url,
      allowPrivateNetwork: true,
      brands: ['Real'],
      environments: ['production'],
    };
    [sandbox, production] = await Promise.all([
      startGateway({ env: shared(), config: { tiers: ROOMY } }),
      startGateway({
        env: { ...shared(), FORECOURT_ENV: 'production' },
        config: { tiers: ROOMY, suppliers: { real } },
      }),
    ]);
    const made = gwInThread(['apps', 'create', 'Live', '--tier', 'demo'], { ...shared(), FORECOURT_ENV: 'production' });
    if (made.status !== 0) throw new Error(made.stderr);
    live = JSON.parse(made.stdout) as Credentials;
    [inSandbox, inProduction] = await Promise.all([Client.of(sandbox), Client.of(production)]);
  }, 90_000);
  afterAll(async () => {
    inSandbox.close();
    inProduction.close();
    await Promise.all([sandbox.stop(), production.stop()]);
    await Promise.all([redis.dispose(), postgres.dispose(), supplier.close(), mails.stop()]);
  });

  claim(['API2', 'environments'], 'Client credentials get a token only in their own environment.', async () => {
    const own = [await mint(inSandbox, sandbox.credentials()), await mint(inProduction, live)];
    expect(own.map(({ status, body }) => `${status} ${body.access_token.slice(0, 5)}`)).toEqual([
      '200 fc_s_',
      '200 fc_p_',
    ]);
    const other = [await mint(inProduction, sandbox.credentials()), await mint(inSandbox, live)];
    expect(other.map(({ status, reasons }) => [status, reasons])).toEqual([
      [401, ['authentication_failure']],
      [401, ['authentication_failure']],
    ]);
  });

  claim(
    ['API2', 'environments'],
    'A token is invalid in the other environment, even with its environment letter changed.',
    async () => {
      const [s, p] = [await inSandbox.freshToken(), await productionToken()];
      expect((await inSandbox.get(locationsPath('BOS'), { token: s })).status).toBe(200);
      expect((await inProduction.get(locationsPath('BOS'), { token: p })).status).toBe(404);
      const refused = [
        await inProduction.get(locationsPath('BOS'), { token: s }),
        await inProduction.get(locationsPath('BOS'), { token: s.replace('fc_s_', 'fc_p_') }),
        await inSandbox.get(locationsPath('BOS'), { token: p }),
        await inSandbox.get(locationsPath('BOS'), { token: p.replace('fc_p_', 'fc_s_') }),
      ];
      for (const { status, reasons, headers } of refused) {
        expect([status, reasons, headers['www-authenticate']]).toEqual([
          401,
          ['authentication_failure'],
          'Bearer realm="cars", error="invalid_token"',
        ]);
      }
    },
  );

  claim.each<[string, string, string, object | undefined]>([
    ['locations', 'GET', locationsPath('BOS'), undefined],
    ['availability', 'GET', vehiclesPath(), undefined],
    [
      'availability by POST',
      'POST',
      '/cars/catalog/v1/vehicles',
      { pickup_location: 'BOS', pickup_date: dayAhead(30), dropoff_date: dayAhead(33) },
    ],
  ])(
    ['environments', 'V15.2.3'],
    'Production rejects a scenario header with 400 and simulates no fault.',
    '%s',
    async (_operation, method, path, body) => {
      const token = await productionToken();
      const before = supplier.requests();
      for (const scenario of ['real=timeout', 'fault=503']) {
        const headers = { 'x-sandbox-scenario': scenario };
        const answer = await inProduction.call(method, path, {
          token,
          headers,
          ...(body === undefined ? {} : { body }),
        });
        expect([answer.status, answer.reasons, answer.errors[0]?.field]).toEqual([
          400,
          ['invalid_request'],
          'X-Sandbox-Scenario',
        ]);
      }
      expect(supplier.requests()).toBe(before);
    },
  );

  claim(
    ['environments', 'V15.2.3'],
    'Production has no test clock: its operations are unknown paths there, and its database refuses one.',
    async () => {
      const token = await productionToken();
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { body: '{"now":"2027-01-01T00:00:00Z"}' } : {};
        const url = `${production.baseUrl}/sandbox/clock/v1`;
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const answer = await fetch(url, { method, headers, ...body });
        const unknown = await fetch(`${url}/nothing`, { method, headers });
        expect([method, answer.status, unknown.status]).toEqual([method, 404, 404]);
      }
      const described = async ({ baseUrl }: Gateway) => await (await fetch(`${baseUrl}/openapi.json`)).text();
      expect(await described(sandbox)).toContain('/sandbox/clock/v1');
      expect((await described(production)).match(/.{0,40}test ?clock.{0,40}/gi)).toBeNull();
      const [app] = await postgres.query(`select id from applications where client_id = '${live.client_id}'`);
      const insert = (environment: string) =>
        postgres.query(`insert into test_clocks (application_id, environment, ahead_ms, outcome)
          values ('${app?.id}', '${environment}', 1, 'completed')`);
      await expect(insert('production')).rejects.toThrow('test_clocks_sandbox');
      await expect(insert('sandbox')).rejects.toThrow('test_clocks_application');
      await putPerson(postgres, 'acc_later', { email: 'later@example.com', environment: 'production' });
      await postgres.query(`update applications set account_id = 'acc_later' where id = '${app?.id}'`);
      const cookie = await putSession(redis.url, 'acc_later', { environment: 'production' });
      const statusOf = async (path: string) =>
        (await fetch(`${production.baseUrl}/applications/${app?.id}${path}`, { headers: { cookie } })).status;
      expect([await statusOf(''), await statusOf('/clock')]).toEqual([200, 404]);
    },
  );

  claim(
    ['environments', 'V15.2.3'],
    'A magic place of the sandbox is an unknown place in production for every operation, and never reaches a supplier.',
    async () => {
      const token = await productionToken();
      const before = supplier.requests();
      const dates = { pickup_date: dayAhead(30), dropoff_date: dayAhead(33) };
      const keywords = [...MAGIC_PLACES, 'zzt404', ' ZZT404 '].flatMap((place) => [
        locationsPath(place),
        `${locationsPath(place)}&latitude=42.36&longitude=-71.01`,
      ]);
      for (const path of keywords) {
        const { status, reasons, headers } = await inProduction.get(path, { token });
        expect([path, status, reasons, headers['x-sandbox-applied']]).toEqual([path, 404, ['no_results'], undefined]);
      }
      const country = await inProduction.get(`${locationsPath('boston')}&country_code=zz`, { token });
      expect([country.status, country.errors[0]?.field]).toEqual([400, 'country_code']);
      for (const place of [...MAGIC_PLACES, 'zzt404', 'plc_ZZT404']) {
        for (const brand of [undefined, 'Real']) {
          const asked = { pickup_location: place, ...(brand === undefined ? {} : { brand }) };
          const there = await inProduction.get(vehiclesPath({ ...asked, country_code: 'US' }), { token });
          const back = await inProduction.post(
            '/cars/catalog/v1/vehicles',
            { ...dates, ...asked, pickup_location: 'BOS', dropoff_location: place, country_code: 'US' },
            { token },
          );
          for (const [answer, field] of [
            [there, 'pickup_location'],
            [back, 'dropoff_location'],
          ] as const) {
            const { status, errors } = answer;
            expect([place, status, errors.map((entry) => `${entry.reason} ${entry.field}`)]).toEqual([
              place,
              400,
              [`invalid_range ${field}`],
            ]);
          }
        }
      }
      expect(supplier.requests()).toBe(before);
    },
  );

  claim(
    ['API9', 'environments'],
    'Each environment calls only its own suppliers and knows no brand of the other.',
    async () => {
      const token = await productionToken();
      const before = supplier.requests();
      expect((await inSandbox.get(vehiclesPath())).status).toBe(200);
      expect(supplier.requests()).toBe(before);
      expect((await inProduction.get(vehiclesPath(), { token })).status).toBe(404);
      expect(supplier.requests()).toBeGreaterThan(before);
      const [abroad, home] = [
        await inProduction.get(vehiclesPath({ brand: 'Avis' }), { token }),
        await inSandbox.get(vehiclesPath({ brand: 'Real' })),
      ];
      expect([abroad.errors, home.errors].map(([entry]) => `${entry?.reason} ${entry?.field}`)).toEqual([
        'invalid_range brand',
        'invalid_range brand',
      ]);
      expect(abroad.errors[0]?.details).not.toContain('Avis,');
    },
  );

  claim(['environments', 'V8.4.1'], "Offers and reservations of the sandbox don't exist in production.", async () => {
    const token = await productionToken();
    const offer = await offerOf(inSandbox, 'alpine');
    const { reservation_id } = await booked(inSandbox, { offer_id: offer.offer_id, driver: driver(fresh()) });
    const read = await inProduction.get(`/cars/reservation/v1/${reservation_id}`, { token });
    expect([read.status, read.reasons]).toEqual([404, ['resource_failure']]);
    const priced = await inProduction.post('/cars/catalog/v1/vehicles/rates', { offer_id: offer.offer_id }, { token });
    expect([priced.status, priced.reasons]).toEqual([404, ['resource_failure']]);
  });

  claim(
    ['API5', 'environments'],
    "A sandbox that shares the database with production can't change a version that production serves; both audit logs show such changes, and production can take back a retirement.",
    async () => {
      const PRODUCT = 'car_location_keyword_search';
      const words = (step: string, version = 'v1.1') => ['products', step, PRODUCT, '--version', version, '--yes'];
      const inEnvironment = (environment: string, ...line: string[]) =>
        gwInThread(line, { ...shared(), FORECOURT_ENV: environment });
      const states = () =>
        postgres.query('select product_id, major, minor, patch, state from product_versions order by 1, 2, 3, 4');
      const before = await states();
      for (const [step, version] of [
        ['deprecate', 'v1.1'],
        ['promote', 'v3.1'],
        ['retire', 'v1.0.1'],
        ['restore', 'v1.2'],
      ] as const) {
        const state = { deprecate: 'live', promote: 'beta', retire: 'deprecated', restore: 'retired' }[step];
        const [, major = '', minor = '0', patch = '0'] = /^v(\d+)\.(\d+)(?:\.(\d+))?$/.exec(version) ?? [];
        await postgres.query(
          `insert into product_versions (product_id, major, minor, patch, state) values ($1, ${major}, ${minor}, ${patch}, '${state}')
            on conflict (product_id, major, minor, patch) do update set state = excluded.state`,
          [PRODUCT],
        );
        const reason = step === 'restore' ? ['--reason', 'from the sandbox'] : [];
        const refused = inEnvironment('sandbox', ...words(step, version), ...reason);
        expect([step, refused.status, refused.stderr]).toEqual([
          step,
          2,
          expect.stringContaining('this database also serves production'),
        ]);
      }
      await postgres.query('delete from product_versions where major = 3');
      await postgres.query("update product_versions set state = 'live' where product_id = $1 and major = 1", [PRODUCT]);
      expect(await states()).toEqual(before);

      for (const step of ['deprecate', 'retire'])
        expect(inEnvironment('production', ...words(step))).toMatchObject({ status: 0 });
      const token = await productionToken();
      const status = async () =>
        (await inProduction.get(locationsPath('BOS').replace('/v1/', '/v1.1/'), { token })).reasons;
      expect(await eventually(status, ([reason]) => reason === 'resource_failure')).toEqual(['resource_failure']);
      const restored = inEnvironment('production', ...words('restore'), '--reason', 'it was v1.0.1');
      expect(restored).toMatchObject({ status: 0, stdout: `${PRODUCT} v1.1: retired → deprecated\n` });
      await eventually(status, ([reason]) => reason !== 'resource_failure');
      for (const environment of ['sandbox', 'production']) {
        const { stdout } = inEnvironment(environment, 'audit', 'list', '--subject', `${PRODUCT} v1.1`, '--json');
        const listed = (JSON.parse(stdout) as { action: string; environment: string; reason: string | null }[]).map(
          ({ action, environment: made, reason }) => `${action} ${made} ${reason}`,
        );
        expect(listed).toEqual([
          'version_restored production it was v1.0.1',
          'version_retired production null',
          'version_deprecated production null',
        ]);
      }
      expect(inEnvironment('sandbox', 'audit', 'export').stdout).toContain('version_restored');
      await postgres.query("update product_versions set state = 'live', deprecated_at = null where product_id = $1", [
        PRODUCT,
      ]);
    },
  );

  claim(
    ['API5', 'environments'],
    "The audit log of an environment shows nothing of what the other one's customers change, by the API or on pages.",
    async () => {
      const tokens = { sandbox: await inSandbox.freshToken(), production: await productionToken() };
      for (const [environment, client] of Object.entries({ sandbox: inSandbox, production: inProduction })) {
        const url = `https://${environment}.customer.example.com/hook`;
        const token = tokens[environment as keyof typeof tokens];
        const made = await client.post('/cars/webhooks/v1/endpoints', { url }, { token });
        expect([environment, made.status]).toEqual([environment, 201]);
      }
      await putPerson(postgres, 'acc_reader', { email: 'reader@example.com', role: 'ops' });
      const cookie = await putSession(redis.url, 'acc_reader');
      const ofPage = async (path: string) => (await fetch(`${sandbox.baseUrl}${path}`, { headers: { cookie } })).text();
      const gw = (FORECOURT_ENV: string, ...words: string[]) =>
        gwInThread(['audit', ...words], { ...shared(), FORECOURT_ENV }).stdout;
      const shows = (text: string) => [text.includes('sandbox.customer'), text.includes('production.customer')];
      for (const text of [
        gw('sandbox', 'list', '--json'),
        gw('sandbox', 'export'),
        await ofPage('/ops/audit'),
        await ofPage('/ops/audit/export'),
      ])
        expect(shows(text)).toEqual([true, false]);
      for (const text of [gw('production', 'list', '--json'), gw('production', 'export')])
        expect(shows(text)).toEqual([false, true]);
      expect(gw('sandbox', 'verify')).toContain('events agree');
    },
  );

  claim(['API8', 'environments'], 'Production creates and shows no demo application.', async () => {
    expect(() => production.credentials()).toThrow('there is no demo application');
    expect(production.child.output()).not.toContain('client_secret');
    const rows = await postgres.query("select name from applications where environment = 'production'");
    expect(rows).toEqual([{ name: 'Live' }]);
  });

  claim(
    ['API8', 'environments'],
    "Production doesn't run simulators, and a supplier without a real URL prevents the start.",
    async () => {
      const config = configFolder({ suppliers: { alpine: { environments: ['sandbox', 'production'] } } });
      const dataFolder = await newDataFolder(false);
      const env = { ...shared(), FORECOURT_ENV: 'production', CONFIG_DIR: config, DATA_DIR: dataFolder };
      const asShipped = spawnGateway(env);
      expect(await asShipped.exited).toBe(1);
      expect(asShipped.output()).toContain("supplier alpine has no URL and its simulator isn't running");
      for (const folder of [config, dataFolder]) rmSync(folder, { recursive: true, force: true });
    },
  );

  test('pages of production offer nothing that only the sandbox has, and say where to go', async () => {
    await putPerson(postgres, 'acc_newhere', { email: 'new.here@example.com', environment: 'production' });
    const cookie = await putSession(redis.url, 'acc_newhere', { environment: 'production' });
    const mainOf = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const text = await (await fetch(`${production.baseUrl}${path}`, { headers })).text();
      return text.slice(text.indexOf('<main'), text.indexOf('</main>'));
    };
    const front = await mainOf('/');
    expect(front).toContain('This is the production gateway');
    expect(front).not.toMatch(/X-Sandbox-Scenario|href="\/console|href="\/signup/);
    for (const path of [
      '/',
      '/usage',
      '/applications',
      '/docs/getting-started',
      '/console',
      '/reservations',
      '/logs',
    ]) {
      const main = await mainOf(path, { cookie });
      expect([path, main.match(/(Create|New) (an )?application/)]).toEqual([path, null]);
      // The documentation is the same everywhere, and the console leads to its own operations.
      if (!/^.(docs|console)/.test(path)) expect([path, main.match(/href="\/console/)]).toEqual([path, null]);
    }
    expect(await mainOf('/docs/getting-started', { cookie })).toMatch(/bookings are real.*production access request/s);
    expect(await mainOf('/usage', { cookie })).toContain('You have no application in production yet');
  });

  describe('people', () => {
    const OPS = 'ops@example.com';
    const hashes = async () =>
      Object.fromEntries(
        (await postgres.query('select environment, password_hash from accounts where email = $1', [OPS])).map(
          ({ environment, password_hash }) => [environment, password_hash],
        ),
      );
    const page = (gateway: Gateway, path: string, cookie: string) =>
      fetch(`${gateway.baseUrl}${path}`, { redirect: 'manual', headers: { cookie } });

    beforeAll(async () => {
      await putPerson(postgres, 'acc_sandboxops', { email: OPS });
      await putPerson(postgres, 'acc_realops', { email: OPS, role: 'ops', environment: 'production' });
    });

    claim(
      ['API2', 'environments', 'V8.4.1'],
      "A person who reads the emails of the sandbox can't reset a password of production, and can log in only to the sandbox.",
      async () => {
        const [mallory, visitor] = [new PortalPerson(sandbox.baseUrl), new PortalPerson(production.baseUrl)];
        await mallory.submit('/reset', { email: OPS });
        const secret = /[\w-]{43}$/.exec(linkIn(await mails.next(OPS), '/reset'))?.[0] ?? '';
        const useLink = async (person: PortalPerson, link: string): Promise<string> => {
          const pages = [
            await person.submit('/reset/link', { secret: link }),
            await person.submit('/reset/password', { secret: link, new_password: PASSWORD }),
          ];
          return pages.map(({ status, text, location }) => `${status} ${location} ${text}`).join('\n');
        };
        // In production, the link is one that never existed.
        expect(await useLink(visitor, secret)).toBe(await useLink(visitor, 'x'.repeat(43)));
        await useLink(mallory, secret);
        expect(await hashes()).toEqual({ sandbox: expect.stringContaining('$argon2id$'), production: null });
        expect((await mallory.submit('/login', { email: OPS, password: PASSWORD })).status).toBe(303);
        const seen = await mallory.get('/account');
        expect([seen.status, seen.location]).toEqual([200, undefined]);
        expect((await visitor.submit('/login', { email: OPS, password: PASSWORD })).status).toBe(400);
        for (const path of ['/account', '/ops/access-requests', '/applications'])
          expect((await page(production, path, mallory.cookie ?? '')).status).toBe(303);
        // And a sandbox's operator decides nothing in the sandbox.
        expect((await mallory.get('/ops/access-requests')).status).toBe(404);
      },
    );

    claim.each(
      (['acc_realops', 'acc_sandboxops'] as const).flatMap((account) =>
        (['production', 'sandbox'] as const).flatMap((environment) =>
          (['production', 'sandbox'] as const).map((keyOf) => [account, environment, keyOf] as const),
        ),
      ),
    )(
      ['API2', 'environments', 'V8.4.1'],
      'A session opens production only if its account, its place in Redis and its key all belong to production.',
      '%s, stored for %s with the key of %s',
      async (account, environment, keyOf) => {
        const cookie = await putSession(redis.url, account, { environment, keyOf });
        const isOfProduction = account === 'acc_realops' && environment === 'production' && keyOf === 'production';
        for (const path of ['/account', '/ops/access-requests'])
          expect((await page(production, path, cookie)).status).toBe(isOfProduction ? 200 : 303);
      },
    );

    claim(
      ['environments', 'V8.4.1'],
      'Limits used up in the sandbox, such as that of emails to one address, are not used up in production.',
      async () => {
        await putPerson(postgres, 'acc_victim', { email: 'victim@example.com', environment: 'production' });
        await putPerson(postgres, 'acc_decoy', { email: 'victim@example.com' });
        for (let count = 0; count < 6; count += 1)
          await new PortalPerson(sandbox.baseUrl).submit('/reset', { email: 'victim@example.com' });
        await new PortalPerson(production.baseUrl).submit('/reset', { email: 'victim@example.com' });
        const from = async (): Promise<string> =>
          new URL(linkIn(await mails.next('victim@example.com'), '/reset')).origin;
        const senders: string[] = [];
        while (!senders.includes(production.baseUrl)) senders.push(await from());
        expect(senders.filter((origin) => origin === sandbox.baseUrl).length).toBeLessThanOrEqual(5);
      },
    );
  });
});
