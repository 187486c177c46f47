import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, getTableColumns, ne, type SQL, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import { type Actor, changeBy, endBy, limitApplicationChanges } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { mayBeDone } from '../database/database-fault.js';
import { applications } from '../database/schema.js';
import { webhookDeliveries, webhookEndpoints } from '../database/webhook-tables.js';
import { ApiError } from '../status/api-error.js';
import { urlForAudit } from './endpoint-url.js';
import { TEST_EVENT } from './event-types.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** Events that one statement may change, so that it takes milliseconds. Twice those among which due ones are looked for. */
const MOST_RESTARTED = 2_000;
const MOST_DELETED = 5_000;
/** The most endpoints of an application. */
export const MOST_ENDPOINTS = 5;

/** An endpoint without its secrets. */
export type Endpoint = Omit<typeof webhookEndpoints.$inferSelect, 'secret' | 'previousSecret'>;

/** What its owner sets. */
export interface EndpointSettings {
  readonly url: string;
  /** Null = all. */
  readonly events: readonly string[] | null;
  readonly description: string;
  readonly state: 'active' | 'disabled';
}

/** An endpoint can have a test event so often. */
export const TEST_SECONDS = 10;

/** Why nothing was stored. */
export type EndpointRefusal = 'too_many' | 'url_taken';

/** An endpoint with a secret that is shown once. */
export interface WithSecret {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

const { secret: _secret, previousSecret: _previous, ...COLUMNS } = getTableColumns(webhookEndpoints);

/**
 * The endpoints of applications of this environment. Methods with an application id find only its endpoints: another
 * application's doesn't exist. `actor` makes the change, which is audited. Rejects with the driver's error, and with ApiError 404 if the
 * application was deleted.
 */
@Injectable()
export class EndpointStore {
  readonly #environment: Config['environment'];

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Pick<Config, 'environment'>,
    private readonly secrets: WebhookSecrets,
  ) {
    this.#environment = config.environment;
  }

  /** Oldest first. */
  async list(applicationId: string): Promise<readonly Endpoint[]> {
    return await this.#select(this.database.tables, eq(webhookEndpoints.applicationId, applicationId));
  }

