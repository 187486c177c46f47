import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { portalPerson } from '../support/portal-account.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { FORECOURT_SECRET } from '../support/session.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

describeWith('redis-server', 'initdb')('a supplier in canary that fails', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let demo: Client;
  const env = () => ({ REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET });

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), freshDatabase()]);
    // Nothing listens on this port.
    gateway = await startGateway({
      env: { ...env(), SUPPLIER_DUNE_URL: 'http://127.0.0.1:9' },
      config: { tiers: ROOMY },
    });
    demo = await Client.of(gateway);
  });
  afterAll(async () => {
    demo.close();
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  /** A token of an application of another account. */
  async function otherToken(): Promise<string> {
    const ada = await portalPerson({ postgres, redis });
    const { text } = await ada.post(gateway.baseUrl, '/applications', { name: 'Shop', description: 'Sells cars.' });
    const id = /href="\/applications\/(app_[^"#]+)"/.exec(text)?.[1] ?? '';
    await ada.post(gateway.baseUrl, `/applications/${id}/subscriptions/car_availability`);
    const headers = {
      client_id: /id="client-id">([^<]+)</.exec(text)?.[1] ?? '',
      client_secret: /id="client-secret">([^<]+)</.exec(text)?.[1] ?? '',
    };
    return (await demo.get('/oauth/token/v1', { token: null, headers })).body.access_token;
  }

  test('stays while one account sees it, and is returned to shadow when two do, with reason and task', async () => {
    const given = () =>
      postgres.query("select state, returned_for as why from supplier_states where supplier_id = 'dune'");
    const said = gwInThread(['supplier', 'canary', 'dune', '--percent', '99', '--reason', 'first steps'], env());
    expect(said.stdout).toBe('dune: canary 99 %\n');
    const search = (day: number, token?: string) =>
      demo.get(vehiclesPath({ dropoff_date: dayAhead(33 + day) }), token === undefined ? {} : { token });
    // Two evaluations of 10 seconds see the canary, then the failures.
    await eventually(
      () => search(0),
      ({ status }) => status === 206,
    );
    const alerts = () => gateway.child.output();
    const from = Date.now();
    let day = 0;
    await eventually(
      async () => {
        day += 1;
        await search(day % 20);
        return alerts();
      },
      (text) => text.includes('an error budget burns') && Date.now() - from > 25_000,
      45_000,
    );
    expect(await given()).toEqual([{ state: 'canary', why: null }]);
    const token = await otherToken();
    const [row] = await eventually(
      async () => {
        day += 1;
        await Promise.all([search(day % 20), search(day % 20, token)]);
        return given();
      },
      ([now]) => now?.state === 'shadow',
      // What happens while the gateway itself is slow doesn't count.
      80_000,
    );
    expect(row?.why).toMatch(/^\d+ of \d+ calls failed in the last 5 minutes \(.*, for 2 accounts$/);
    await eventually(
      async () => alerts(),
      (text) => text.includes('a supplier was returned to shadow'),
    );
    const [event] = await postgres.query(
      "select actor, reason, after -> 'figures' ->> 'accounts' as accounts from audit_events where subject = 'dune' order by id desc limit 1",
    );
    expect(event).toEqual({ actor: 'automatic', reason: row?.why, accounts: '2' });
    await eventually(
      () => search(1),
      ({ status }) => status === 200,
    );
    const operator = await portalPerson({ postgres, redis }, { role: 'ops' });
    expect((await operator.get(gateway.baseUrl, '/ops')).text).toMatch(
      /Returned to shadow.*Dune Drive waits for an operator/s,
    );
  }, 150_000);
});
