import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { type Actor, actorId, changeBy, endBy } from '../database/actor.js';
import { type AuditWriter, recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { mayBeDone } from '../database/database-fault.js';
import { accessRequests, accounts, applications, clientSecrets, subscriptions } from '../database/schema.js';
import type { Store, TokenOwner } from '../store/store.js';
import { surely } from '../store/surely.js';
import {
  type ApplicationValues,
  addApplication,
  addSecret,
  type Credentials,
  changeState,
  claimName,
  limitCreations,
  limitSecrets,
  liveSecrets,
  lockApplication,
  newId,
  type ShownSecret,
} from './application-records.js';
import { ChangeRefused } from './change-refused.js';
import type { ClientSecrets } from './client-secrets.js';
import type { Environment } from './credentials.js';

/** An application to create. */
export interface NewApplication extends Pick<ApplicationValues, 'name'> {
  /** Default: no products. */
  readonly description?: string;
  /** An existing account; undefined creates one with the same name and tier. */
  readonly accountId: string | undefined;
  /** Key of config/tiers.yaml. */
  readonly tier: string;
  /** Ids of products to subscribe to. */
  readonly products: readonly string[];
}

/** An application in a list. `liveSecrets` counts secrets that are neither revoked nor expired. */
export interface ApplicationRow extends TokenOwner {
  readonly name: string;
  readonly clientId: string;
  readonly environment: string;
  readonly tier: string;
  readonly state: string;
  readonly liveSecrets: number;
}

/** One application with everything except its secret values. */
export interface ApplicationDetail extends Omit<ApplicationRow, 'liveSecrets'> {
  readonly products: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** All secrets, including revoked and expired ones, oldest first. */
  readonly secrets: readonly (Omit<ShownSecret, 'clientSecret'> & { readonly revokedAt: Date | null })[];
}

/** The number of revoked tokens; undefined if there is no shared store and tokens are kept in the gateway's memory. */
export type TokensEnded = number | undefined;

/** The most active secrets that an application may have. */
export const MAX_LIVE_SECRETS = 5;

/**
 * Operations on the applications of one environment and their secrets, for operators and developers; an application of
 * the other one is unknown. Every change and its row in audit_events share one transaction. Throws an Error for unknown
 * and deleted ids, and ChangeRefused for a change that the rules forbid. What revokes tokens rejects with StoreUnavailableError
 * if they can't be revoked, usually without a change: docs/authentication.md#applications-and-secrets.
 */
export class ApplicationAdmin {
  readonly #writer = (tx: Tables): AuditWriter => ({ tables: tx, environment: this.environment });

  /** `store` is undefined if each gateway keeps its tokens in its own memory. */
  constructor(
    private readonly database: Database,
    private readonly environment: Environment,
    private readonly secrets: ClientSecrets,
    private readonly store: Store | undefined,
  ) {}

  /** Throws ApiError 429 if a person created too many for the account within a day. */
  async create(application: NewApplication, actor: Actor): Promise<Credentials> {
    const { environment } = this;
    const { name, tier, products, description = '' } = application;
    const accountId = application.accountId ?? newId('acc');
    return await changeBy(this.database, actor, async (tx) => {
      if (application.accountId === undefined)
        await tx.insert(accounts).values({ id: accountId, environment, name, tier });
      if (typeof actor !== 'string') await limitCreations(tx, accountId);
      await claimName(tx, { accountId, name });
      const made = await addApplication(tx, this.secrets, { accountId, name, description, environment, tier });
      const { applicationId, clientId, secretId } = made;
      if (products.length > 0)
        await tx.insert(subscriptions).values(products.map((productId) => ({ applicationId, productId })));
      const after = {
        account_id: accountId,
        name,
        client_id: clientId,
        environment,
        tier,
        products,
        secret_id: secretId,
      };
      await recordAudit(this.#writer(tx), { actor, action: 'application_created', subject: applicationId, after });
      return made;
    });
  }

  /** All applications, including deleted ones, oldest first. */
  async list(): Promise<readonly ApplicationRow[]> {
    return await this.database.rows<ApplicationRow>(sql`
      select a.id as "applicationId", a.account_id as "accountId", a.name, a.client_id as "clientId", a.environment, a.tier, a.state,
        (select count(*)::int from client_secrets s where s.application_id = a.id and s.revoked_at is null
          and (s.expires_at is null or s.expires_at > now())) as "liveSecrets"
      from applications a where a.environment = ${this.environment} order by a.created_at, a.id`);
  }

  /** Also returns deleted applications. */
  async read(id: string): Promise<ApplicationDetail> {
    const { tables } = this.database;
    const isIt = and(eq(applications.id, id), eq(applications.environment, this.environment));
    const [row] = await tables.select().from(applications).where(isIt);
    if (!row) throw new Error(`there is no application ${id} in ${this.environment}`);
    const { accountId, name, clientId, environment, tier, state, allowedOrigins } = row;
    const products = await tables
      .select({ id: subscriptions.productId })
      .from(subscriptions)
      .where(eq(subscriptions.applicationId, id))
      .orderBy(asc(subscriptions.productId));
    const { createdAt, expiresAt, revokedAt, lastUsedAt } = clientSecrets;
    const secrets = await tables
      .select({ id: clientSecrets.id, createdAt, expiresAt, revokedAt, lastUsedAt })
      .from(clientSecrets)
      .where(eq(clientSecrets.applicationId, id))
      .orderBy(asc(createdAt), asc(clientSecrets.id));
    return {
      applicationId: id,
      accountId,
      ...{ name, clientId, environment, tier, state },
      products: products.map((row) => row.id),
      allowedOrigins,
      secrets,
    };
  }

  /**
   * Suspends or resumes an application. Suspending revokes its tokens. If someone other than its account suspends it, only
   * operators may resume it. Only what changes something is recorded.
   */
  async setState(
    applicationId: string,
    state: 'active' | 'suspended',
    actor: Actor,
    reason?: string,
  ): Promise<TokensEnded> {
    const change = async (tx: Tables): Promise<TokenOwner> => {
      const before = await lockApplication(tx, applicationId, this.environment);
      const { accountId } = before;
      const isHeld = state === 'suspended' && (before.isHeld || actorId(actor) !== accountId);
      if (before.state !== state || before.isHeld !== isHeld)
        await changeState(tx, before, { state, isHeld }, actor, reason);
      return { accountId, applicationId };
    };
    if (state === 'suspended') return await this.#endWith(actor, change);
    await endBy(this.database, actor, change);
    return 0;
  }

  /** Like setState, for the owner. Throws ChangeRefused if an operator has suspended the application. */
  async resumeOwn(applicationId: string, actor: Actor): Promise<void> {
    await changeBy(this.database, actor, async (tx) => {
      const before = await lockApplication(tx, applicationId, this.environment);
      if (before.state === 'active') return;
      if (before.isHeld)
        throw new ChangeRefused('An operator suspended this application. Contact the operators to have it resumed.');
      await changeState(tx, before, { state: 'active', isHeld: false }, actor);
    });
  }

  /**
   * Permanently deletes an application with its secrets, tokens, subscriptions and open production access request. Its
   * reservations stay with their suppliers.
   */
  async remove(applicationId: string, actor: Actor): Promise<TokensEnded> {
    return await this.#endWith(actor, async (tx) => {
      const { accountId, name, state } = await lockApplication(tx, applicationId, this.environment);
      await tx.update(applications).set({ state: 'deleted' }).where(eq(applications.id, applicationId));
      const revoked = await tx
        .update(clientSecrets)
        .set({ revokedAt: sql`coalesce(${clientSecrets.revokedAt}, now())`, sealed: null })
        .where(eq(clientSecrets.applicationId, applicationId))
        .returning({ id: clientSecrets.id });
      const subscribed = await tx
        .delete(subscriptions)
        .where(eq(subscriptions.applicationId, applicationId))
        .returning();
      await tx
        .update(accessRequests)
        .set({ state: 'refused', decidedAt: sql`now()`, decision: 'The application was deleted.' })
        .where(and(eq(accessRequests.applicationId, applicationId), eq(accessRequests.state, 'requested')));
      const [secrets, products] = [revoked.map(({ id }) => id), subscribed.map(({ productId }) => productId)];
      const before = { name, state, secrets, products };
      await recordAudit(this.#writer(tx), { actor, action: 'application_deleted', subject: applicationId, before });
      return { accountId, applicationId };
    });
  }

  /**
   * Creates another secret. The active ones expire at `overlapUntil` at the latest. Throws ApiError 429 if the application
   * got too many within an hour.
   */
  async rotate(applicationId: string, overlapUntil: Date, actor: Actor): Promise<Credentials> {
    return await changeBy(this.database, actor, async (tx) => {
      const { accountId, clientId, environment } = await lockApplication(tx, applicationId, this.environment);
      await limitSecrets(tx, applicationId);
      const older = await tx
        .update(clientSecrets)
        .set({ expiresAt: overlapUntil })
        .where(
          and(
            eq(clientSecrets.applicationId, applicationId),
            isNull(clientSecrets.revokedAt),
            or(isNull(clientSecrets.expiresAt), gt(clientSecrets.expiresAt, overlapUntil)),
          ),
        )
        .returning({ id: clientSecrets.id });
      if ((await liveSecrets(tx, applicationId)).length >= MAX_LIVE_SECRETS) {
        throw new ChangeRefused(
          `An application may have at most ${MAX_LIVE_SECRETS} active secrets. Revoke one, or let the older ones expire now.`,
        );
      }
      const { secretId, clientSecret } = await addSecret(tx, this.secrets, { applicationId, environment });
      const after = {
        secret_id: secretId,
        older: older.map(({ id }) => id),
        older_expire_at: overlapUntil.toISOString(),
      };
      await recordAudit(this.#writer(tx), { actor, action: 'secret_rotated', subject: applicationId, after });
      return { accountId, applicationId, clientId, secretId, clientSecret };
    });
  }

  /** Revokes a secret, its tokens, and those that the console requested without a secret. Other secrets and their tokens stay. */
  async revoke(secretId: string, actor: Actor): Promise<TokensEnded> {
    const end = async (tx: Tables): Promise<TokenOwner> => {
      const { id, accountId: account, environment } = applications;
      const isItsOwner = and(eq(id, clientSecrets.applicationId), eq(environment, this.environment));
      const [secret] = await tx
        .select({ accountId: account, applicationId: id, revokedAt: clientSecrets.revokedAt })
        .from(clientSecrets)
        .innerJoin(applications, isItsOwner)
        .where(eq(clientSecrets.id, secretId))
        .for('update', { of: clientSecrets });
      if (!secret) throw new Error(`there is no secret ${secretId} in ${this.environment}`);
      const { accountId, applicationId } = secret;
      if (secret.revokedAt === null) {
        // A revoked secret is never shown again. Its HMAC stays, so that it is recognized as revoked, not as wrong.
        await tx
          .update(clientSecrets)
          .set({ revokedAt: sql`now()`, sealed: null })
          .where(eq(clientSecrets.id, secretId));
        const change = { action: 'secret_revoked', subject: applicationId, after: { secret_id: secretId } };
        await recordAudit(this.#writer(tx), { actor, ...change });
      }
      return { accountId, applicationId };
    };
    return await this.#endWith(actor, end, secretId);
  }

  /** The active secrets of an application in plain text, oldest first. The access is audited. */
  async show(applicationId: string, actor: Actor): Promise<readonly ShownSecret[]> {
    return await changeBy(this.database, actor, async (tx) => {
      const { environment } = await lockApplication(tx, applicationId, this.environment);
      const rows = await liveSecrets(tx, applicationId);
      const after = { secrets: rows.map(({ id }) => id) };
      await recordAudit(this.#writer(tx), { actor, action: 'secret_shown', subject: applicationId, after });
      return rows.map(({ id, createdAt, expiresAt, lastUsedAt, sealed }) => {
        const clientSecret = sealed === null ? undefined : this.secrets.open(sealed, { applicationId, environment });
        return { id, createdAt, expiresAt, lastUsedAt, clientSecret };
      });
    });
  }

  /** Tokens end before the commit, as no page offers the change again, and those issued meanwhile after it (TokensService.issue). */
  async #endWith(actor: Actor, end: (tx: Tables) => Promise<TokenOwner>, secretId?: string): Promise<TokensEnded> {
    const endTokens = async (owner: TokenOwner) => this.store?.revokeAll(owner, secretId);
    let endRest = async (): Promise<TokensEnded> => 0;
    const change = async (tx: Tables): Promise<TokensEnded> => {
      const owner = await end(tx);
      endRest = () => surely(() => endTokens(owner));
      return await endTokens(owner);
    };
    const before = await endBy(this.database, actor, change).catch(async (error: unknown) => {
      // The commit may have been carried out.
      if (mayBeDone(error)) await endRest().catch(() => undefined);
      throw error;
    });
    const since = await endRest();
    return before === undefined || since === undefined ? undefined : before + since;
  }
}
