import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

describeWith('redis-server', 'initdb')('two gateways on one Redis and one PostgreSQL', () => {
  const FORECOURT_SECRET = 'a-secret-of-the-end-to-end-tests-0123456789';
  let redis: RedisServer;
  let postgres: PostgresServer;
  let gateways: readonly Gateway[] = [];
  let a: Client;
  let b: Client;
  const env = () => ({ REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET });

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    // Both start concurrently on the empty database, and each tries to migrate it.
    gateways = await Promise.all([startGateway({ env: env() }), startGateway({ env: env() })]);
    [a, b] = (await Promise.all(gateways.map((gateway) => Client.of(gateway)))) as [Client, Client];
  });
  afterAll(async () => {
    a.close();
    b.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  test('both start without a migration conflict: each migration is recorded once', async () => {
    const rows = await postgres.query(
      'select hash, count(*)::int as count from drizzle.__drizzle_migrations group by hash',
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => row.count !== 1)).toEqual([]);
  });

  test.each([
    ['locations', locationsPath('BOS'), 200],
    ['availability', vehiclesPath(), 200],
    ['a partial answer', locationsPath('ZZT206B'), 206],
    ['no results', locationsPath('ZZT404'), 404],
    ['a failure of every supplier', locationsPath('ZZT500S'), 500],
    ['an invalid request', '/cars/locations/v1/', 400],
    ['an unknown path', '/cars/nothing', 404],
  ])('%s: the same answer from both, with tokens issued by either', async (_case, path, status) => {
    for (const minter of [a, b]) {
      const token = await minter.token();
      expect([(await a.get(path, { token })).status, (await b.get(path, { token })).status]).toEqual([status, status]);
    }
  });

  test('both give a counter the same location_id', async () => {
    const ids = async (client: Client) =>
      (await client.get(locationsPath('JFK'))).body.locations.map((location) => location.location_id);
    expect(await ids(b)).toEqual(await ids(a));
  });

  claim('API4', 'Gateways share their limits: a call at one leads to 429 at the other.', async () => {
    const token = await a.token('demo-throttled');
    expect([
      (await a.get(locationsPath('BOS'), { token })).status,
      (await b.get(locationsPath('BOS'), { token })).status,
    ]).toEqual([200, 429]);
  });

  claim(
    ['operation', 'V16.5.2'],
    'Without the database, search still works and token calls get 503; afterwards tokens are issued without a restart.',
    async () => {
      const { client_id, client_secret } = (gateways[0] as Gateway).credentials();
      const mint = () => a.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
      await a.token();
      await postgres.stop();
      expect((await a.get(locationsPath('BOS'))).status).toBe(200);
      expect((await a.get(vehiclesPath())).status).toBe(200);
      const refused = await mint();
      expect([refused.status, refused.reasons]).toEqual([503, ['maintenance']]);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      await postgres.start();
      expect((await mint()).status).toBe(200);
    },
  );

  test('if one of them is killed, the other keeps serving', async () => {
    const token = await a.freshToken();
    await (gateways[0] as Gateway).child.stop('SIGKILL');
    expect((await b.get(vehiclesPath(), { token })).status).toBe(200);
  });
});
