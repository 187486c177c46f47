import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { type FakeSupplier, hang, replyOta, startFakeSupplier } from '../support/fake-supplier.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { vehiclesPath } from '../support/rental.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/** A busy machine can delay a gateway by more than what is promised: what is shared in one of several rounds is shared. */
const MOST_OPENINGS = 5;
const SHARED_WITHIN_MS = 2_000;

describeWith('redis-server')('two gateways on one Redis', () => {
  const EMPTY = replyOta('OTA_VehAvailRateRS', '<Success/>');
  let redis: RedisServer;
  let supplier: FakeSupplier;
  let gateways: readonly Gateway[] = [];
  let a: Client;
  let b: Client;

  beforeAll(async () => {
    [redis, supplier] = await Promise.all([startRedis(), startFakeSupplier()]);
    const uno = {
      ...{ name: 'Uno', adapter: 'ota-xml', url: supplier.url, brands: ['Uno'], timeoutMs: { searchVehicles: 200 } },
      resilience: { breaker: { minCalls: 5, openMs: 4_000, probes: 1 } },
    };
    const options = {
      env: { REDIS_URL: redis.url, FORECOURT_SECRET: 'a-secret-of-the-end-to-end-tests-0123456789' },
      config: { tiers: ROOMY, onlyTheseSuppliers: true, suppliers: { uno } },
    };
    gateways = await Promise.all([startGateway(options), startGateway(options)]);
    [a, b] = (await Promise.all(gateways.map((gateway) => Client.of(gateway)))) as [Client, Client];
  });
  afterAll(async () => {
    a.close();
    b.close();
    await Promise.all([...gateways.map((gateway) => gateway.stop()), supplier.close()]);
    await redis.dispose();
  });

  const ask = async (client: Client) => (await client.get(vehiclesPath())).missing.join();
  /** How long it took until the answer was the wanted one; at most about `mostMs`. */
  const untilSays = async (client: Client, wanted: string, mostMs = 15_000): Promise<number> => {
    const startedAt = performance.now();
    while ((await ask(client)) !== wanted && performance.now() - startedAt < mostMs)
      await new Promise((resolve) => setTimeout(resolve, 20));
    return performance.now() - startedAt;
  };

  /** Opens the breaker of A, from which on the supplier answers again; returns the last of the `count` log lines of that. */
  const openedByA = async (count: number): Promise<string> => {
    supplier.behave(hang);
    for (let call = 0; call < 5; call += 1) await ask(a);
    expect(await ask(a)).toBe('500 uno circuit_open');
    supplier.behave(EMPTY);
    const told = async () =>
      (gateways[0]?.child.output() ?? '').split('\n').filter((line) => line.includes('"open","reason":"failures"'));
    return (await eventually(told, ({ length }) => length === count)).at(-1) ?? '';
  };

  test('a breaker that opens on one gateway is open on the other within two seconds, without a failing call there', async () => {
    supplier.behave(EMPTY);
    await Promise.all([ask(a), ask(b)]);
    let ms = Number.POSITIVE_INFINITY;
    for (let opened = 1; opened <= MOST_OPENINGS && ms >= SHARED_WITHIN_MS; opened += 1) {
      if (opened > 1) await Promise.all([untilSays(a, '404'), untilSays(b, '404')]);
      const opening = await openedByA(opened);
      // A gateway that is late keeps an opening to itself, and says so: nothing is known of sharing then.
      if (!opening.includes('"lagging":true')) ms = await untilSays(b, '500 uno circuit_open', SHARED_WITHIN_MS);
    }
    console.log(`the other gateway knew after ${Math.round(ms)} ms`);
    expect(ms).toBeLessThan(SHARED_WITHIN_MS);
  });

  test('each closes its breaker by its own probe, and neither opens again', async () => {
    await Promise.all([untilSays(a, '404'), untilSays(b, '404')]);
    for (let call = 0; call < 10; call += 1) {
      expect([await ask(a), await ask(b)]).toEqual(['404', '404']);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  });

  test('while Redis is unavailable, each relies on its own observations and says so once', async () => {
    await redis.stop();
    const told = () => gateways.map((gateway) => gateway.child.output().split('breakers are not shared').length - 1);
    const startedAt = performance.now();
    while (told().some((lines) => lines === 0) && performance.now() - startedAt < 10_000)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(told()).toEqual([1, 1]);
    await redis.start();
  });
});
