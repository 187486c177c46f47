import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { eventually, runSimulators } from '../support/booking.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { plainRequest } from '../support/plain-request.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { type Gateway, newDataFolder, spawnGateway, startGateway } from '../support/start-gateway.js';

const WORKERS = '2';

/** The processes that a gateway has started. */
const workersOf = ({ child }: Gateway): number[] =>
  readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** Values of the `worker` member in log lines. */
const workersInLog = ({ child }: Gateway): string[] => [
  ...new Set([...child.output().matchAll(/"worker":(\d).*"route":/g)].map(([, worker = '']) => worker)),
];

const firstSteps = ({ dataFolder }: Gateway): string => readFileSync(join(dataFolder, 'first-steps.json'), 'utf8');

const count = (text: string, part: string): number => text.split(part).length - 1;

describeWith('redis-server', 'initdb')('a gateway with two workers', () => {
  const simulators = runSimulators();
  let redis: RedisServer;
  let database: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  const env = () => ({ ...simulators().env, WORKERS, REDIS_URL: redis.url, DATABASE_URL: database.url });

  beforeAll(async () => {
    [redis, database] = await Promise.all([startRedis(), freshDatabase()]);
    gateway = await startGateway({ env: env() });
    client = await Client.of(gateway);
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await Promise.all([redis.dispose(), database.dispose()]);
  });

  /** A request on a connection of its own, which the kernel gives to any worker. */
  const search = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await plainRequest(`${gateway.baseUrl}${locationsPath('BOS')}`, headers)).status;
  };

  test('both answer on one port, and each log line names its worker', async () => {
    const token = await client.token();
    await eventually(
      async () => {
        expect(await search(token)).toBe(200);
        return workersInLog(gateway);
      },
      (workers) => workers.length === 2,
    );
    expect(count(gateway.child.output(), 'Forecourt is ready at')).toBe(1);
  });

  test('an application has one limit, whichever worker answers', async () => {
    const token = await client.token('demo-throttled');
    const statuses = await Promise.all(Array.from({ length: 8 }, () => search(token)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  test('/metrics adds up the requests of both', async () => {
    const token = await client.token();
    const total = async (): Promise<number> =>
      [...(await gateway.metrics()).matchAll(/^forecourt_request_seconds_count\{route="\/cars\/locations.*\} (\d+)$/gm)]
        .map(([, value]) => Number(value))
        .reduce((sum, value) => sum + value, 0);
    const before = await total();
    for (let call = 0; call < 20; call += 1) await search(token);
    expect(await total()).toBe(before + 20);
  });

  test('a worker that is killed is started again while the other answers', async () => {
    const token = await client.token();
    const [victim = 0, survivor = 0] = workersOf(gateway);
    process.kill(victim, 'SIGKILL');
    await gateway.child.printed('a worker exited and will be started again');
    expect(await search(token)).toBe(200);
    const running = await eventually(
      async () => workersOf(gateway),
      (workers) => workers.length === 2,
    );
    expect(running).toContain(survivor);
    expect(running).not.toContain(victim);
  });

  test('a scrape that reaches a worker that was just killed is answered, and the gateway goes on', async () => {
    await eventually(
      async () => workersOf(gateway),
      (workers) => workers.length === 2,
    );
    const token = await client.token();
    const [victim = 0] = workersOf(gateway);
    const port = Number(/"metrics": "http:\/\/127\.0\.0\.1:(\d+)/.exec(firstSteps(gateway))?.[1]);
    // The scrapes wait at a primary process that is busy for longer than the worker takes to die.
    gateway.child.process.kill('SIGSTOP');
    const scrapes = Array.from({ length: 20 }, () => plainRequest(`http://127.0.0.1:${port}/metrics`, {}));
    await wait(100);
    process.kill(victim, 'SIGKILL');
    await wait(200);
    gateway.child.process.kill('SIGCONT');
    for (const { status } of await Promise.all(scrapes)) expect([200, 503]).toContain(status);
    // The worker that was killed before may not serve yet.
    await eventually(
      () => search(token).catch(() => 0),
      (status) => status === 200,
    );
  });

  test('SIGTERM lets both finish what is in progress, and the gateway exits with 0', async () => {
    const other = await startGateway({ env: env() });
    const caller = await Client.of(other);
    const token = await caller.token();
    const headers = {
      authorization: `Bearer ${token}`,
      'x-sandbox-scenario': 'alpine=slow(2000); *=ok',
    };
    const running = Array.from({ length: 12 }, () => plainRequest(`${other.baseUrl}${vehiclesPath()}`, headers));
    const inProgress = async (): Promise<number> =>
      [...(await other.metrics()).matchAll(/^forecourt_admission_(?:running|waiting) (\d+)$/gm)]
        .map(([, value]) => Number(value))
        .reduce((sum, value) => sum + value, 0);
    await eventually(inProgress, (requests) => requests === 12);
    const stopped = other.stop();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await stopped).toBe(0);
    caller.close();
    await expect(fetch(`${other.baseUrl}/health/live`)).rejects.toThrow();
  });

  test('a configuration that workers cannot share is refused once, with what to set', async () => {
    const child = spawnGateway({ WORKERS, DATA_DIR: await newDataFolder(false) });
    expect(await child.exited).toBe(1);
    for (const setting of ['REDIS_URL', 'DATABASE_URL', 'SIMULATORS_EMBEDDED=false'])
      expect(count(child.output(), `set ${setting}`)).toBe(1);
  });

  test('workers that cannot start end the start of all, with one message', async () => {
    const child = spawnGateway({
      ...env(),
      DATABASE_URL: 'postgresql://forecourt@127.0.0.1:1/none',
      DATA_DIR: await newDataFolder(false),
    });
    expect(await child.exited).toBe(1);
    expect(count(child.output(), 'Forecourt cannot start')).toBe(1);
    expect(child.output()).toContain('ECONNREFUSED');
  });
});
