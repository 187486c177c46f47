import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/** How long a start has effects: reservations are read often for half a minute. */
const SETTLED_MS = 35_000;
const MEASURED_MS = 40_000;
const TEST_MS = 200_000;

async function statementsOf(gateway: Gateway): Promise<number> {
  return Number(/^forecourt_database_statements_total (\d+)$/m.exec(await gateway.metrics())?.[1]);
}

function megabytesOf({ child }: Gateway): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_000;
}

/** Statements per minute of an idle gateway. Its memory is only printed: it depends on when V8 returns what the start used. */
async function measured(gateway: Gateway): Promise<number> {
  await wait(SETTLED_MS);
  const before = await statementsOf(gateway);
  await wait(MEASURED_MS);
  const perMinute = ((await statementsOf(gateway)) - before) * (60_000 / MEASURED_MS);
  console.log(`idle: ${perMinute.toFixed(0)} statements per minute, ${megabytesOf(gateway).toFixed(0)} MB`);
  return perMinute;
}

// Measured: 35. A single read every half second would be 120.
test(
  'an idle gateway with the embedded database sends few statements',
  async () => {
    const gateway = await startGateway({ embedded: true });
    const perMinute = await measured(gateway);
    await gateway.stop();
    expect(perMinute).toBeLessThan(80);
  },
  TEST_MS,
);

describeWith('redis-server', 'initdb')('on Redis and PostgreSQL', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  });
  afterAll(() => Promise.all([redis.dispose(), postgres.dispose()]));

  test(
    'an idle gateway sends few statements',
    async () => {
      const env = {
        REDIS_URL: redis.url,
        DATABASE_URL: postgres.url,
        FORECOURT_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
      };
      const gateway = await startGateway({ env });
      const perMinute = await measured(gateway);
      await gateway.stop();
      expect(perMinute).toBeLessThan(110);
    },
    TEST_MS,
  );
});
