import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { mintToken } from '../../src/auth/credentials.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { BEHAVIORS } from '../../src/portal/applications/certification/behaviors.js';
import { CertificationReader } from '../../src/portal/applications/certification/certification-reader.service.js';
import { describeWith } from '../support/binaries.js';
import { QUICK } from '../support/booking.js';
import type { CarClient, Credentials } from '../support/certification/car-client.js';
import { runCourse } from '../support/certification/course.js';
import { ListingClient, SdkClient } from '../support/certification/other-clients.js';
import { PlainClient } from '../support/certification/plain-client.js';
import { Wire } from '../support/certification/wire.js';
import { claim } from '../support/claim.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const HOUR_MS = 3_600_000;
type Create = (wire: Wire, credentials: Credentials) => CarClient;
const ALL = BEHAVIORS.map(({ id }) => id);

/** So many courses run at the same time. */
const LANES = 8;

const CORRECT: Readonly<Record<string, Create>> = {
  'of a few lines of fetch': (wire, credentials) => new PlainClient(wire, credentials),
  'that lists reservations and searches by body': (wire, credentials) => new ListingClient(wire, credentials),
  'of the SDK': (wire, credentials) => new SdkClient(wire, credentials),
};

describeWith('redis-server', 'initdb')('certification of real clients', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let database: Database;
  const own = new Map<string, Credentials>();
  const results = new Map<string, Awaited<ReturnType<typeof verdictsOf>>>();
  const env = () => ({ REDIS_URL: redis.url, DATABASE_URL: postgres.url, DATA_DIR: gateway.dataFolder });

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), freshDatabase()]);
    const { settings, suppliers } = QUICK;
    const config = {
      settings: { ...settings, records: { perSecond: 2_000 } },
      suppliers,
      tiers: { demo: { perMinute: 300, burst: 12, concurrent: 50, bookings: undefined } },
    };
    gateway = await startGateway({ env: { REDIS_URL: redis.url, DATABASE_URL: postgres.url }, config });
    database = await openDatabase(postgres.url, '');
    const wrong = ALL.map((flaw): [string, Create] => [flaw, (...words) => new PlainClient(...words, flaw)]);
    const courses = [...Object.entries(CORRECT), ...wrong];
    for (const [name] of courses) own.set(name, applied(name));
    const waiting = [...courses];
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [name, create] = next;
        const wire = new Wire(gateway.baseUrl);
        await runCourse(create(wire, ownOf(name)), wire, ownOf(name));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    // The tokens of the next step would count as renewed a second time after a 401 of the last courses.
    await wait(10_000);
    for (const [name] of wrong) await cancelRest(name, ownOf(name));
    // Requests are written every second, counters every three.
    await wait(5_000);
    for (const [name] of courses) results.set(name, await verdictsOf(ownOf(name)));
  }, 300_000);
  afterAll(async () => {
    await database?.close();
    await gateway?.stop();
    await redis?.dispose();
    await postgres?.dispose();
  });

  /** A new application. */
  function applied(name: string): Credentials {
    const { stdout, stderr } = gwInThread(['apps', 'create', name, '--tier', 'demo'], env());
    const made = JSON.parse(stdout || stderr) as Record<'application_id' | 'client_id' | 'client_secret', string>;
    return { applicationId: made.application_id, clientId: made.client_id, clientSecret: made.client_secret };
  }

  /** Cancels what a wrong client left because of its fault, so that only the fault itself counts. */
  async function cancelRest(flaw: string, { applicationId, clientId, clientSecret }: Credentials): Promise<void> {
    if (flaw === 'bookings_cancelled') return;
    const open = await database.rows<{ id: string }>(
      sql`select id from reservations where application_id = ${applicationId} and state in ('confirmed', 'on_request')`,
    );
    if (open.length === 0) return;
    const credentials = { client_id: clientId, client_secret: clientSecret };
    const token = await fetch(`${gateway.baseUrl}/oauth/token/v1`, { headers: credentials });
    const { access_token } = (await token.json()) as { access_token: string };
    for (const { id } of open) {
      const headers = { authorization: `Bearer ${access_token}` };
      await fetch(`${gateway.baseUrl}/cars/reservation/v1/${id}`, { method: 'DELETE', headers });
    }
  }

  /** Ids of behaviors by verdict, two hours later. */
  async function verdictsOf({ applicationId }: Credentials) {
    const { judged } = await new CertificationReader(database).of(applicationId, Date.now() + 2 * HOUR_MS);
    const of = (verdict: string) => judged.filter((one) => one.verdict === verdict);
    return {
      passed: of('passed').map(({ behavior }) => behavior.id),
      failed: of('failed').map(({ behavior, shown }) => ({ id: behavior.id, shown })),
      unseen: of('unseen').map(({ behavior }) => behavior.id),
    };
  }

  function ownOf(name: string): Credentials {
    const credentials = own.get(name);
    if (!credentials) throw new Error(`${name} has no application`);
    return credentials;
  }

  function resultOf(name: string) {
    const result = results.get(name);
    if (!result) throw new Error(`${name} did not run`);
    return result;
  }

  test.each(Object.keys(CORRECT))('a correct client %s passes all behaviors', (name) => {
    const { passed, failed, unseen } = resultOf(name);
    expect({ failed, unseen }).toEqual({ failed: [], unseen: [] });
    expect(passed).toEqual(ALL);
  });

  test.each(ALL)('a client that gets only %s wrong fails only that, and its requests are named', (flaw) => {
    const { failed } = resultOf(flaw);
    expect(failed).toEqual([{ id: flaw, shown: expect.any(Array) }]);
    expect(failed[0]?.shown.length).toBeGreaterThan(0);
  });

  test('gw certify prints the same, and its exit code says whether a behavior failed', () => {
    const certify = (name: string, ...more: string[]) =>
      gwInThread(['certify', ownOf(name).applicationId, ...more], env());
    const correct = certify('of the SDK');
    expect([correct.status, correct.stderr]).toEqual([
      0,
      expect.stringMatching(/^20 of 20 passed, 0 failed\. Judged by \d+/),
    ]);
    const wrong = certify('key_sent', '--json');
    expect(wrong.status).toBe(1);
    expect(JSON.parse(wrong.stdout)).toContainEqual(
      expect.objectContaining({ behavior: 'key_sent', result: 'failed' }),
    );
    const unknown = gwInThread(['certify', 'app_unknown'], env());
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('there is no application app_unknown'),
    ]);
  });

  test('only requests since the beginning of a new certification count', async () => {
    const { applicationId } = ownOf('polls_gently');
    await database.rows(sql`update applications set judged_from = now() where id = ${applicationId}`);
    expect(await verdictsOf(ownOf('polls_gently'))).toEqual({ passed: [], failed: [], unseen: ALL });
  });

  test('a token that was never admitted proves nothing: its 401 is not kept for the application that it names', async () => {
    const { applicationId } = ownOf('key_sent');
    const [row] = await database.rows<{ account: string }>(
      sql`select account_id as account from applications where id = ${applicationId}`,
    );
    const owner = { accountId: row?.account ?? '', applicationId };
    const kept = () =>
      database.rows(sql`select 1 from request_log where application_id = ${applicationId} and status = 401`);
    const before = (await kept()).length;
    const headers = { authorization: `Bearer ${mintToken(owner, 'sandbox')}` };
    expect((await fetch(`${gateway.baseUrl}/cars/locations/v1?keyword=boston`, { headers })).status).toBe(401);
    await wait(2_500);
    expect([before > 0, (await kept()).length]).toEqual([true, before]);
  });

  claim(
    'personal-data',
    'What compares sandbox requests with each other are digests: no token, key, id, body or card number can be read from the records.',
    async () => {
      const rows = await database.rows<{ trace: string }>(sql`select trace::text from request_log`);
      const text = rows.map(({ trace }) => trace).join('\n');
      expect(rows.length).toBeGreaterThan(500);
      for (const word of ['Sample', '4000000000000002', 'off_', 'res_', 'fc_s_', 'always-', 'boston', 'ADA'])
        expect([word, new RegExp(`(?<![\\w-])${word}`).test(text)]).toEqual([word, false]);
    },
  );
});
