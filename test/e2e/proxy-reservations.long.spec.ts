import { describeWith } from '../support/binaries.js';
import {
  create,
  driver,
  eventually,
  fresh,
  offerOf,
  reservationOf,
  type Simulators,
  settled,
  startSimulators,
} from '../support/booking.js';
import { Client, type HttpAnswer } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { answerOk, callOnce, fakeGateways, NOBODY_KNOWS, summaryOf } from '../support/fake-gateways.js';
import { type RunningProxy, startHaproxy, startNginx } from '../support/proxies.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const PATH = '/cars/reservation/v1/';
const PROXIES = [
  ['nginx', startNginx],
  ['HAProxy', startHaproxy],
] as const;
/** What both proxies answer to a booking that takes its entire budget of 20 s. */
async function answersAfterBudget(): Promise<readonly string[]> {
  const gateways = await fakeGateways((socket) => setTimeout(answerOk, 20_500, socket));
  const proxies = await Promise.all(PROXIES.map(([, startProxy]) => startProxy(gateways.ports)));
  const answers = await Promise.all(proxies.map(({ port }) => callOnce(port, 'POST', PATH)));
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await gateways.close();
  return answers;
}

let sentOnce: Promise<readonly string[]> | undefined;
/** The same answers for all that ask: the other tests run while the bookings wait. */
function longBookings(): Promise<readonly string[]> {
  sentOnce ??= answersAfterBudget();
  return sentOnce;
}

describeWith('nginx', 'haproxy')('reservations through the shipped proxies', () => {
  beforeAll(() => {
    // The last test of this file asks for them.
    longBookings().catch(() => undefined);
  });

  describe.each(PROXIES)('%s', (_name, startProxy) => {
    /**
     * Sends one request to gateways that crash on it; returns what the caller sees and how many gateways saw the
     * request.
     */
    const sendToDying = async (method: string): Promise<readonly [outcome: string, received: number]> => {
      let received = 0;
      const gateways = await fakeGateways((socket) => {
        received += 1;
        socket.destroy();
      });
      const proxy = await startProxy(gateways.ports);
      const outcome = await callOnce(proxy.port, method, `${PATH}res_1`);
      await proxy.stop();
      await gateways.close();
      return [outcome, received];
    };

    test.concurrent.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
      'a %s that crashes a gateway is not sent to another one',
      async (method) => {
        expect(await sendToDying(method)).toEqual([expect.stringMatching(NOBODY_KNOWS), 1]);
      },
    );

    test.concurrent('a GET that crashes a gateway is sent to another one', async () => {
      const [, received] = await sendToDying('GET');
      expect(received).toBeGreaterThan(1);
    });
  });
});

describeWith(
  'nginx',
  'haproxy',
  'redis-server',
  'initdb',
)('a gateway killed in the middle of bookings behind a proxy', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let simulators: Simulators;

  beforeAll(async () => {
    [redis, postgres, simulators] = await Promise.all([startRedis(), freshDatabase(), startSimulators()]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([redis.dispose(), postgres.dispose(), simulators.stop()]);
  });

  const startOne = (): Promise<Gateway> =>
    startGateway({
      env: {
        ...simulators.env,
        REDIS_URL: redis.url,
        DATABASE_URL: postgres.url,
        FORECOURT_SECRET: 'the-same-secret-for-both-gateways-00',
      },
      // A gateway that crashed during a booking is noticed 5 s after the deadline of its call.
      config: {
        settings: { reservations: { checkEveryMs: 100 } },
        suppliers: { alpine: { timeoutMs: { book: 3_500 } } },
      },
    });

  describe.each(PROXIES)('%s', (_name, startProxy) => {
    let gateways: [Gateway, Gateway];
    let proxy: RunningProxy;
    let client: Client;

    beforeAll(async () => {
      gateways = await Promise.all([startOne(), startOne()]);
      proxy = await startProxy(gateways);
      client = await Client.of({ ...gateways[0], port: proxy.port, baseUrl: `http://127.0.0.1:${proxy.port}` });
    }, 60_000);
    afterAll(async () => {
      client.close();
      await proxy.stop();
      await Promise.all(gateways.map((gateway) => gateway.stop()));
    }, 60_000);

    const book = (body: object, key: string | undefined): Promise<HttpAnswer> =>
      create(client, body, { scenario: 'alpine=slow(2000)', ...(key === undefined ? {} : { key }) });
    const outcomeOf = (call: Promise<HttpAnswer>): Promise<string> =>
      call.then(
        ({ status, text }) => summaryOf(status, text),
        (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? 'closed' : Promise.reject(error)),
      );
    /** Booking calls that have ever reached the supplier: only they follow the scenario. */
    const received = async (): Promise<number> => (await simulators.stats('alpine')).byVerb.slow ?? 0;

    test('the proxy repeats no booking; repeating it with the same Idempotency-Key returns the one booking', async () => {
      const lastName = fresh();
      const body = { offer_id: (await offerOf(client, 'alpine')).offer_id, driver: driver(lastName) };
      const before = await received();
      // Alternating between both gateways: each gets one with a key and one without.
      const keys = [fresh('trip'), fresh('trip'), undefined, undefined];
      const calls: Promise<string>[] = [];
      for (const key of keys) {
        calls.push(outcomeOf(book(body, key)));
        await eventually(received, (count) => count === before + calls.length);
      }
      await gateways[1].child.stop('SIGKILL');
      const outcomes = await Promise.all(calls);
      const lost = outcomes.flatMap((outcome, index) => (NOBODY_KNOWS.test(outcome) ? [index] : []));
      expect(outcomes.filter((outcome) => outcome === '201')).toHaveLength(2);
      expect(lost.map((index) => keys[index] === undefined)).toEqual([false, true]);

      // A supplier that has received a call carries it out, even if the gateway is gone.
      const made = () => simulators.bookings('alpine', lastName);
      const references = (await eventually(made, ({ length }) => length >= 4)).map(({ reference }) => reference);
      expect([references.length, new Set(references).size]).toEqual([4, 4]);

      const repeated = await book(body, keys[lost[0] ?? -1]);
      expect(repeated.headers['idempotent-replayed']).toBe('true');
      // 202 if no supplier has been called yet: then the reservation shows the outcome.
      expect([201, 202]).toContain(repeated.status);
      const { reservation_id, confirmation_number } = await settled(client, reservationOf(repeated).reservation_id, [
        'confirmed',
      ]);
      const mine = await simulators.bookings('alpine', reservation_id);
      expect(mine.map(({ confirmation }) => confirmation)).toEqual([confirmation_number]);
      expect(await made()).toHaveLength(4);
    }, 60_000);
  });
});

describeWith('nginx', 'haproxy')('the shipped proxies', () => {
  test('both wait for a booking that takes its entire budget of 20 s', async () => {
    expect(await longBookings()).toEqual(['200', '200']);
  }, 40_000);
});
