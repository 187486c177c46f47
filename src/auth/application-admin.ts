import { randomBytes } from 'node:crypto';
import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { accounts, applications, clientSecrets, subscriptions } from '../database/schema.js';
import type { Store, TokenOwner } from '../store/store.js';
import type { ClientSecrets, SecretHolder } from './client-secrets.js';
import { type Environment, newClientSecret } from './credentials.js';

/** An application to create. */
export interface NewApplication {
  readonly name: string;
  /** An account that exists; undefined → a new one of the same name and tier. */
  readonly accountId: string | undefined;
  readonly environment: Environment;
  /** Key of config/tiers.yaml. */
  readonly tier: string;
  /** Ids of products to subscribe to. */
  readonly products: readonly string[];
}

/** The credentials of an application, in the clear. */
export interface Credentials extends TokenOwner {
  readonly clientId: string;
  readonly secretId: string;
  readonly clientSecret: string;
}

/** A secret that is neither revoked nor expired. `clientSecret` undefined = it was stored in a way that cannot be shown again. */
export interface ShownSecret {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  readonly clientSecret: string | undefined;
}

/** An application as a list shows it. `liveSecrets` counts those neither revoked nor expired. */
export interface ApplicationRow extends TokenOwner {
  readonly name: string;
  readonly clientId: string;
  readonly environment: string;
  readonly tier: string;
  readonly state: string;
  readonly liveSecrets: number;
}

/** One application with everything but its secrets themselves. */
export interface ApplicationDetail extends Omit<ApplicationRow, 'liveSecrets'> {
  readonly products: readonly string[];
  /** All, also those revoked or expired, oldest first. */
  readonly secrets: readonly (Omit<ShownSecret, 'clientSecret'> & { readonly revokedAt: Date | null })[];
}

/** How many tokens were ended; undefined = there is no shared store: they live in the gateway's process. */
export type TokensEnded = number | undefined;

/** How many secrets were wrapped anew, and the ids of those that could not be opened. */
export interface Rewrapping {
  readonly wrapped: number;
  readonly unreadable: readonly string[];
}

const BATCH = 500;

/**
 * What ops and developers do with applications and their secrets. Every change stands with its row of audit_events in one transaction. `actor`
 * is `ops` or an account id. Unknown ids throw an Error that says so.
 */
export class ApplicationAdmin {
  /** `store` undefined = each gateway keeps its tokens in its own process. */
  constructor(
    private readonly database: Database,
    private readonly secrets: ClientSecrets,
    private readonly store: Store | undefined,
  ) {}

  async create(application: NewApplication, actor: string): Promise<Credentials> {
    const { name, environment, tier, products } = application;
    const accountId = application.accountId ?? newId('acc');
    const applicationId = newId('app');
    const clientId = newId('client');
    return await this.database.tables.transaction(async (tx) => {
      if (application.accountId === undefined) await tx.insert(accounts).values({ id: accountId, name, tier });
      else await accountOf(tx, accountId);
      await tx.insert(applications).values({ id: applicationId, accountId, name, clientId, environment, tier });
      if (products.length > 0) await tx.insert(subscriptions).values(products.map((productId) => ({ applicationId, productId })));
      const { secretId, clientSecret } = await this.#addSecret(tx, { applicationId, environment });
      const after = { account_id: accountId, name, client_id: clientId, environment, tier, products, secret_id: secretId };
      await recordAudit({ tables: tx }, { actor, action: 'application_created', subject: applicationId, after });
      return { accountId, applicationId, clientId, secretId, clientSecret };
    });
  }

  /** All applications, oldest first. */
  async list(): Promise<readonly ApplicationRow[]> {
    return await this.database.rows<ApplicationRow>(sql`
      select a.id as "applicationId", a.account_id as "accountId", a.name, a.client_id as "clientId", a.environment, a.tier, a.state,
        (select count(*)::int from client_secrets s where s.application_id = a.id and s.revoked_at is null
          and (s.expires_at is null or s.expires_at > now())) as "liveSecrets"
      from applications a order by a.created_at, a.id`);
  }

  async read(id: string): Promise<ApplicationDetail> {
    const { tables } = this.database;
    const { accountId, name, clientId, environment, tier, state } = await applicationOf(tables, id);
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
    return { applicationId: id, accountId, name, clientId, environment, tier, state, products: products.map((row) => row.id), secrets };
  }

  /** Suspends or resumes an application; suspending ends its tokens. Doing it again is no error and ends tokens again. */
  async setState(applicationId: string, state: 'active' | 'suspended', actor: string): Promise<TokensEnded> {
    const owner = await this.database.tables.transaction(async (tx) => {
      const before = await applicationOf(tx, applicationId);
      if (before.state !== state) {
        await tx.update(applications).set({ state }).where(eq(applications.id, applicationId));
        const action = state === 'active' ? 'application_resumed' : 'application_suspended';
        const change = { before: { state: before.state }, after: { state } };
        await recordAudit({ tables: tx }, { actor, action, subject: applicationId, ...change });
      }
      return { accountId: before.accountId, applicationId };
    });
    return state === 'suspended' ? await this.#endTokens(owner) : 0;
  }

