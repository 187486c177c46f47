import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { gwInThread } from '../support/gw.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/** Without notices, gateways read the settings every five seconds. */
const WITHIN_MS = 2_500;

describeWith('redis-server', 'initdb')('what operators set, on two gateways with one Redis and one PostgreSQL', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  let gateways: readonly Gateway[] = [];
  const env = () => ({
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    FORECOURT_SECRET: 'a-secret-of-the-end-to-end-tests-0123456789',
  });

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    gateways = await Promise.all([startGateway({ env: env() }), startGateway({ env: env() })]);
    // By then, they no longer read often because of their own start.
    await wait(4_000);
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  /** When a gateway applied states last, by its log; -Infinity = never. */
  const appliedAt = ({ child }: Gateway): number => {
    const line = child
      .output()
      .split('\n')
      .findLast((one) => one.includes('supplier states set by operators applied'));
    return line === undefined ? Number.NEGATIVE_INFINITY : Date.parse(JSON.parse(line).time);
  };

  test.each(['off', 'drain', 'off', 'live'])('a command of another process applies soon: %s', async (state) => {
    const before = gateways.map(appliedAt);
    expect(gwInThread(['supplier', 'state', 'bravo', state], env())).toMatchObject({ status: 0 });
    const storedAt = Date.now();
    const all = () => Promise.resolve(gateways.map(appliedAt));
    const after = await eventually(all, (times) => times.every((time, index) => time > (before[index] ?? 0)));
    expect(Math.max(...after) - storedAt).toBeLessThan(WITHIN_MS);
    // By then, no gateway reads often because of this change.
    await wait(3_000);
  });
});
