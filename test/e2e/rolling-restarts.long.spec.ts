import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { SECRET } from '../support/booking.js';
import { freePort } from '../support/child.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type RunningProxy, startHaproxy, startNginx } from '../support/proxies.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { type Gateway, newDataFolder, startGateway } from '../support/start-gateway.js';

/** `npm run proof:restarts` makes them longer. */
const ROUNDS = Number(process.env.RESTART_ROUNDS ?? 1);
const READER_SECONDS = Number(process.env.RESTART_READER_SECONDS ?? 8);
/** Between two restarts, after the gateway is ready: gaps of half a second, and of more. */
const GAPS_MS = [500, 1_500, 700, 3_000].slice(0, ROUNDS);
const CALLERS = 4;
const CALL_EVERY_MS = 40;
/** Calls through a proxy in one test; fewer would show little. */
const LEAST_CALLS = 50;
/** For one test: a start takes seconds, and a machine may be busy. */
const TEST_MS = 120_000 + ROUNDS * 60_000;

/** A gateway that is restarted on the same port, as by a supervisor. */
interface Restarted {
  readonly port: number;
  running: Gateway;
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

describeWith(
  'nginx',
  'haproxy',
  'redis-server',
  'initdb',
)('rolling restarts of two gateways', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  let gateways: readonly [Restarted, Restarted];

  /** A start that fails is tried again, because a supervisor would. */
  async function restartable(): Promise<Restarted> {
    const port = await freePort();
    const dataFolder = await newDataFolder(false);
    const start = async (): Promise<Gateway> => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await startGateway({
            dataFolder,
            env: {
              PORT: String(port),
              DRAIN_MS: '500',
              REDIS_URL: redis.url,
              DATABASE_URL: postgres.url,
              FORECOURT_SECRET: SECRET,
              TRUSTED_PROXIES: '127.0.0.1',
            },
            config: { tiers: ROOMY },
          });
        } catch (error) {
          if (attempt === 5) throw error;
        }
      }
    };
    const own: Restarted = {
      port,
      running: await start(),
      restart: async () => {
        await own.running.stop();
        own.running = await start();
      },
      dispose: async () => {
        await own.running.stop();
        rmSync(dataFolder, { recursive: true, force: true });
      },
    };
    return own;
  }

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    gateways = await Promise.all([restartable(), restartable()]);
  }, 120_000);
  afterAll(async () => {
    postgres.resume();
    await Promise.all(gateways.map((gateway) => gateway.dispose()));
    await Promise.all([redis.dispose(), postgres.dispose()]);
  }, 60_000);

  describe('behind nginx and HAProxy', () => {
    let proxies: readonly RunningProxy[] = [];
    let clients: readonly { readonly name: string; readonly client: Client }[] = [];

    beforeAll(async () => {
      proxies = await Promise.all([startNginx(gateways), startHaproxy(gateways)]);
      clients = await Promise.all(
        proxies.map(async ({ port }, index) => ({
          name: index === 0 ? 'nginx' : 'HAProxy',
          client: await Client.of({ ...gateways[0].running, port, baseUrl: `http://127.0.0.1:${port}` }),
        })),
      );
    }, 60_000);
    afterAll(async () => {
      for (const { client } of clients) client.close();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    });

    /**
     * Calls through each proxy while `work` runs. Returns `proxy: outcome` of those that are neither 200 nor 206, because a
     * supplier may be late on a busy machine, and prints how many there were.
     */
    async function failuresDuring(what: string, work: () => Promise<void>): Promise<string[]> {
      for (const { client } of clients) await client.token();
      const ended = new AbortController();
      const through = async ({ name, client }: (typeof clients)[number]): Promise<string[]> => {
        const token = await client.token();
        const paths = [locationsPath('BOS'), vehiclesPath()];
        const outcomes: string[] = [];
        const call = async (): Promise<void> => {
          while (!ended.signal.aborted) {
            const path = paths[outcomes.length % paths.length] ?? '';
            outcomes.push(
              await client.get(path, { token }).then(
                ({ status, text }) =>
                  status === 200 || status === 206 ? 'answered' : `${status} ${text.slice(0, 200)}`,
                (error: NodeJS.ErrnoException) => error.code ?? error.message,
              ),
            );
            await wait(CALL_EVERY_MS);
          }
        };
        await Promise.all(Array.from({ length: CALLERS }, call));
        const failures = outcomes.filter((outcome) => outcome !== 'answered');
        process.stderr.write(`${name}, ${what}: ${failures.length} of ${outcomes.length} requests failed\n`);
        expect(outcomes.length).toBeGreaterThan(LEAST_CALLS);
        return failures.map((outcome) => `${name}: ${outcome}`);
      };
      const failures = Promise.all(clients.map(through));
      await work().finally(() => ended.abort());
      return (await failures).flat();
    }

    test(
      'no call fails while each is restarted twice, half a second or more after the other',
      async () => {
        const failures = await failuresDuring(`restarts ${GAPS_MS.join(', ')} ms apart`, async () => {
          for (const gapMs of GAPS_MS) {
            for (const gateway of [...gateways, ...gateways]) {
              await gateway.restart();
              await wait(gapMs);
            }
          }
        });
        expect(failures).toEqual([]);
      },
      TEST_MS,
    );

    test(
      'no search fails while one is restarted and PostgreSQL is paused',
      async () => {
        const failures = await failuresDuring('PostgreSQL paused', async () => {
          postgres.pause();
          const resumed = wait(4_000).then(() => postgres.resume());
          await gateways[0].restart();
          await resumed;
        });
        expect(failures).toEqual([]);
      },
      TEST_MS,
    );

    test(
      'no call fails while each is restarted and a reader holds locks on the tables',
      async () => {
        const reader = postgres.query(
          `with held as (select (select count(*) from reservations), (select count(*) from applications), (select count(*) from accounts)) select pg_sleep(${READER_SECONDS}) from held`,
        );
        const failures = await failuresDuring(`reader of ${READER_SECONDS} s`, async () => {
          for (const gateway of gateways) {
            await gateway.restart();
            await wait(500);
          }
        });
        await reader;
        expect(failures).toEqual([]);
      },
      TEST_MS,
    );
  });
});
