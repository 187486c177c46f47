import { request as httpRequest } from 'node:http';
import { describeWith } from '../support/binaries.js';
import { create, driver, eventually, offerOf } from '../support/booking.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { counted, recorded } from '../support/recorded.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const SECRET = 'a-secret-of-the-records-tests-0123456789';
/** Long enough for four simulators on a busy machine. */
const HANG_MS = 1_500;
const suppliers = Object.fromEntries(
  ['abg', 'alpine', 'bravo', 'dune'].map((id) => [
    id,
    { timeoutMs: { searchLocations: HANG_MS, searchVehicles: HANG_MS } },
  ]),
);
const config = { tiers: ROOMY, suppliers };

describeWith('redis-server', 'initdb')('records of requests', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  let gateways: Gateway[] = [];
  let clients: Client[] = [];
  const env = () => ({ REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET });

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    gateways = await Promise.all([startGateway({ env: env(), config }), startGateway({ env: env(), config })]);
    clients = await Promise.all(gateways.map((gateway) => Client.of(gateway)));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });
  const client = (): Client => {
    const [first] = clients;
    if (!first) throw new Error('no gateway runs');
    return first;
  };

  test('calls over two gateways add up exactly, by operation and status; calls without a live token count for no application', async () => {
    const [a, b] = clients as [Client, Client];
    const token = await a.token();
    const ways = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? a : b));
    const locations = await Promise.all(
      ways.map((way, index) =>
        way.get(locationsPath('BOS', { country_code: index % 4 === 0 ? 'QQQ' : 'US' }), { token }),
      ),
    );
    const vehicles = await Promise.all(
      ways.slice(0, 6).map((way) => way.get(vehiclesPath({ pickup_location: 'ZZT206F' }), { token })),
    );
    await a.get(locationsPath('BOS'), { token: null });
    await a.get('/no/such/path', { token });
    const expected: Record<string, number> = { 'getAccessToken 200': 1 };
    for (const { status } of locations)
      expected[`searchLocations ${status}`] = (expected[`searchLocations ${status}`] ?? 0) + 1;
    for (const { status } of vehicles)
      expected[`searchVehicles ${status}`] = (expected[`searchVehicles ${status}`] ?? 0) + 1;
    expect([expected['searchLocations 400'], expected['searchVehicles 206']]).toEqual([10, 6]);
    expect(await counted(postgres, 47)).toEqual(expected);
    const [row] = await postgres.query(
      `select sum(duration_ms)::int as ms from usage_counters where operation = 'searchVehicles'`,
    );
    expect(Number(row?.ms)).toBeGreaterThan(6);
  });

  test('calls to suppliers over two gateways add up exactly, by supplier and outcome; repeating a booking adds none', async () => {
    const [a, b] = clients as [Client, Client];
    await postgres.query('delete from supplier_usage');
    const scenario = { 'x-sandbox-scenario': 'alpine=empty; bravo=error(503)' };
    const ways = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? a : b));
    const searches = await Promise.all(ways.map((way) => way.get(vehiclesPath(), { headers: scenario })));
    expect(searches.map(({ status }) => status)).toEqual(ways.map(() => 206));
    const offer = await offerOf(a, 'dune');
    const options = { key: 'usage-booked-once' };
    const body = { offer_id: offer.offer_id, driver: driver('Usage') };
    for (const way of [a, b, a]) expect((await create(way, body, options)).status).toBe(201);
    const rows = () =>
      postgres.query(`select supplier_id || ' ' || operation || ' ' || cause as what, sum(calls)::int as calls, sum(offers)::int as offers,
        sum(cheapest)::int as cheapest, sum(compared)::int as compared, sum(changed)::int as changed from supplier_usage
        where supplier_id in ('alpine', 'bravo', 'dune') group by 1 order by 1`);
    const found = await eventually(rows, (some) => some.reduce((sum, { calls }) => sum + Number(calls), 0) >= 75);
    expect(Object.fromEntries(found.map(({ what, calls }) => [what, calls]))).toEqual({
      'alpine searchVehicles empty': 24,
      'bravo searchVehicles unavailable': 24,
      'dune book answered': 1,
      'dune priceCheck answered': 1,
      'dune searchVehicles answered': 25,
    });
    const of = (what: string) => found.find((row) => row.what === what);
    expect(Number(of('dune searchVehicles answered')?.offers)).toBeGreaterThan(25);
    expect(Number(of('dune searchVehicles answered')?.cheapest)).toBeGreaterThan(0);
    expect(of('dune priceCheck answered')).toMatchObject({ compared: 1, changed: 0 });
  });

  test('records a timed-out supplier with its deadline, the others with plausible instants, and the entry of the answer', async () => {
    const answer = await client().get(vehiclesPath({ brand: 'Alpine,Bravo,Dune' }), {
      headers: { 'x-sandbox-scenario': 'bravo=timeout; alpine=slow(200)', 'x-request-id': 'records-timeout' },
    });
    expect(answer.missing).toEqual(['500 bravo timeout']);
    const row = await recorded(postgres, 'records-timeout');
    const { calls, entries, scenario, admittedMs = -1, answeredMs = -1, version } = row.trace;
    expect([row.application_id, row.operation, row.status, version]).toEqual(['app_demo', 'searchVehicles', 206, 'v1']);
    expect(scenario).toBe('header: bravo=timeout; alpine=slow(200)');
    expect(entries).toEqual([{ reason: 'supplier_failure', supplier: 'bravo', cause: 'timeout' }]);
    const bravo = calls.find(({ supplier }) => supplier === 'bravo');
    expect(bravo).toMatchObject({
      outcome: 'failed',
      cause: 'timeout',
      timeoutMs: HANG_MS,
      operation: 'searchVehicles',
    });
    const [[asked = -1, sent, firstByte, ended] = []] = bravo?.exchanges ?? [];
    expect([typeof sent, firstByte, ended]).toEqual(['number', null, null]);
    expect((bravo?.endMs ?? 0) - (bravo?.startMs ?? 0)).toBeGreaterThanOrEqual(HANG_MS - 5);
    expect((bravo?.endMs ?? 0) - (bravo?.startMs ?? 0)).toBeLessThan(HANG_MS + 1_000);
    expect(asked).toBeGreaterThanOrEqual(admittedMs);
    const alpine = calls.find(({ supplier }) => supplier === 'alpine');
    expect(alpine).toMatchObject({ outcome: 'answered', items: expect.any(Number) });
    for (const call of calls.filter(({ outcome }) => outcome === 'answered')) {
      const instants = [
        0,
        admittedMs,
        call.startMs,
        ...(call.exchanges[0] ?? []),
        call.endMs,
        answeredMs,
        row.duration_ms + 1,
      ];
      expect(instants).toEqual([...instants].sort((one, two) => Number(one) - Number(two)));
    }
    const waited = Number(alpine?.exchanges[0]?.[2]) - Number(alpine?.exchanges[0]?.[1]);
    expect(waited).toBeGreaterThanOrEqual(195);
    expect(row.duration_ms).toBeGreaterThanOrEqual(HANG_MS - 5);
    // Each may get the processor later than the other.
    expect(answer.ms - row.duration_ms).toBeGreaterThan(-1_000);
    expect(answer.ms - row.duration_ms).toBeLessThan(1_000);
  });

  test('two equal concurrent searches make one call; the other request shows it as shared', async () => {
    const [a] = clients as [Client];
    const path = vehiclesPath({ brand: 'Alpine', pickup_location: 'JFK' });
    const ask = (id: string) =>
      a.get(path, { headers: { 'x-sandbox-scenario': 'alpine=slow(300)', 'x-request-id': id } });
    await a.token();
    await Promise.all([ask('records-shared-1'), ask('records-shared-2')]);
    const rows = await Promise.all(['records-shared-1', 'records-shared-2'].map((id) => recorded(postgres, id)));
    const calls = rows.flatMap(({ trace }) => trace.calls);
    expect(calls.map(({ shared = false }) => shared).sort()).toEqual([false, true]);
    expect(calls.every(({ outcome, endMs = 0 }) => outcome === 'answered' && endMs > 200)).toBe(true);
  });

  test('a disconnected caller is counted and recorded as 499, with its calls not completed', async () => {
    const token = await client().token();
    await new Promise<void>((resolve) => {
      const path = vehiclesPath({ brand: 'Bravo' });
      const headers = {
        authorization: `Bearer ${token}`,
        'x-sandbox-scenario': 'bravo=timeout',
        'x-request-id': 'records-left',
      };
      const request = httpRequest({ host: '127.0.0.1', port: gateways[0]?.port, path, headers });
      request.on('error', () => resolve());
      request.end();
      setTimeout(() => request.destroy(), 150);
    });
    const row = await recorded(postgres, 'records-left');
    expect([row.status, row.trace.calls.map(({ outcome }) => outcome)]).toEqual([499, ['open']]);
  });

  test('records the field names of a rejected request, but no name or value that only the caller knows', async () => {
    await client().get(vehiclesPath({ pickup_date: 'Quixotesample', Whispersample: '1' }), {
      headers: { 'x-request-id': 'records-refused' },
    });
    const row = await recorded(postgres, 'records-refused');
    expect(row.trace.entries).toEqual(
      expect.arrayContaining([{ reason: 'invalid_format', field: 'pickup_date' }, { reason: 'invalid_request' }]),
    );
    expect(JSON.stringify(row)).not.toMatch(/Quixote|Whisper/);
  });

  test('without the database the API answers as usual; afterwards the pending counts and records are written once', async () => {
    const before = await counted(postgres, 1);
    await postgres.stop();
    const token = await client().token();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        client().get(locationsPath('BOS', { country_code: 'US' }), {
          token,
          headers: { 'x-request-id': `records-away-${index}` },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    await eventually(
      () => Promise.resolve(gateways[0]?.child.output() ?? ''),
      (output) => output.includes('requests cannot be recorded at the moment'),
    );
    await postgres.start();
    await recorded(postgres, 'records-away-29');
    const sum = Object.values(before).reduce((total, calls) => total + calls, 0) + 30;
    const after = await counted(postgres, sum);
    expect(answered(after) - answered(before)).toBe(30);
    const [row] = await postgres.query(
      `select count(*)::int as kept from request_log where request_id like 'records-away-%'`,
    );
    expect(row?.kept).toBe(30);
  });

  test('SIGTERM doesn’t lose a counter or a recorded request', async () => {
    const gateway = await startGateway({ env: env(), config });
    const own = await Client.of(gateway);
    const before = await counted(postgres, 1);
    const token = await own.token();
    await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        own.get(locationsPath('BOS', { country_code: 'US' }), {
          token,
          headers: { 'x-request-id': `records-term-${index}` },
        }),
      ),
    );
    own.close();
    expect(await gateway.stop()).toBe(0);
    const [calls] = await postgres.query(
      `select sum(calls)::int as calls from usage_counters where operation = 'searchLocations' and status < 300`,
    );
    const [kept] = await postgres.query(
      `select count(*)::int as kept from request_log where request_id like 'records-term-%'`,
    );
    expect([Number(calls?.calls) - answered(before), kept?.kept]).toEqual([25, 25]);
  });
});

/** Location searches that were answered, fully or partially. */
function answered(counts: Record<string, number>): number {
  return (counts['searchLocations 200'] ?? 0) + (counts['searchLocations 206'] ?? 0);
}
