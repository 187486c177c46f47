import { randomBytes } from 'node:crypto';
import { describeWith } from '../support/binaries.js';
import { booked, create, driver, fresh, offerOf, on, QUICK, SECRET } from '../support/booking.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const NEXT = randomBytes(32).toString('base64url');
const LIST = `1:${randomBytes(32).toString('base64')}`;
const LISTS = { PERSONAL_DATA_KEYS: LIST, CLIENT_SECRET_KEYS: LIST };
/** The secrets of each step (docs/configuration.md#change-the-secret). */
const STEPS = {
  before: { FORECOURT_SECRET: SECRET },
  known: { FORECOURT_SECRET: SECRET, FORECOURT_OTHER_SECRET: NEXT },
  changed: { FORECOURT_SECRET: NEXT, FORECOURT_OTHER_SECRET: SECRET },
  after: { FORECOURT_SECRET: NEXT },
} as const;
type Step = keyof typeof STEPS;

interface Created {
  readonly client_id: string;
  readonly client_secret: string;
}

describeWith('redis-server', 'initdb')('gateways at different steps of a change of the secret', () => {
  const shared = sharedGateway();
  let redis: RedisServer;
  let postgres: TestDatabase;
  let made: Created;
  const gateways = new Map<Step, Gateway>();
  const clients = new Map<Step, Client>();
  const envOf = (step: Step) => ({
    ...shared().simulators.env,
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    SMTP_URL: 'smtp://127.0.0.1:9',
    ...LISTS,
    ...STEPS[step],
  });
  const at = (step: Step): Client => clients.get(step) as Client;

  async function start(step: Step): Promise<void> {
    const gateway = await startGateway({ env: envOf(step), config: QUICK });
    gateways.set(step, gateway);
    const client = await Client.of(gateway);
    clients.set(step, client);
    // Its demo application gets another secret as soon as a gateway with another one starts. Tokens stay valid.
    expect((await on(client, 'GET', 'res_unknown')).status).toBe(404);
  }

  async function stop(step: Step): Promise<string> {
    const gateway = gateways.get(step) as Gateway;
    gateways.delete(step);
    at(step).close();
    await gateway.stop();
    return gateway.child.output();
  }

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), freshDatabase()]);
    await start('before');
    await start('known');
    made = JSON.parse(gwInThread(['apps', 'create', 'Kept', '--tier', 'demo'], envOf('before')).stdout) as Created;
  }, 180_000);
  afterAll(async () => {
    await Promise.all([...gateways.keys()].map(stop));
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  const mint = async (step: Step) => {
    const { client_id, client_secret } = made;
    return (await at(step).get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } })).status;
  };

  /** What one gateway makes is known to the other. Returns the ids of reservations. */
  async function exchange(one: Step, other: Step): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const [key, body] = [
        fresh('key'),
        { offer_id: (await offerOf(at(from), 'alpine')).offer_id, driver: driver(fresh()) },
      ];
      const { reservation_id: id } = await booked(at(from), body, { key });
      const again = await create(at(to), body, { key });
      expect([from, to, again.status, again.headers['idempotent-replayed']]).toEqual([from, to, 201, 'true']);
      expect([from, to, (await on(at(to), 'GET', id)).status]).toEqual([from, to, 200]);
      const another = { offer_id: (await offerOf(at(from), 'alpine')).offer_id, driver: driver(fresh()) };
      ids.push(id, (await booked(at(to), another)).reservation_id);
      expect([from, await mint(from)]).toEqual([from, 200]);
    }
    return ids;
  }

  test('one step apart, they know ids, repeated bookings and client secrets of each other, and nothing is left of the previous secret at the end', async () => {
    const ids = [...(await exchange('before', 'known'))];
    await stop('before');
    await start('changed');
    ids.push(...(await exchange('known', 'changed')));
    await stop('known');

    const refused = gwInThread(['audit', 'verify'], envOf('after'));
    expect([refused.status, refused.stdout]).toEqual([1, expect.stringContaining('FORECOURT_OTHER_SECRET')]);
    const rotated = gwInThread(['keys', 'rotate'], envOf('changed'));
    expect([rotated.status, rotated.stdout]).toEqual([0, expect.stringMatching(/^1 client secrets from now on/m)]);
    expect(gwInThread(['keys', 'rotate'], envOf('changed')).stdout).toMatch(/^0 client secrets from now on/m);

    await start('after');
    ids.push(...(await exchange('changed', 'after')));
    const logged = [await stop('changed')];
    for (const id of ids) expect((await on(at('after'), 'GET', id)).status).toBe(200);
    expect(await mint('after')).toBe(200);
    const verified = gwInThread(['audit', 'verify'], envOf('after'));
    expect([verified.status, verified.stdout]).toEqual([0, expect.stringMatching(/^\d+ events agree/)]);
    gwInThread(['apps', 'create', 'Later', '--tier', 'demo'], envOf('after'));
    logged.push(await stop('after'));
    for (const log of logged) expect(log).not.toContain('it was altered');
    expect(logged[1]).toContain('audit log: checkpoint');
  }, 120_000);
});
