import { rmSync } from 'node:fs';
import { describeWith } from '../support/binaries.js';
import { booked, driver, fresh, offerOf } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type FakeSupplier, replyOta, startFakeSupplier } from '../support/fake-supplier.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import {
  type DemoCredentials,
  type DemoName,
  type Gateway,
  newDataFolder,
  spawnGateway,
  startGateway,
} from '../support/start-gateway.js';

const TOKEN = '/oauth/token/v1';
const FORECOURT_SECRET = 'the-same-secret-for-both-environments-00';
const tiers = { ...ROOMY, demo_throttled: ROOMY.demo };
/** The demo application that the tests move to production: there only operators create one, never the gateway. */
const MOVED: DemoName = 'demo-throttled';

describeWith('redis-server', 'initdb')('a sandbox and a production gateway on one PostgreSQL and one Redis', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let supplier: FakeSupplier;
  let sandbox: Gateway;
  let production: Gateway;
  let inSandbox: Client;
  let inProduction: Client;

  const mint = (client: Client, { client_id, client_secret }: DemoCredentials) =>
    client.get(TOKEN, { token: null, headers: { client_id, client_secret } });
  const productionToken = async (): Promise<string> =>
    (await mint(inProduction, sandbox.credentials(MOVED))).body.access_token;
  const shared = () => ({ REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET });

  beforeAll(async () => {
    [redis, postgres, supplier] = await Promise.all([startRedis(), freshDatabase(), startFakeSupplier()]);
    supplier.behave((socket, request) =>
      replyOta(request.includes('OTA_VehLocSearchRQ') ? 'OTA_VehLocSearchRS' : 'OTA_VehAvailRateRS', '<Success/>')(
        socket,
        request,
      ),
    );
    sandbox = await startGateway({ env: shared(), config: { tiers } });
    await postgres.query("update applications set environment = 'production' where name = $1", [MOVED]);
    const real = {
      name: 'Real Rent',
      adapter: 'ota-xml',
      url: supplier.url,
      allowPrivateNetwork: true,
      brands: ['Real'],
      environments: ['production'],
    };
    production = await startGateway({
      env: { ...shared(), FORECOURT_ENV: 'production' },
      config: { tiers, suppliers: { real } },
    });
    [inSandbox, inProduction] = await Promise.all([Client.of(sandbox), Client.of(production)]);
  }, 90_000);
  afterAll(async () => {
    inSandbox.close();
    inProduction.close();
    await Promise.all([sandbox.stop(), production.stop()]);
    await Promise.all([redis.dispose(), postgres.dispose(), supplier.close()]);
  });

  claim(['API2', 'environments'], 'Client credentials get a token only in their own environment.', async () => {
    const own = [await mint(inSandbox, sandbox.credentials()), await mint(inProduction, sandbox.credentials(MOVED))];
    expect(own.map(({ status, body }) => `${status} ${body.access_token.slice(0, 5)}`)).toEqual([
      '200 fc_s_',
      '200 fc_p_',
    ]);
    const other = [await mint(inProduction, sandbox.credentials()), await mint(inSandbox, sandbox.credentials(MOVED))];
    expect(other.map(({ status, reasons }) => [status, reasons])).toEqual([
      [401, ['authentication_failure']],
      [401, ['authentication_failure']],
    ]);
  });

  claim(
    ['API2', 'environments'],
    'A token is worthless in the other environment, even with its environment letter changed.',
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

  claim(['environments', 'V15.2.3'], 'A magic place of the sandbox is an unknown place in production.', async () => {
    const answer = await inProduction.get(locationsPath('ZZT408'), { token: await productionToken() });
    expect([answer.status, answer.headers['x-sandbox-applied']]).toEqual([404, undefined]);
  });

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

  claim(['API8', 'environments'], 'Production creates and shows no demo application.', async () => {
    expect(() => production.credentials()).toThrow('there is no demo application');
    expect(production.child.output()).not.toContain('client_secret');
    const rows = await postgres.query("select name from applications where environment = 'production'");
    expect(rows).toEqual([{ name: MOVED }]);
  });

  claim(
    ['API8', 'environments'],
    'Production runs no simulator, and a supplier without a real URL prevents the start.',
    async () => {
      const config = configFolder({ suppliers: { alpine: { environments: ['sandbox', 'production'] } } });
      const dataFolder = await newDataFolder(false);
      const env = { ...shared(), FORECOURT_ENV: 'production', CONFIG_DIR: config, DATA_DIR: dataFolder };
      const asShipped = spawnGateway(env);
      expect(await asShipped.exited).toBe(1);
      expect(asShipped.output()).toContain("supplier alpine has no URL and its simulator isn't running");
      const insisting = spawnGateway({ ...env, SIMULATORS_EMBEDDED: 'true' });
      expect(await insisting.exited).toBe(1);
      expect(insisting.output()).toContain('setting simulators.embedded: not allowed in production');
      for (const folder of [config, dataFolder]) rmSync(folder, { recursive: true, force: true });
    },
  );
});
