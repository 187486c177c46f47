import { and, eq, ne, notInArray, sql } from 'drizzle-orm';
import type { Config } from '../config/config.schema.js';
import { type Actor, changeBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { accessRequests, accounts, applications, subscriptions } from '../database/schema.js';
import {
  type AccessRequestRow,
  decidedRequests,
  digestOf,
  type OpenRequests,
  openRequest,
  openRequests,
} from './access-request-list.js';
import {
  type ApplicationRecord,
  accountInProduction,
  addApplication,
  claimName,
  lockAccount,
  lockApplication,
  newId,
} from './application-records.js';
import { ChangeRefused } from './change-refused.js';
import type { ClientSecrets } from './client-secrets.js';
import type { PolicyUpdates } from './policy-updates.js';

/** A decision that was just made. */
export interface AccessRequestDecision {
  readonly approved: boolean;
  readonly applicationName: string;
  /** The production application if approved. */
  readonly production?: {
    readonly id: string;
    /** It was created. Otherwise, it only got these products. */
    readonly isNew: boolean;
    /** Ids of its subscriptions. */
    readonly products: readonly string[];
  };
  readonly reason: string;
  readonly accountName: string;
  /** Null = no email address. */
  readonly email: string | null;
}

/** Notifies the developer of a decision, in the same transaction. */
export type Tell = (tx: Tables, decision: AccessRequestDecision) => Promise<void>;

const MOST_OPEN = 10;

/**
 * From the sandbox to production (spec §1.4), the only way between the environments (decision 0023): a developer
 * requests access in the sandbox, operators decide in production, and approval creates an application there, with its
 * own credentials, for the account in production with the same address. The approval of a later request changes the
 * subscriptions of that application. Every change and its row in audit_events share one transaction. Throws ChangeRefused
 * for a change that the rules forbid.
 */
export class AccessRequests {
  constructor(
    private readonly database: Database,
    private readonly config: Pick<Config, 'environment' | 'portal'>,
    private readonly secrets: ClientSecrets,
    private readonly tell: Tell,
    private readonly policies: Pick<PolicyUpdates, 'publish'>,
  ) {}

  /** An application has at most one open request, and an account at most ten. */
  async ask(applicationId: string, message: string, actor: Actor): Promise<void> {
    await changeBy(this.database, actor, async (tx) => {
      if (this.config.environment !== 'sandbox') throw new ChangeRefused('This is already a production application.');
      await lockAccountOf(tx, applicationId);
      const { name, state, accountId } = await lockApplication(tx, applicationId, 'sandbox');
      if (state !== 'active') throw new ChangeRefused('The application is suspended. Resume it first.');
      const [subscribed] = await tx
        .select()
        .from(subscriptions)
        .where(eq(subscriptions.applicationId, applicationId))
        .limit(1);
      if (!subscribed)
        throw new ChangeRefused('Before requesting production access, subscribe to the products that will go live.');
      const open = await tx
        .select({ of: accessRequests.applicationId })
        .from(accessRequests)
        .innerJoin(applications, eq(applications.id, accessRequests.applicationId))
        .where(and(eq(applications.accountId, accountId), eq(accessRequests.state, 'requested')));
      if (open.some((other) => other.of === applicationId))
        throw new ChangeRefused('This application already has an open request. Wait for the decision.');
      if (open.length >= MOST_OPEN)
        throw new ChangeRefused(`An account may have at most ${MOST_OPEN} open requests. Wait for a decision.`);
      const id = newId('lau');
      await tx.insert(accessRequests).values({ id, applicationId, message });
      const after = { request: id, name, account_id: accountId };
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor, action: 'launch_requested', subject: applicationId, after },
      );
    });
  }

  /** Up to 50 open requests. `after`: the cursor from which the page continues; an unknown one starts with the oldest. */
  open(after?: string): Promise<OpenRequests> {
    return openRequests(this.database, after);
  }

  /** An open request; undefined = there is none with this id. */
  find(id: string): Promise<AccessRequestRow | undefined> {
    return openRequest(this.database, id);
  }

  /** The 50 most recently decided requests, newest first. */
  decided(): Promise<readonly AccessRequestRow[]> {
    return decidedRequests(this.database);
  }

  /**
   * Creates the production application with the name, description, redirect URL, tier and dated subscriptions of the
   * sandbox application; its account, unless one has the address, without a password and with the default tier. If there is a production application
   * already, it gets the subscriptions instead of its own, including for its active tokens once this resolves. If it rejects with
   * StoreUnavailableError, it is approved, but active tokens have the earlier products: repeated, it is refused after they got the new ones. Throws
   * ChangeRefused if `copied`, the digest of what the operator saw, is given and the application or the name of its account has changed since then.
   */
  async approve(requestId: string, reason: string, actor: Actor, copied?: string): Promise<void> {
    this.#requireProduction();
    await this.#publishAgain(requestId);
    const changed = await changeBy(this.database, actor, async (tx) => {
      await requireOperator(tx, actor);
      const { application, account } = await lockOpen(tx, requestId);
      const { id: applicationId, name } = application;
      if (application.state !== 'active')
        throw new ChangeRefused('The application is suspended. Resume it first, or reject the request.');
      // Keep the subscription dates: the customer may also call the same deprecated versions in production.
      const approved = await tx.select().from(subscriptions).where(eq(subscriptions.applicationId, applicationId));
      const products = approved.map(({ productId }) => productId).sort();
      const launched = await launchedFrom(tx, applicationId);
      if (
        copied !== undefined &&
        copied !== digestOf({ ...application, accountName: account.name }, products, launched)
      )
        throw new ChangeRefused('The application changed since you opened this page. Check it again, then decide.');
      const id = launched ?? (await this.#create(tx, application, account, actor));
      const rows = approved.map((row) => ({ ...row, applicationId: id }));
      if (launched !== null) await replaceSubscriptions(tx, launched, rows, actor);
      else if (rows.length > 0) await tx.insert(subscriptions).values(rows);
      await tx
        .update(accessRequests)
        .set({ state: 'approved', decidedAt: sql`now()`, decision: reason, productionApplicationId: id })
        .where(eq(accessRequests.id, requestId));
      const after = { request: requestId, reason, production_application: id, products };
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor, action: 'launch_approved', subject: applicationId, after, reason },
      );
      const { name: accountName, email } = account;
      const production = { id, isNew: launched === null, products };
      await this.tell(tx, { approved: true, applicationName: name, production, reason, accountName, email });
      return launched;
    });
    if (changed !== null) await this.policies.publish(changed);
  }

  async refuse(requestId: string, reason: string, actor: Actor): Promise<void> {
    this.#requireProduction();
    if (reason === '') throw new ChangeRefused('Enter a reason, so that the developer knows what to change.', 'reason');
    await changeBy(this.database, actor, async (tx) => {
      await requireOperator(tx, actor);
      const { application, account } = await lockOpen(tx, requestId);
      await tx
        .update(accessRequests)
        .set({ state: 'refused', decidedAt: sql`now()`, decision: reason })
        .where(eq(accessRequests.id, requestId));
      const after = { request: requestId, reason };
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor, action: 'launch_refused', subject: application.id, after, reason },
      );
      const { name: accountName, email } = account;
      await this.tell(tx, { approved: false, applicationName: application.name, reason, accountName, email });
    });
  }

  /** For a request that was approved while the store was unavailable. */
  async #publishAgain(requestId: string): Promise<void> {
    const [approved] = await this.database.tables
      .select({ id: accessRequests.productionApplicationId })
      .from(accessRequests)
      .where(and(eq(accessRequests.id, requestId), eq(accessRequests.state, 'approved')));
    if (approved?.id) await this.policies.publish(approved.id);
  }

  async #create(
    tx: Tables,
    { id: launchedFrom, name, description, redirectUrl, tier }: ApplicationRecord,
    account: typeof accounts.$inferSelect,
    actor: Actor,
  ): Promise<string> {
    const accountId = await accountInProduction(tx, account, this.config.portal.defaultTier);
    const environment = 'production';
    const values = { accountId, name, description, redirectUrl, tier, environment, launchedFrom } as const;
    await claimName(tx, values);
    const { applicationId, clientId } = await addApplication(tx, this.secrets, values);
    const after = { account_id: accountId, name, client_id: clientId, environment, tier, launched_from: launchedFrom };
    await recordAudit(
      { tables: tx, environment: this.config.environment },
      { actor, action: 'application_created', subject: applicationId, after },
    );
    return applicationId;
  }

  /** Only a production gateway has the keys for the credentials, and only its operators may give them out. */
  #requireProduction(): void {
    if (this.config.environment !== 'production')
      throw new ChangeRefused('Requests are decided in production: use a gateway or gw with FORECOURT_ENV=production.');
  }
}