  /** Undefined = the application has no such endpoint. */
  async find(applicationId: string, id: string): Promise<Endpoint | undefined> {
    return (await this.#select(this.database.tables, this.#isOwn(applicationId, id)))[0];
  }

  /** Finds an endpoint of any application. */
  async get(id: string): Promise<Endpoint | undefined> {
    return (await this.#select(this.database.tables, eq(webhookEndpoints.id, id)))[0];
  }

  /**
   * Adds an endpoint. Concurrent calls of an application run one after the other. Like `rotate`, it looks for what it has stored if the
   * connection breaks before the database says so: the secret can't be shown later.
   */
  async create(
    { applicationId, accountId }: { applicationId: string; accountId: string },
    settings: EndpointSettings,
    actor: Actor,
  ): Promise<WithSecret | EndpointRefusal> {
    const id = `whe_${randomBytes(12).toString('hex')}`;
    const { secret, sealed } = this.secrets.create(id);
    const change = changeBy<WithSecret | EndpointRefusal>(this.database, actor, async (tx) => {
      await lockApplication(tx, applicationId);
      await limit(tx, applicationId, actor);
      const present = await this.#select(tx, eq(webhookEndpoints.applicationId, applicationId));
      if (present.some(({ url }) => url === settings.url)) return 'url_taken';
      if (present.length >= MOST_ENDPOINTS) return 'too_many';
      const owner = { environment: this.#environment, accountId, applicationId };
      const row = { id, ...owner, ...settings, events: mutable(settings.events), secret: sealed };
      const [endpoint] = await tx.insert(webhookEndpoints).values(row).returning(COLUMNS);
      if (!endpoint) throw new Error('an insert must return its row');
      await this.#audit(tx, actor, 'webhook_endpoint_created', applicationId, {
        endpoint: id,
        url: urlForAudit(settings.url),
      });
      return { endpoint, secret };
    });
    return await this.#surely(change, applicationId, id, { secret, sealed });
  }

  /**
   * Changes settings. One that becomes active starts again: its failures are forgotten and the events that wait are due.
   * Undefined = the application has no such endpoint.
   */
  async change(
    applicationId: string,
    id: string,
    settings: Partial<EndpointSettings>,
    actor: Actor,
  ): Promise<Endpoint | EndpointRefusal | undefined> {
    return await changeBy(this.database, actor, async (tx) => {
      await lockApplication(tx, applicationId);
      const present = await this.#select(tx, eq(webhookEndpoints.applicationId, applicationId));
      const before = present.find((one) => one.id === id);
      if (!before) return undefined;
      if (present.some((one) => one.id !== id && one.url === settings.url)) return 'url_taken';
      if (isSame(before, settings)) return before;
      await limit(tx, applicationId, actor);
      const isRestarted = settings.state === 'active' || (settings.url ?? before.url) !== before.url;
      const { events, ...rest } = settings;
      const set = { ...rest, ...(events === undefined ? {} : { events: mutable(events) }) };
      const restart = isRestarted ? { failures: 0, failingSince: null, resumeAt: null, wakesAt: sql`now()` } : {};
      const [endpoint] = await tx
        .update(webhookEndpoints)
        .set({ ...set, ...restart })
        .where(this.#isOwn(applicationId, id))
        .returning(COLUMNS);
      if (isRestarted) await makeDue(tx, this.#environment, id);
      const address = settings.url === undefined ? {} : { url: urlForAudit(settings.url) };
      await this.#audit(tx, actor, 'webhook_endpoint_changed', applicationId, {
        endpoint: id,
        ...settings,
        ...address,
      });
      return endpoint;
    });
  }

  /**
   * Deletes an endpoint with its events, however many changes were made: the oldest 5,000 now, others when they are older than
   * events are kept. False = the application has no such endpoint.
   */
  async remove(applicationId: string, id: string, actor: Actor): Promise<boolean> {
    return await endBy(this.database, actor, async (tx) => {
      const gone = await tx
        .delete(webhookEndpoints)
        .where(this.#isOwn(applicationId, id))
        .returning({ id: webhookEndpoints.id });
      if (gone.length === 0) return false;
      await deleteOldest(tx, id);
      await this.#audit(tx, actor, 'webhook_endpoint_deleted', applicationId, { endpoint: id });
      return true;
    });
  }

  /** Replaces the secret; the one before signs as well for `overlapHours`. Undefined = there is no such endpoint. */
  async rotate(applicationId: string, id: string, overlapHours: number, actor: Actor): Promise<WithSecret | undefined> {
    const { secret, sealed } = this.secrets.create(id);
    const change = changeBy<WithSecret | undefined>(this.database, actor, async (tx) => {
      await lockApplication(tx, applicationId);
      await limit(tx, applicationId, actor);
      const [endpoint] = await tx
        .update(webhookEndpoints)
        .set({
          secret: sealed,
          previousSecret: overlapHours === 0 ? null : sql`${webhookEndpoints.secret}`,
          previousUntil: overlapHours === 0 ? null : sql`now() + ${overlapHours} * interval '1 hour'`,
        })
        .where(this.#isOwn(applicationId, id))
        .returning(COLUMNS);
      if (!endpoint) return undefined;
      const details = { endpoint: id, overlap_hours: overlapHours };
      await this.#audit(tx, actor, 'webhook_secret_rotated', applicationId, details);
      return { endpoint, secret };
    });
    return await this.#surely(change, applicationId, id, { secret, sealed });
  }

  /** Queues a test event and returns its id; undefined if the endpoint had one less than TEST_SECONDS ago. */
  async test({ id, environment, applicationId }: Endpoint): Promise<string | undefined> {
    const eventId = `evt_${randomBytes(16).toString('hex')}`;
    const isLong = sql`coalesce(${webhookEndpoints.testedAt} < now() - ${TEST_SECONDS} * interval '1 second', true)`;
    return await this.database.tables.transaction(async (tx) => {
      const [tested] = await tx
        .update(webhookEndpoints)
        .set({ testedAt: sql`now()` })
        .where(and(eq(webhookEndpoints.id, id), isLong))
        .returning({ id: webhookEndpoints.id });
      if (!tested) return undefined;
      await tx.insert(webhookDeliveries).values({
        ...{ environment, applicationId, endpointId: id, eventId, type: TEST_EVENT, subject: id },
        at: sql`now()`,
        data: { endpointId: id },
      });
      return eventId;
    });
  }

  /** Waits for a change that gives an endpoint this secret. If it isn't known whether it was made, the endpoint has it or not. */
  async #surely<T>(
    change: Promise<T>,
    applicationId: string,
    id: string,
    { secret, sealed }: ReturnType<WebhookSecrets['create']>,
  ): Promise<T | WithSecret> {
    try {
      return await change;
    } catch (error) {
      if (!mayBeDone(error)) throw error;
      const isGiven = and(this.#isOwn(applicationId, id), eq(webhookEndpoints.secret, sealed));
      const [endpoint] = await this.#select(this.database.tables, isGiven).catch(() => []);
      if (!endpoint) throw error;
      return { endpoint, secret };
    }
  }

  #isOwn(applicationId: string, id: string): SQL | undefined {
    return and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.applicationId, applicationId));
  }

