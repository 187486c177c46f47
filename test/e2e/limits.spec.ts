import { EventEmitter, once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describeWith } from '../support/binaries.js';
import { create, driver, eventually, fresh, offerOf, on } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { configFolder } from '../support/config-folder.js';
import { type Cutter, startCutter } from '../support/cut-connection.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { holdRequest } from '../support/held-request.js';
import { monitorRedis, type RedisServer, startRedis } from '../support/redis.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { type DemoCredentials, type Gateway, startGateway } from '../support/start-gateway.js';

/** The tiers of applications that tests create. */
const SEVERAL = {
  perMinute: 600,
  burst: 200,
  concurrent: undefined,
  account: { perMinute: 600, burst: 300 },
  token: { perMinute: 1, burst: 3 },
};
const WIDE = { perMinute: 60_000, burst: 1_000, concurrent: undefined };

describeWith('redis-server', 'initdb')('limits over two gateways on one Redis and one PostgreSQL', () => {
  const CALLS = 'forecourt:sandbox:{acc_demo}:used:app_demo:calls';
  let redis: RedisServer;
  let observer: Redis;
  let postgres: TestDatabase;
  /** The way of both gateways to it. */
  let cutter: Cutter;
  let gateways: readonly Gateway[] = [];
  let a: Client;
  let b: Client;
  let token: string;
  const slowly = { headers: { 'x-sandbox-scenario': 'bravo=timeout' } };
  const search = locationsPath('boston');
  const config = configFolder({
    settings: {
      compat: { throttledMessage: 'standard' },
      reservations: { unresolvedPerAccount: 2, onRequestPerAccount: 1, firstCheckMs: 60_000 },
    },
    tiers: {
      demo: { ...WIDE, concurrent: 2 },
      demo_throttled: { ...WIDE, bookings: { perMinute: 1, burst: 8, perDay: 7 } },
      several: SEVERAL,
      daily: { ...WIDE, perDay: 4 },
      wide: WIDE,
      costs: { car_availability: 3 },
    },
  });
  const shared = (url: string) => ({
    REDIS_URL: redis.url,
    DATABASE_URL: url,
    CONFIG_DIR: config,
    FORECOURT_SECRET: 'a-secret-of-the-end-to-end-tests-0123456789',
  });

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), freshDatabase()]);
    [observer, cutter] = [new Redis(redis.url), await startCutter(postgres.url)];
    const start = () => startGateway({ env: shared(cutter.url) });
    gateways = await Promise.all([start(), start()]);
    [a, b] = (await Promise.all(gateways.map((gateway) => Client.of(gateway)))) as [Client, Client];
    token = await a.token();
  });
  afterAll(async () => {
    a.close();
    b.close();
    observer.disconnect();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    cutter.close();
    await Promise.all([redis.dispose(), postgres.dispose()]);
    rmSync(config, { recursive: true });
  });
  /** Fresh tokens of a new application of an account of its own. */
  const newApplication = (tier: 'several' | 'daily' | 'wide'): (() => Promise<string>) => {
    const { stdout, stderr } = gwInThread(['apps', 'create', tier, '--tier', tier], shared(postgres.url));
    if (stdout === '') throw new Error(stderr);
    const { client_id, client_secret } = JSON.parse(stdout) as DemoCredentials;
    // Each time from the other gateway.
    let issuer = b;
    return async () => {
      issuer = issuer === b ? a : b;
      const minted = await issuer.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
      return minted.body.access_token;
    };
  };

  describe('several limits (spec §8: user, application or token)', () => {
    let freshToken: () => Promise<string>;
    beforeAll(() => {
      freshToken = newApplication('several');
    });

    test('RateLimit-Policy lists all limits; the other headers show the one with the smallest remaining share', async () => {
      const answer = await a.get(search, { token: await freshToken() });
      expect(answer.headers).toMatchObject({
        'ratelimit-policy': '"account";q=300;w=30, "application";q=200;w=20, "token";q=3;w=180',
        ratelimit: '"token";r=2;t=60',
        'x-ratelimit-limit': '3',
        'x-ratelimit-remaining': '2',
        'x-ratelimit-reset': '60',
      });
    });

    claim(
      'API4',
      'Each token has its own limit: when it is exhausted, another token of the same application can still call.',
      async () => {
        const token = await freshToken();
        const statuses = [];
        for (let call = 0; call < 4; call += 1) statuses.push((await a.get('/cars/locations/v1/', { token })).status);
        expect(statuses).toEqual([400, 400, 400, 429]);
        expect((await a.get(search, { token: await freshToken() })).status).toBe(200);
      },
    );

    test("with compat.throttledMessage: standard, a 429 has HTTP's own message", async () => {
      const token = await freshToken();
      for (let call = 0; call < 3; call += 1) await a.get('/cars/locations/v1/', { token });
      const { status, errors } = await a.get('/cars/locations/v1/', { token });
      expect([status, errors[0]?.message]).toEqual([429, 'Too Many Requests']);
    });

    test('a call whose body takes long is charged once', async () => {
      const token = await freshToken();
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const held = holdRequest(a.gateway.baseUrl, '/cars/reservation/v1/', headers, '{}');
      await wait(300);
      expect((await held.finish()).status).toBe(400);
      expect((await a.get(search, { token })).headers['x-ratelimit-remaining']).toBe('1');
    });

    claim(
      'API4',
      'A call of a product with a cost counts that many times against the limit of the day, and calls beyond it get 429 until midnight UTC.',
      async () => {
        const token = await newApplication('daily')();
        const first = await a.get(vehiclesPath({ max_results: '1' }), { token });
        // On a busy machine, a supplier may be late: 206. The call is admitted and counted all the same.
        expect([200, 206]).toContain(first.status);
        expect(first.headers.ratelimit).toMatch(/^"application-day";r=1;t=\d+$/);
        expect(first.headers['ratelimit-policy']).toBe('"application";q=1000;w=1, "application-day";q=4;w=86400');
        const refused = await a.get(vehiclesPath({ max_results: '1' }), { token });
        const untilMidnight = 86_400 - ((Date.now() / 1_000) % 86_400);
        expect([refused.status, refused.reasons]).toEqual([429, ['throttled']]);
        expect(Math.abs(Number(refused.headers['retry-after']) - untilMidnight)).toBeLessThan(5);
        expect((await a.get(search, { token })).status).toBe(200);
        expect((await a.get(search, { token })).status).toBe(429);
      },
    );

    claim('API4', 'Gateways share their limits: a call at one leads to 429 at the other.', async () => {
      const own = await freshToken();
      for (const [client, status] of [
        [a, 200],
        [b, 200],
        [a, 200],
        [b, 429],
        [a, 429],
      ] as const)
        expect((await client.get(search, { token: own })).status).toBe(status);
    });
  });

  const underWay = () => observer.zcard(CALLS);
  const untilUnderWay = async (count: number) => {
    for (const end = Date.now() + 10_000; (await underWay()) !== count && Date.now() < end; ) await wait(10);
    expect(await underWay()).toBe(count);
  };

  test('one too many: 429 with Retry-After 1; a completed answer frees its slot', async () => {
    const slow = [a, b].map((client) => client.get(locationsPath('boston'), { token, ...slowly }));
    await untilUnderWay(2);
    const refused = await b.get(locationsPath('boston'), { token });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.headers).toMatchObject({
      'ratelimit-policy': '"application";q=1000;w=1, "application-concurrent";q=2;qu="concurrent-requests"',
      ratelimit: '"application-concurrent";r=0;t=1',
    });
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([206, 206]);
    await untilUnderWay(0);
    expect((await b.get(locationsPath('boston'), { token })).status).toBe(200);
  });

  claim(
    ['API4', 'V16.5.2'],
    'After Redis has stalled, the calls that got 503 free their slots within seconds, not after their lease.',
    async () => {
      await observer.client('PAUSE', 2_500, 'ALL');
      const failed = await Promise.all([a, b, a, b].map((client) => client.get(locationsPath('boston'), { token })));
      expect(failed.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
      await eventually(
        async () => (await b.get(locationsPath('boston'), { token })).status,
        (status) => status === 200,
        10_000,
      );
      await untilUnderWay(0);
    },
  );

  test('a rejected or invalid call leaves no slot taken', async () => {
    for (let call = 0; call < 5; call += 1) expect((await a.get('/cars/locations/v1/', { token })).status).toBe(400);
    await untilUnderWay(0);
  });

  claim('API4', 'A client that disconnects frees its slot of concurrent calls immediately.', async () => {
    const leaving = new AbortController();
    const url = `${gateways[0]?.baseUrl}${locationsPath('boston')}`;
    const call = fetch(url, {
      headers: { authorization: `Bearer ${token}`, ...slowly.headers },
      signal: leaving.signal,
    });
    await untilUnderWay(1);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await untilUnderWay(0);
  });

  /** Reservations that have entered a state at the first gateway. */
  const moved = (state: string) => async (): Promise<number> => {
    const text = (await gateways[0]?.metrics()) ?? '';
    return Number(
      new RegExp(`^forecourt_reservation_moves_total\\{[^}]*state="${state}"[^}]*\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
    );
  };

  test('a booking whose client has disconnected keeps its slot until the supplier has answered', async () => {
    const offer = await offerOf(a, 'alpine');
    const body = JSON.stringify({ offer_id: offer.offer_id, driver: driver(fresh()) });
    const leaving = new AbortController();
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-sandbox-scenario': 'alpine=slow(1500)',
    };
    const call = fetch(`${gateways[0]?.baseUrl}/cars/reservation/v1/`, {
      method: 'POST',
      headers,
      body,
      signal: leaving.signal,
    });
    await untilUnderWay(1);
    // Past the price check, which a disconnect aborts: from here on the booking is made.
    await eventually(moved('pending'), (count) => count === 1);
    leaving.abort();
    await expect(call).rejects.toThrow();
    expect(await underWay()).toBe(1);
    await eventually(moved('confirmed'), (count) => count === 1);
    await untilUnderWay(0);
  });

  test('a call rejected for the client_id beside its token frees its slot', async () => {
    for (let call = 0; call < 5; call += 1) {
      expect((await a.get(locationsPath('boston'), { token, headers: { client_id: 'nope' } })).status).toBe(401);
    }
    await untilUnderWay(0);
  });

  test('costs a second command, and only if a limit has `concurrent`', async () => {
    let commands: string[] = [];
    let measured = 0;
    const seen = new EventEmitter();
    const end = await monitorRedis(redis.port, ([name = '', ...args], source) => {
      if (name === 'echo') seen.emit(String(args[0]));
      // Others share breakers and check readiness.
      const isOfCaller = args.some((arg) => arg.includes('{acc_demo}'));
      if (source !== 'lua' && name !== 'zcard' && isOfCaller) commands.push(name.toLowerCase());
    });
    /** Resolves once the monitor has reported every command so far: it does so later than Redis answers. */
    const untilReported = async () => {
      measured += 1;
      const reported = once(seen, `measured ${measured}`);
      await observer.echo(`measured ${measured}`);
      await reported;
    };
    const commandsOfThreeCalls = async () => {
      await untilReported();
      commands = [];
      for (let call = 0; call < 3; call += 1) await a.get(locationsPath('boston'), { token });
      await untilUnderWay(0);
      await untilReported();
      return commands;
    };
    // A store that answered too late is asked again, which a busy machine can bring about: measure again then.
    const found = await eventually(commandsOfThreeCalls, ({ length }) => length === 6, 10_000);
    end();
    expect(found).toEqual(Array.from({ length: 6 }, () => 'evalsha'));
  });

  claim(
    'API4',
    'An account may have limited numbers of unresolved and undecided reservations at each supplier and may create and change reservations at the rate of its tier; replays and cancellations are free.',
    async () => {
      // Another account than that of the other tests.
      const [gateway] = gateways as [Gateway];
      const client = await Client.of({ ...gateway, credentials: () => gateway.credentials('demo-throttled') });
      const [alpine, bravo] = await Promise.all([offerOf(client, 'alpine'), offerOf(client, 'bravo')]);
      const book = (offer: typeof alpine, scenario?: string, key = fresh('key')) =>
        create(client, { offer_id: offer.offer_id, driver: driver('Sample') }, { key, ...(scenario && { scenario }) });
      const lost = () => book(alpine, 'alpine=lost_for_good');
      expect([(await lost()).status, (await lost()).status]).toEqual([202, 202]);
      const refused = await book(alpine);
      expect([refused.status, refused.headers['retry-after'], refused.headers['idempotent-retry']]).toEqual([
        429,
        '30',
        'same-key',
      ]);
      expect(refused.text).toContain('Too many reservations of the account at Alpine');
      const made = [];
      for (let i = 0; i < 4; i += 1) made.push(await book(bravo, undefined, `bravo-${Math.min(i, 2)}`));
      // The third and the fourth have one key.
      expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect((await book(bravo, 'bravo=on_request')).status).toBe(202);
      const undecided = await book(bravo);
      expect([undecided.status, undecided.headers['retry-after']]).toEqual([429, '300']);
      expect(undecided.text).toContain('Too many reservations of the account at Bravo Mobility are on request.');
      const beyond = await book(bravo);
      expect([beyond.status, beyond.headers['idempotent-retry']]).toEqual([429, 'same-key']);
      expect(beyond.text).toContain("The account's limit of new and changed reservations is exceeded.");
      const id = made[0]?.body.reservation?.reservation_id ?? '';
      const change = (remark: string) => on(client, 'PATCH', id, { remark });
      expect((await change('A seat for a child')).text).toContain('limit of new and changed reservations');
      expect((await on(client, 'DELETE', id)).status).toBe(204);
      client.close();
    },
  );

  describe('both gateways', () => {
    let wide: () => Promise<string>;
    beforeAll(() => {
      wide = newApplication('wide');
    });

    test.each([
      ['locations', locationsPath('BOS'), 200],
      ['availability', vehiclesPath(), 200],
      ['a partial answer', locationsPath('ZZT206B'), 206],
      ['no results', locationsPath('ZZT404'), 404],
      ['a failure of every supplier', locationsPath('ZZT500S'), 500],
      ['an invalid request', '/cars/locations/v1/', 400],
      ['an unknown path', '/cars/nothing', 404],
    ])('give the same answer: %s, with a token that either has issued', async (_case, path, status) => {
      const own = await wide();
      expect([(await a.get(path, { token: own })).status, (await b.get(path, { token: own })).status]).toEqual([
        status,
        status,
      ]);
    });

    test('give a counter the same location_id', async () => {
      const own = await wide();
      const ids = async (client: Client) =>
        (await client.get(locationsPath('JFK'), { token: own })).body.locations.map(({ location_id }) => location_id);
      expect(await ids(b)).toEqual(await ids(a));
    });

    claim(
      ['operation', 'V16.5.2'],
      'Without the database, search still works and token calls get 503; afterwards tokens are issued without a restart.',
      async () => {
        const { client_id, client_secret } = (gateways[0] as Gateway).credentials();
        const mint = () => a.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
        const own = await wide();
        cutter.lead('postgresql://127.0.0.1:1');
        expect((await a.get(locationsPath('BOS'), { token: own })).status).toBe(200);
        expect((await a.get(vehiclesPath(), { token: own })).status).toBe(200);
        const refused = await mint();
        expect([refused.status, refused.reasons]).toEqual([503, ['maintenance']]);
        expect(refused.headers['retry-after']).toMatch(/^\d+$/);
        cutter.lead(postgres.url);
        await eventually(mint, ({ status }) => status === 200);
      },
    );
  });

  test('a crashed gateway leaves a lease that expires after at most the longest budget and its margin; the other one serves', async () => {
    const lost = b.get(locationsPath('boston'), { token, ...slowly });
    await untilUnderWay(1);
    await Promise.all([expect(lost).rejects.toThrow(), gateways[1]?.child.stop('SIGKILL')]);
    expect(await underWay()).toBe(1);
    const leaseMs = await observer.pttl(CALLS);
    expect(leaseMs).toBeGreaterThan(20_000);
    expect(leaseMs).toBeLessThanOrEqual(45_000);
    expect((await a.get(vehiclesPath(), { token })).status).toBe(200);
  });
});
