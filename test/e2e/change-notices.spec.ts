import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { Client } from '../support/client.js';
import { gwInThread } from '../support/gw.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { vehiclesPath } from '../support/rental.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/** Without notices, gateways read the settings every five seconds. */
const WITHIN_MS = 2_500;

describeWith('redis-server', 'initdb')('what operators set, on two gateways with one Redis and one PostgreSQL', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  let gateways: readonly Gateway[] = [];
  let clients: readonly Client[] = [];
  const env = () => ({
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    FORECOURT_SECRET: 'a-secret-of-the-end-to-end-tests-0123456789',
  });
  const tiers = { demo: { perMinute: 60_000, burst: 10_000 } };

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    gateways = [await startGateway({ env: env(), config: { tiers } }), await startGateway({ env: env(), config: { tiers } })];
    clients = await Promise.all(gateways.map((gateway) => Client.of(gateway)));
    // By then, they no longer read often because of their own start.
    await wait(4_000);
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  const isCalled = async (client: Client): Promise<boolean> => {
    const { body } = await client.get(vehiclesPath());
    return body.suppliers.some(({ supplier, outcome }) => supplier === 'bravo' && outcome !== 'skipped');
  };

  test.each(['off', 'live', 'off', 'live'])('a command of another process applies soon: %s', async (state) => {
    expect(gwInThread(['supplier', 'state', 'bravo', state], env())).toMatchObject({ status: 0 });
    const since = performance.now();
    await Promise.all(
      clients.map((client) =>
        eventually(
          () => isCalled(client),
          (called) => called === (state === 'live'),
        ),
      ),
    );
    expect(performance.now() - since).toBeLessThan(WITHIN_MS);
    await wait(2_500);
  });
});