/** A person's account is locked, so that it isn't demoted before the commit. */
async function requireOperator(tx: Tables, actor: Actor): Promise<void> {
  if (typeof actor === 'string') return;
  const [account] = await tx.select({ role: accounts.role }).from(accounts).where(eq(accounts.id, actor.accountId));
  if (account?.role !== 'ops') throw new ChangeRefused('Only operators decide on requests, and you no longer are one.');
}

/** Locks the account of an application, so that its requests are counted one after the other. */
async function lockAccountOf(tx: Tables, applicationId: string): Promise<void> {
  const isIt = eq(applications.id, applicationId);
  const [found] = await tx.select({ accountId: applications.accountId }).from(applications).where(isIt);
  if (found) await lockAccount(tx, found.accountId);
}

/** The production application of a sandbox application, locked; null if it has none. */
async function launchedFrom(tx: Tables, applicationId: string): Promise<string | null> {
  const isLaunched = and(eq(applications.launchedFrom, applicationId), ne(applications.state, 'deleted'));
  const [row] = await tx.select({ id: applications.id }).from(applications).where(isLaunched).for('update');
  return row?.id ?? null;
}

/** Replaces the subscriptions of a locked application. Those that stay keep their dates. */
async function replaceSubscriptions(
  tx: Tables,
  applicationId: string,
  rows: readonly (typeof subscriptions.$inferInsert)[],
  actor: Actor,
): Promise<void> {
  const { productId } = subscriptions;
  const isOther = notInArray(
    productId,
    rows.map((row) => row.productId),
  );
  const isEnded = and(eq(subscriptions.applicationId, applicationId), isOther);
  const ended = await tx.delete(subscriptions).where(isEnded).returning();
  for (const { productId: product, createdAt: since } of ended) {
    const before = { product, since };
    await recordAudit(
      { tables: tx, environment: 'production' },
      { actor, action: 'product_unsubscribed', subject: applicationId, before },
    );
  }
  for (const row of rows) {
    const [added] = await tx.insert(subscriptions).values(row).onConflictDoNothing().returning();
    const after = { product: row.productId };
    if (added)
      await recordAudit(
        { tables: tx, environment: 'production' },
        { actor, action: 'product_subscribed', subject: applicationId, after },
      );
  }
}

/**
 * An open request with its application and account, all locked (account first, as everywhere). Of two concurrent
 * decisions, the second fails.
 */
async function lockOpen(tx: Tables, requestId: string) {
  const [found] = await tx
    .select({ applicationId: applications.id, accountId: applications.accountId })
    .from(accessRequests)
    .innerJoin(applications, eq(applications.id, accessRequests.applicationId))
    .where(eq(accessRequests.id, requestId));
  if (!found) throw new ChangeRefused('This request does not exist.');
  const account = await lockAccount(tx, found.accountId);
  const [request] = await tx.select().from(accessRequests).where(eq(accessRequests.id, requestId));
  if (request?.state !== 'requested')
    throw new ChangeRefused(`This request was already decided: ${request?.state ?? 'deleted'}.`);
  return { application: await lockApplication(tx, found.applicationId, 'sandbox'), account };
}