  /** A further secret; those that are live stay so until `overlapUntil` at the latest. */
  async rotate(applicationId: string, overlapUntil: Date, actor: string): Promise<Credentials> {
    return await this.database.tables.transaction(async (tx) => {
      const { accountId, clientId, environment } = await applicationOf(tx, applicationId);
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
      const { secretId, clientSecret } = await this.#addSecret(tx, { applicationId, environment });
      const after = { secret_id: secretId, older: older.map(({ id }) => id), older_expire_at: overlapUntil.toISOString() };
      await recordAudit({ tables: tx }, { actor, action: 'secret_rotated', subject: applicationId, after });
      return { accountId, applicationId, clientId, secretId, clientSecret };
    });
  }

  /** Ends a secret for good, and with it every token of its application: nobody knows which of them it got. */
  async revoke(secretId: string, actor: string): Promise<TokensEnded> {
    const owner = await this.database.tables.transaction(async (tx) => {
      const [secret] = await tx.select().from(clientSecrets).where(eq(clientSecrets.id, secretId)).for('update');
      if (!secret) throw new Error(`there is no secret ${secretId}`);
      if (secret.revokedAt === null) {
        // What is revoked need not be shown again; its HMAC stays, so that it is known as revoked, not as wrong.
        await tx.update(clientSecrets).set({ revokedAt: sql`now()`, sealed: null }).where(eq(clientSecrets.id, secretId));
        await recordAudit(
          { tables: tx },
          { actor, action: 'secret_revoked', subject: secretId, after: { application_id: secret.applicationId } },
        );
      }
      const { accountId } = await applicationOf(tx, secret.applicationId);
      return { accountId, applicationId: secret.applicationId };
    });
    return await this.#endTokens(owner);
  }

  /** The live secrets of an application in the clear, oldest first; that they were shown is audited. */
  async show(applicationId: string, actor: string): Promise<readonly ShownSecret[]> {
    return await this.database.tables.transaction(async (tx) => {
      const { environment } = await applicationOf(tx, applicationId);
      const rows = await tx
        .select()
        .from(clientSecrets)
        .where(
          and(
            eq(clientSecrets.applicationId, applicationId),
            isNull(clientSecrets.revokedAt),
            or(isNull(clientSecrets.expiresAt), gt(clientSecrets.expiresAt, sql`now()`)),
          ),
        )
        .orderBy(asc(clientSecrets.createdAt), asc(clientSecrets.id));
      const after = { secrets: rows.map(({ id }) => id) };
      await recordAudit({ tables: tx }, { actor, action: 'secret_shown', subject: applicationId, after });
      return rows.map(({ id, createdAt, expiresAt, lastUsedAt, sealed }) => {
        const clientSecret = sealed === null ? undefined : this.secrets.open(sealed, { applicationId, environment });
        return { id, createdAt, expiresAt, lastUsedAt, clientSecret };
      });
    });
  }

  /**
   * Wraps every secret anew that an older key has wrapped. One that cannot be opened (its key is gone, or it was moved) stays as it is and
   * holds nobody up.
   */
  async rewrap(): Promise<Rewrapping> {
    const unreadable: string[] = [];
    let wrapped = 0;
    for (let last = ''; ; ) {
      const rows = await this.database.rows<{ id: string; sealed: string } & SecretHolder>(sql`
        select s.id, s.sealed, s.application_id as "applicationId", a.environment
        from client_secrets s join applications a on a.id = s.application_id
        where s.id > ${last} and s.sealed is not null and split_part(s.sealed, '.', 1) <> ${this.secrets.newestKey}
        order by s.id limit ${BATCH}`);
      for (const { id, sealed, ...holder } of rows) {
        const rewrapped = this.#rewrapped(sealed, holder);
        if (rewrapped === undefined) unreadable.push(id);
        else {
          await this.database.rows(sql`update client_secrets set sealed = ${rewrapped} where id = ${id} and sealed = ${sealed}`);
          wrapped += 1;
        }
        last = id;
      }
      if (rows.length < BATCH) return { wrapped, unreadable };
    }
  }

  #rewrapped(sealed: string, holder: SecretHolder): string | undefined {
    try {
      return this.secrets.rewrap(sealed, holder);
    } catch {
      // Reported by its id: what the cipher says of it would help nobody.
      return undefined;
    }
  }

  async #addSecret(tx: Tables, holder: SecretHolder): Promise<{ secretId: string; clientSecret: string }> {
    const secretId = newId('sec');
    const clientSecret = newClientSecret();
    const { applicationId } = holder;
    await tx.insert(clientSecrets).values({ id: secretId, applicationId, ...this.secrets.keep(clientSecret, holder) });
    return { secretId, clientSecret };
  }

  /** After the change is committed: a token call that had read the database before asks it once more (TokensService.issue). */
  async #endTokens(owner: TokenOwner): Promise<TokensEnded> {
    return this.store?.revokeAll(owner);
  }
}

/** The row, locked to the end of the transaction where there is one. */
async function applicationOf(tx: Tables, id: string) {
  const [row] = await tx.select().from(applications).where(eq(applications.id, id)).for('update');
  if (!row) throw new Error(`there is no application ${id}`);
  const environment: Environment = row.environment === 'production' ? 'production' : 'sandbox';
  return { ...row, environment };
}

async function accountOf(tx: Tables, id: string): Promise<void> {
  const [row] = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id));
  if (!row) throw new Error(`there is no account ${id}`);
}

function newId(prefix: 'acc' | 'app' | 'sec' | 'client'): string {
  return `${prefix}_${randomBytes(10).toString('hex')}`;
}
