import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../../../src/database/database.js';
import { CertificationReader } from '../../../src/portal/applications/certification/certification-reader.service.js';
import { eventually, QUICK } from '../booking.js';
import { freshDatabase, type TestDatabase } from '../database.js';
import { gwInThread } from '../gw.js';
import { type RedisServer, startRedis } from '../redis.js';
import { type Gateway, startGateway } from '../start-gateway.js';
import type { CarClient, Credentials } from './car-client.js';
import { runCourse } from './course.js';
import { PlainClient } from './plain-client.js';
import { Wire } from './wire.js';

const HOUR_MS = 3_600_000;
/** So many courses run at the same time. */
const LANES = 6;

/** How to create a client for an application. */
export type Create = (wire: Wire, credentials: Credentials) => CarClient;

/** Behaviors of a client by verdict: their ids, and those of the requests that show a failure. */
export interface Verdicts {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly id: string; readonly shown: readonly unknown[] }[];
  readonly unseen: readonly string[];
}

/** What certified clients left. */
export interface Certified {
  readonly gateway: Gateway;
  readonly database: Database;
  /** Variables of `gw` at their gateway. */
  readonly env: Readonly<Record<string, string>>;
  /** Throws if no client has this name. */
  resultOf(name: string): Verdicts;
  applicationOf(name: string): string;
  /** The verdicts as they are now. */
  judgedNow(name: string): Promise<Verdicts>;
}

/** A client that gets these behaviors wrong, and all others right. */
export function wrong(...flaws: string[]): Create {
  return (wire, credentials) => new PlainClient(wire, credentials, flaws);
}

/** Before all tests, sends each client through the course with an application of its own at one gateway. */
export function certifyClients(clients: Readonly<Record<string, Create>>): () => Certified {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let database: Database;
  const own = new Map<string, Credentials>();
  const results = new Map<string, Verdicts>();
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), freshDatabase()]);
    const { settings, suppliers } = QUICK;
    const config = {
      settings: { ...settings, records: { perSecond: 2_000 } },
      suppliers,
      tiers: { demo: { perMinute: 300, burst: 12, concurrent: 50, bookings: undefined } },
    };
    gateway = await startGateway({ env: { REDIS_URL: redis.url, DATABASE_URL: postgres.url }, config });
    env = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, DATA_DIR: gateway.dataFolder };
    database = await openDatabase(postgres.url, '');
    for (const name of Object.keys(clients)) own.set(name, applied(name));
    const waiting = Object.entries(clients);
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) results.set(next[0], await certified(...next));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }, 300_000);
  afterAll(async () => {
    await database?.close();
    await gateway?.stop();
    await redis?.dispose();
    await postgres?.dispose();
  });

  /** A new application. */
  function applied(name: string): Credentials {
    const { stdout, stderr } = gwInThread(['apps', 'create', name, '--tier', 'demo'], env);
    const made = JSON.parse(stdout || stderr) as Record<'application_id' | 'client_id' | 'client_secret', string>;
    return { applicationId: made.application_id, clientId: made.client_id, clientSecret: made.client_secret };
  }

  async function certified(name: string, create: Create): Promise<Verdicts> {
    const credentials = ownOf(name);
    const wire = new Wire(gateway.baseUrl);
    const client = create(wire, credentials);
    await runCourse(client, wire, credentials);
    // Left bookings are what it fails by.
    if (!name.includes('bookings_cancelled')) await cancelRest(wire, credentials);
    // One more is in the records: the revocation of its token.
    await eventually(
      () => kept(credentials),
      (count) => count > wire.sent,
    );
    return await verdictsOf(credentials);
  }

  /** How many of its requests are in the records. */
  async function kept({ applicationId }: Credentials): Promise<number> {
    const [row] = await database.rows<{ count: number }>(
      sql`select count(*)::int as count from request_log where application_id = ${applicationId}`,
    );
    return row?.count ?? 0;
  }

  /** Cancels what a wrong client left because of its fault, so that only the fault itself counts. */
  async function cancelRest(wire: Wire, { applicationId }: Credentials): Promise<void> {
    const inState = (...states: string[]) =>
      database.rows<{ id: string }>(
        sql`select id from reservations where application_id = ${applicationId} and state = any(${sql.param(states)})`,
      );
    await eventually(
      () => inState('pending', 'unknown', 'modify_pending'),
      (open) => open.length === 0,
    );
    for (const { id } of await inState('confirmed', 'on_request')) {
      const headers = { authorization: `Bearer ${wire.token}` };
      await wire.fetch(`${gateway.baseUrl}/cars/reservation/v1/${id}`, { method: 'DELETE', headers });
    }
  }

  /** Two hours later. */
  async function verdictsOf({ applicationId }: Credentials): Promise<Verdicts> {
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

  return () => ({
    gateway,
    database,
    env,
    resultOf: (name) => {
      const result = results.get(name);
      if (!result) throw new Error(`${name} did not run`);
      return result;
    },
    applicationOf: (name) => ownOf(name).applicationId,
    judgedNow: (name) => verdictsOf(ownOf(name)),
  });
}
