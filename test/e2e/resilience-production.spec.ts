import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type FakeSupplier, reply, replyOta, startFakeSupplier } from '../support/fake-supplier.js';
import { gwInThread } from '../support/gw.js';
import { recorded } from '../support/recorded.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { vehiclesPath } from '../support/rental.js';
import { FORECOURT_SECRET, signIn } from '../support/session.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const DOWN = reply('', 'text/plain', '503 Busy');
const EMPTY = replyOta('OTA_VehAvailRateRS', '<Success/>');

describeWith('redis-server', 'initdb')('a production gateway', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let supplier: FakeSupplier;
  let gateway: Gateway;
  let client: Client;
  let token: string;
  let account: string;

  beforeAll(async () => {
    [redis, postgres, supplier] = await Promise.all([startRedis(), freshDatabase(), startFakeSupplier()]);
    const port = new URL(supplier.url).port;
    const at = (name: string, url: string, more: object = {}) => ({
      name,
      adapter: 'ota-xml',
      url,
      brands: [name],
      ...more,
    });
    const env = {
      REDIS_URL: redis.url,
      DATABASE_URL: postgres.url,
      FORECOURT_ENV: 'production',
      FORECOURT_SECRET,
    };
    gateway = await startGateway({
      env,
      config: {
        tiers: ROOMY,
        onlyTheseSuppliers: true,
        suppliers: {
          loopback: at('Loopback', `http://127.0.0.1:${port}`),
          named: at('Named', `http://localhost:${port}`),
          mapped: at('Mapped', `http://[::ffff:127.0.0.1]:${port}`),
          secured: at('Secured', `https://127.0.0.1:${port}`),
          played: at('Played', supplier.url, { simulator: { dialect: 'ota' } }),
          metadata: at('Metadata', 'https://169.254.169.254'),
          permitted: at('Permitted', supplier.url, { allowPrivateNetwork: true }),
          sick: at('Sick', supplier.url, {
            allowPrivateNetwork: true,
            resilience: { breaker: { minCalls: 2, openMs: 60_000 }, retry: { share: 0 } },
          }),
        },
      },
    });
    const { status, stdout, stderr } = gwInThread(['apps', 'create', 'Live'], env);
    if (status !== 0) throw new Error(stderr);
    const { account_id, client_id, client_secret } = JSON.parse(stdout) as Record<string, string>;
    account = account_id ?? '';
    client = await Client.of(gateway);
    const headers = { client_id: client_id ?? '', client_secret: client_secret ?? '' };
    token = (await client.get('/oauth/token/v1', { token: null, headers })).body.access_token;
  }, 90_000);
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose(), supplier.close()]);
  });
  const ask = (brand: string, id: string) =>
    client.get(vehiclesPath({ brand }), { token, headers: { 'x-request-id': id } });

  claim.each(['Loopback', 'Named', 'Mapped', 'Secured', 'Played', 'Metadata'])(
    'API7',
    'The gateway does not connect to a supplier in a private network, whatever its URL resolves to, and writes the reason only to its log.',
    '%s',
    async (brand) => {
      supplier.behave(EMPTY);
      const answer = await ask(brand, `guarded-${brand}`);
      expect([answer.status, answer.missing]).toEqual([500, [`500 ${brand.toLowerCase()} unavailable`]]);
      expect(answer.text).not.toMatch(/private|127\.0\.0\.1|localhost|169\.254/);
      const line = () =>
        gateway.child
          .output()
          .split('\n')
          .find((text) => text.includes(`"supplier":"${brand.toLowerCase()}"`));
      expect(
        await eventually(
          async () => line() ?? '',
          (text) => text !== '',
        ),
      ).toMatch(/is in a private network; set allowPrivateNetwork to permit it/);
      expect(supplier.requests()).toBe(0);
    },
  );

  test("connects to a private address that the supplier's file permits", async () => {
    supplier.behave(EMPTY);
    expect((await ask('Permitted', 'permitted-well')).missing).toEqual(['404']);
    expect(supplier.requests()).toBe(1);
  });

  test('a call prevented by an open breaker appears so in answer, record and explanation: no HTTP call, no time, the next step', async () => {
    supplier.behave(DOWN);
    const before = supplier.requests();
    for (const id of ['down-one-1', 'down-two-2'])
      expect((await ask('Sick', id)).missing).toEqual(['500 sick unavailable']);
    const answer = await ask('Sick', 'spared-by-breaker');
    expect([answer.missing, supplier.requests() - before]).toEqual([['500 sick circuit_open'], 2]);
    expect(answer.errors[0]?.details).toBe(
      'Sick failed to fulfill the request: it is temporarily not called because it failed repeatedly.',
    );
    const { trace } = await recorded(postgres, 'spared-by-breaker');
    expect(trace.entries).toEqual([{ reason: 'supplier_failure', supplier: 'sick', cause: 'circuit_open' }]);
    expect(trace.calls).toMatchObject([{ supplier: 'sick', outcome: 'failed', cause: 'circuit_open', exchanges: [] }]);
    const [call] = trace.calls;
    expect((call?.endMs ?? Number.NaN) - (call?.startMs ?? 0)).toBeLessThan(50);
    const cookie = await signIn(postgres, redis.url, account, 'production');
    const page = await fetch(`${gateway.baseUrl}/logs/spared-by-breaker`, { headers: { cookie } });
    const text = (await page.text()).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('Sick was not called, after repeated failures.');
    expect(text).toContain('Retry in a minute.');
  });
});
