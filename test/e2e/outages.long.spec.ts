import { rmSync } from 'node:fs';
import { Redis } from 'ioredis';
import pg from 'pg';
import { describeWith } from '../support/binaries.js';
import { create, driver, eventually, fresh, offerOf, QUICK, runSimulators, SECRET } from '../support/booking.js';
import { Client, type Offer } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { freshDatabase, hasSharedPostgres, type TestDatabase } from '../support/database.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const simulators = runSimulators();

/** The body of /health/ready. */
const readyOf = async (client: Client) =>
  JSON.parse((await client.get('/health/ready', { token: null })).text) as Readonly<Record<string, unknown>>;

(hasSharedPostgres ? describe : describe.skip)('a PostgreSQL that answers but cannot store (ruling 26)', () => {
  let database: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  let offer: Offer;
  beforeAll(async () => {
    database = await freshDatabase();
    const env = { ...simulators().env, DATABASE_URL: database.url, FORECOURT_SECRET: SECRET };
    gateway = await startGateway({ env, config: QUICK });
    client = await Client.of(gateway);
    offer = await offerOf(client, 'alpine');
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await database.dispose();
  });

  const book = (lastName: string, key?: string) =>
    create(client, { offer_id: offer.offer_id, driver: driver(lastName) }, key === undefined ? {} : { key });

  /** Runs `during` while another session holds a lock that no booking gets past. */
  async function locked<T>(during: () => Promise<T>): Promise<T> {
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('lock table idempotency_keys in access exclusive mode');
      return await during();
    } finally {
      await other.end();
    }
  }

  test('a booking on a full disk is a 503 that names it and sends nothing; readiness reports it; the same key books afterwards', async () => {
    const [lastName, key] = [fresh(), fresh('key')];
    // The error that PostgreSQL raises if it can't extend a file.
    await database.query(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$`);
    await database.query(
      'create trigger full_disk before insert on reservations for each row execute function full_disk()',
    );
    const answers = [await book(lastName), await book(lastName, key)];
    const parts = await readyOf(client);
    await database.query('drop trigger full_disk on reservations');
    expect(answers.map(({ status, reasons, headers }) => [status, reasons, headers['retry-after']])).toEqual(
      answers.map(() => [503, ['maintenance'], '30']),
    );
    expect(answers.map(({ errors, headers }) => [errors[0]?.cause, headers['idempotent-retry']])).toEqual([
      ['database_full', undefined],
      ['database_full', 'same-key'],
    ]);
    expect(answers[1]?.errors[0]?.details).toBe(
      "The database's disk is full. This request sent no booking to the supplier and can be repeated with the same Idempotency-Key. This is temporary and not caused by your request: try again in 30 s.",
    );
    expect(parts).toMatchObject({ state: 'ready', database: 'full', database_failed_at: expect.any(String) });
    expect(await simulators().bookings('alpine', lastName)).toEqual([]);
    expect((await book(lastName, key)).status).toBe(201);
    expect((await readyOf(client)).database).toBe('up');
  });

  test('a locked table and a pool without a free connection are named, and a statement that was given up is not executed later', async () => {
    const lastName = fresh();
    const key = fresh('key');
    const answers = await locked(() =>
      Promise.all(Array.from({ length: 14 }, (_, index) => book(lastName, `${key}-${index}`))),
    );
    const causes = answers.map(({ status, errors }) => `${status} ${errors[0]?.cause}`);
    expect([...new Set(causes)].sort()).toEqual(['503 database_locked', '503 database_overloaded']);
    expect(await simulators().bookings('alpine', lastName)).toEqual([]);
    expect(await database.query('select 1 from idempotency_keys where answer is null')).toEqual([]);
    const again = await book(lastName, `${key}-0`);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  test('a database that accepts only reads is named, and searches go on', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const reconnect = async (value: 'on' | 'off') => {
      const owner = new pg.Client({ connectionString: database.url });
      await owner.connect();
      await owner.query('set default_transaction_read_only = off');
      await owner.query(`alter database ${name} set default_transaction_read_only = ${value}`);
      const isOther = `datname = '${name}' and pid <> pg_backend_pid()`;
      await owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${isOther}`);
      await owner.end();
    };
    await reconnect('on');
    const answer = await eventually(
      () => book(fresh()),
      ({ errors }) => errors[0]?.cause !== 'database_unavailable',
    );
    const parts = await readyOf(client);
    const search = await client.get(vehiclesPath({ brand: 'Alpine' }));
    await reconnect('off');
    expect([answer.status, answer.errors[0]?.cause, answer.headers['retry-after']]).toEqual([
      503,
      'database_read_only',
      '10',
    ]);
    expect([parts.state, parts.database, search.status]).toEqual(['ready', 'read_only', 200]);
    await eventually(
      () => book(fresh()),
      ({ status }) => status === 201,
    );
  });
});

describeWith('redis-server')('a Redis that answers but cannot store (ruling 26)', () => {
  let redis: RedisServer;
  let admin: Redis;
  beforeAll(async () => {
    redis = await startRedis();
    admin = new Redis(redis.url);
  });
  afterAll(async () => {
    admin.disconnect();
    await redis.dispose();
  });
  const running = runGateway(() => ({ env: { REDIS_URL: redis.url }, config: { tiers: ROOMY } }));

  test.each<[string, string, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      'store_out_of_memory',
      '10',
      () => admin.config('SET', 'maxmemory', '1'),
      () => admin.config('SET', 'maxmemory', '0'),
    ],
    ['store_read_only', '10', () => admin.replicaof('127.0.0.1', 1), () => admin.replicaof('NO', 'ONE')],
    [
      'store_full',
      '30',
      async () => {
        const [, folder] = (await admin.config('GET', 'dir')) as [string, string];
        await admin.config('SET', 'save', '3600 1');
        rmSync(folder, { recursive: true });
        await admin.bgsave();
        await eventually(
          () => admin.info('persistence'),
          (info) => info.includes('rdb_last_bgsave_status:err'),
        );
      },
      () => admin.config('SET', 'save', ''),
    ],
  ])('is a 503 with cause %s, and the gateway is not ready', async (cause, retryAfter, begin, end) => {
    const { client } = running();
    await client.token();
    await begin();
    const answer = await client.get(locationsPath('boston'));
    const ready = await eventually(
      () => readyOf(client),
      // `down` until the store has said what is wrong.
      ({ state, store }) => state === 'not_ready' && store !== 'down',
    );
    await end();
    expect([answer.status, answer.reasons, answer.errors[0]?.cause, answer.headers['retry-after']]).toEqual([
      503,
      ['maintenance'],
      cause,
      retryAfter,
    ]);
    expect(answer.errors[0]?.details).toContain('check credentials');
    expect([ready.state, ready.store]).toEqual(['not_ready', cause.replace('store_', '')]);
    await eventually(
      () => client.get(locationsPath('boston')),
      ({ status }) => status === 200,
    );
  });
});