  async #select(tables: Tables, where: SQL | undefined): Promise<Endpoint[]> {
    const isHere = eq(webhookEndpoints.environment, this.#environment);
    const order = [asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id)];
    return await tables
      .select(COLUMNS)
      .from(webhookEndpoints)
      .where(and(where, isHere))
      .orderBy(...order);
  }

  async #audit(tx: Tables, actor: Actor, action: string, subject: string, after: object): Promise<void> {
    await recordAudit({ tables: tx, environment: this.#environment }, { actor, action, subject, after });
  }
}

function mutable(events: readonly string[] | null): string[] | null {
  return events === null ? null : [...events];
}

/**
 * Changes of an application's endpoints run one after the other. Throws ApiError 404 if the application was deleted in the meantime:
 * what would be stored now, the erasure of its account may have passed already.
 */
async function lockApplication(tx: Tables, id: string): Promise<void> {
  const isLive = and(eq(applications.id, id), ne(applications.state, 'deleted'));
  const [live] = await tx.select({ id: applications.id }).from(applications).where(isLive).for('no key update');
  if (!live) throw ApiError.of('resource_failure', 'The application was deleted.');
}

/** Throws TooManyChangesError if the applications of its account made too many themselves. */
async function limit(tx: Tables, applicationId: string, actor: Actor): Promise<void> {
  if (actor === applicationId) await limitApplicationChanges(tx, applicationId);
}

/** Whether these settings are those of the endpoint already, and it has no failures to forget. */
function isSame(before: Endpoint, settings: Partial<EndpointSettings>): boolean {
  const entries = Object.entries(settings) as [keyof EndpointSettings, unknown][];
  const isEqual = entries.every(([name, value]) => JSON.stringify(before[name]) === JSON.stringify(value));
  return isEqual && (settings.state === undefined || before.failures === 0);
}

/**
 * Events that were attempted are due again. They are among the oldest that wait (DeliveryQueue.due); the others are due
 * already, and there may be a million.
 */
async function makeDue(tx: Tables, environment: Config['environment'], endpointId: string): Promise<void> {
  const first = sql`(${environment}::text, ${endpointId}::text, 0)`;
  const end = sql`(${environment}::text, ${endpointId}::text, ${Number.MAX_SAFE_INTEGER}::bigint)`;
  await tx.execute(sql`update webhook_deliveries set next_at = now(), attempts = 0 where attempts > 0 and id in (
    select id from webhook_deliveries
    where state = 'pending' and (environment, endpoint_id, id) >= ${first} and (environment, endpoint_id, id) < ${end}
    order by environment, endpoint_id, id limit ${MOST_RESTARTED})`);
}

async function deleteOldest(tx: Tables, endpointId: string): Promise<void> {
  await tx.execute(sql`delete from webhook_deliveries where id = any(array(
    select id from webhook_deliveries
    where (endpoint_id, id) >= (${endpointId}::text, 0) and (endpoint_id, id) < (${endpointId}::text, ${Number.MAX_SAFE_INTEGER}::bigint)
    order by endpoint_id, id limit ${MOST_DELETED}))`);
}
