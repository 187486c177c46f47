import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { ROOMY } from '../support/config-folder.js';
import { monitorRedis, type RedisServer, startRedis } from '../support/redis.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

describeWith('redis-server')('the store on Redis (ruling 26)', () => {
  let redis: RedisServer;
  let next: RedisServer;
  /** Where new connections lead; open ones stay where they are. */
  let port: number;
  const connections = new Set<Socket>();
  /** The name that leads to Redis. */
  const between = createServer({ noDelay: true }, (socket) => {
    const onward = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.pipe(onward).pipe(socket);
    // One that Redis refuses or cuts is cut.
    onward.on('error', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => onward.destroy());
    connections.add(socket.on('close', () => connections.delete(socket)));
  });
  beforeAll(async () => {
    [redis, next] = await Promise.all([startRedis(), startRedis()]);
    port = redis.port;
    between.listen(0, '127.0.0.1');
    await once(between, 'listening');
  });
  afterAll(async () => {
    for (const socket of connections) socket.destroy();
    between.close();
    await Promise.all([redis.dispose(), next.dispose()]);
  });
  const running = runGateway(() => ({
    env: { REDIS_URL: `redis://127.0.0.1:${(between.address() as AddressInfo).port}` },
    config: { tiers: ROOMY },
  }));

  test.each([locationsPath('boston'), vehiclesPath({ max_results: '1' })])(
    'exactly one Redis command for %s',
    async (path) => {
      const { client } = running();
      const token = await client.token();
      await client.get(path, { token });
      const observer = new Redis(redis.url);
      await observer.ping();
      const commands: string[] = [];
      const marked = new EventEmitter();
      const end = await monitorRedis(redis.port, ([name = '', ...args], source) => {
        if (name.toLowerCase() === 'echo') marked.emit('mark');
        // Breakers and notices of changes are shared, and readiness is checked, in the background.
        else if (source !== 'lua' && ![name, ...args].some((arg) => /:marks|ping_/.test(arg)))
          commands.push(name.toLowerCase());
      });
      for (let call = 0; call < 5; call += 1) expect((await client.get(path, { token })).status).toBe(200);
      // The mark is seen after everything that was sent before it.
      await Promise.all([once(marked, 'mark'), observer.echo('mark')]);
      end();
      observer.disconnect();
      expect(commands).toEqual(Array.from({ length: 5 }, () => 'evalsha'));
    },
  );

  claim('API2', 'Redis holds only the digest of a token.', async () => {
    const { client } = running();
    const token = await client.freshToken();
    const reader = new Redis(redis.url);
    const keys = await reader.keys('*');
    const values = await Promise.all(keys.map((key) => reader.dump(key)));
    reader.disconnect();
    const secret = /_([\w-]{43})(_[\w-]{6})?$/.exec(token)?.[1] ?? token;
    expect(keys.filter((key) => key.includes(secret))).toEqual([]);
    expect(values.filter((value) => value?.includes(secret))).toEqual([]);
  });

  claim(
    ['operation', 'V16.5.2', 'V16.5.3'],
    'While Redis is stopped, API and token calls get 503 with Retry-After; afterwards they are served without restarting the gateway.',
    async () => {
      const { client, gateway } = running();
      await client.token();
      const { client_id, client_secret } = gateway.credentials();
      const mint = () => client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
      await redis.stop();
      for (const answer of [await client.get(locationsPath('boston')), await mint()]) {
        expect([answer.status, answer.reasons]).toEqual([503, ['maintenance']]);
        expect(answer.headers['retry-after']).toMatch(/^\d+$/);
        // A command to Redis is given up after some hundred milliseconds.
        expect(answer.ms).toBeLessThan(1_500);
      }
      expect((await client.get('/health/ready', { token: null })).status).toBe(503);
      expect((await client.get('/health/live', { token: null })).status).toBe(200);
      await redis.start();
      const back = await eventually(mint, (answer) => answer.status === 200);
      const answer = await client.get(locationsPath('boston'), { token: back.body.access_token });
      expect(answer.status).toBe(200);
      // Readiness is checked in the background.
      await eventually(
        () => client.get('/health/ready', { token: null }),
        ({ status }) => status === 200,
      );
    },
  );

  test('a connection to a name is replaced within seconds if its other end is gone without a word', async () => {
    const { client } = running();
    const token = await client.freshToken();
    const call = async () => (await client.get(locationsPath('boston'), { token })).status;
    expect(await call()).toBe(200);
    // What the gateway sends is acknowledged and never answered; new connections work.
    for (const socket of connections) socket.unpipe().resume();
    expect(await call()).toBe(503);
    await eventually(call, (status) => status === 200, 8_000);
  });

  claim(
    ['operation', 'V16.5.2'],
    'If the Redis that a name leads to becomes a replica and keeps its connections, as in a failover of a hosted Redis, gateways go on with the one that the name leads to then.',
    async () => {
      const { client } = running();
      const call = (token: string) => client.get(locationsPath('boston'), { token });
      const known = await client.freshToken();
      const former = new Redis(redis.url);
      await former.replicaof('127.0.0.1', next.port);
      former.disconnect();
      const refused = await call(known);
      expect([refused.status, refused.errors[0]?.cause]).toEqual([503, 'store_read_only']);
      port = next.port;
      const mint = () => client.freshToken().catch(() => undefined);
      const token = await eventually(mint, (minted) => minted !== undefined, 5_000);
      await eventually(
        () => call(token ?? ''),
        ({ status }) => status === 200,
      );
    },
  );
});
