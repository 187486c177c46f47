import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/** What a start does itself is done by then. Reservations are read often for half a minute: what is measured is the most. */
const SETTLED_MS = 7_000;
const MEASURED_MS = 20_000;
const TEST_MS = 120_000;

async function statementsOf(gateway: Gateway): Promise<number> {
  return Number(/^forecourt_database_statements_total (\d+)$/m.exec(await gateway.metrics())?.[1]);
}

function megabytesOf({ child }: Gateway): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_000;
}

/** Statements per minute of an idle gateway, which is stopped afterwards. Its memory is only printed: it depends on when V8 returns what the start used. */
async function measured(name: string, started: Promise<Gateway>): Promise<number> {
  const gateway = await started;
  await wait(SETTLED_MS);
  const before = await statementsOf(gateway);
  await wait(MEASURED_MS);
  const perMinute = ((await statementsOf(gateway)) - before) * (60_000 / MEASURED_MS);
  console.log(`idle ${name}: ${perMinute.toFixed(0)} statements per minute, ${megabytesOf(gateway).toFixed(0)} MB`);
  await gateway.stop();
  return perMinute;
}

describeWith('redis-server', 'initdb')('idle gateways', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  });
  afterAll(() => Promise.all([redis.dispose(), postgres.dispose()]));

  // A single read every half second would be 120 per minute.
  test(
    'send few statements to the embedded database and to PostgreSQL',
    async () => {
      const env = {
        REDIS_URL: redis.url,
        DATABASE_URL: postgres.url,
        FORECOURT_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
      };
      const [embedded, shared] = await Promise.all([
        measured('embedded', startGateway({ embedded: true })),
        measured('on PostgreSQL and Redis', startGateway({ env })),
      ]);
      expect(embedded).toBeLessThan(80);
      expect(shared).toBeLessThan(110);
    },
    TEST_MS,
  );
});
