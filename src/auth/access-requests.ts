import { createHash } from 'node:crypto';
import { and, eq, ne, sql } from 'drizzle-orm';
import { type Actor, changeBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { accessRequests, accounts, applications, subscriptions } from '../database/schema.js';
import { addApplication, claimName, lockAccount, lockApplication, newId } from './application-records.js';
import { ChangeRefused } from './change-refused.js';
import type { ClientSecrets } from './client-secrets.js';
import type { Environment } from './credentials.js';

/** A production access request as operators see it. Instants are ISO 8601. */
export interface AccessRequestRow {
  readonly id: string;
  readonly state: 'requested' | 'approved' | 'refused';
  /** The developer's description of what goes live. */
  readonly message: string;
  readonly requestedAt: string;
  readonly decidedAt: string | null;
  readonly decision: string | null;
  readonly applicationId: string;
  readonly applicationName: string;
  readonly description: string;
  readonly redirectUrl: string | null;
  /** Key in config/tiers.yaml. */
  readonly tier: string;
  /** Digest of what approval copies to production. It changes with any of it. */
  readonly copied: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly email: string | null;
  /** Ids of the application's current subscriptions. */
  readonly products: readonly string[];
  readonly productionApplicationId: string | null;
}

/** A decision that was just made. */
export interface AccessRequestDecision {
  readonly approved: boolean;
  readonly applicationName: string;
  /** The production application if approved. */
  readonly productionApplicationId?: string;
  readonly reason: string;
  readonly accountName: string;
  /** Null = no email address. */
  readonly email: string | null;
}

/** Notifies the developer of a decision, in the same transaction. */
export type Tell = (tx: Tables, decision: AccessRequestDecision) => Promise<void>;

const SHOWN_DECIDED = 50;

/**
 * From the sandbox to production (spec §1.4), the only way between the environments (decision 0023): a developer
 * requests access in the sandbox, operators decide in production, and approval creates an application there, with its
 * own credentials, for the account in production with the same address. Every change and its row in audit_events share
 * one transaction. Throws ChangeRefused for a change that the rules forbid.
 */
export class AccessRequests {
  constructor(
    private readonly database: Database,
    private readonly environment: Environment,
    private readonly secrets: ClientSecrets,
    private readonly tell: Tell,
  ) {}

  async ask(applicationId: string, message: string, actor: Actor): Promise<void> {
    await changeBy(this.database, actor, async (tx) => {
      if (this.environment !== 'sandbox') throw new ChangeRefused('This is already a production application.');
      const { name, state, accountId } = await lockApplication(tx, applicationId, 'sandbox');
      if (state !== 'active') throw new ChangeRefused('The application is suspended. Resume it first.');
      const [subscribed] = await tx
        .select()
        .from(subscriptions)
        .where(eq(subscriptions.applicationId, applicationId))
        .limit(1);
      if (!subscribed)
        throw new ChangeRefused('Before requesting production access, subscribe to the products that will go live.');
      const [open] = await tx
        .select()
        .from(accessRequests)
        .where(and(eq(accessRequests.applicationId, applicationId), eq(accessRequests.state, 'requested')));
      if (open) throw new ChangeRefused('This application already has an open request. Wait for the decision.');
      if (await isLaunched(tx, applicationId))
        throw new ChangeRefused('This application already has a production application.');
      const id = newId('lau');
      await tx.insert(accessRequests).values({ id, applicationId, message });
      const after = { request: id, name, account_id: accountId };
      await recordAudit({ tables: tx }, { actor, action: 'launch_requested', subject: applicationId, after });
    });
  }

  /** Open requests, oldest first, then the 50 most recently decided ones, newest first. */
  async list(): Promise<readonly AccessRequestRow[]> {
    const rows = await this.database.rows<Omit<AccessRequestRow, 'copied'>>(sql`
      select l.id, l.state, l.message, to_json(l.requested_at) as "requestedAt", to_json(l.decided_at) as "decidedAt", l.decision,
        a.id as "applicationId", a.name as "applicationName", a.description, a.redirect_url as "redirectUrl", a.tier,
        c.id as "accountId", c.name as "accountName", c.email,
        (select coalesce(json_agg(u.product_id order by u.product_id), '[]') from subscriptions u where u.application_id = a.id) as products,
        l.production_application_id as "productionApplicationId"
      from launch_requests l join applications a on a.id = l.application_id join accounts c on c.id = a.account_id
      where l.state = 'requested'
        or l.id in (select id from launch_requests where state <> 'requested' order by decided_at desc limit ${SHOWN_DECIDED})
      order by l.state = 'requested' desc, case when l.state = 'requested' then l.requested_at end, l.decided_at desc`);
    return rows.map((row) => ({ ...row, copied: digestOf({ ...row, name: row.applicationName }, row.products) }));
  }

  /**
   * Creates the production application with the name, description, redirect URL, tier and dated subscriptions of the
   * sandbox application; its account, unless one has the address, without a password. Throws ChangeRefused if `copied`,
   * the digest of what the operator saw, is given and the application has changed since then.
   */
  async approve(requestId: string, reason: string, actor: Actor, copied?: string): Promise<void> {
    this.#requireProduction();
    await changeBy(this.database, actor, async (tx) => {
      await requireOperator(tx, actor);
      const { application, account } = await lockOpen(tx, requestId);
      const { id: applicationId, name, description, redirectUrl, tier } = application;
      if (application.state !== 'active')
        throw new ChangeRefused('The application is suspended. Resume it first, or reject the request.');
      // Keep the subscription dates: the customer may also call the same deprecated versions in production.
      const products = await tx.select().from(subscriptions).where(eq(subscriptions.applicationId, applicationId));
      const productIds = products.map(({ productId }) => productId);
      if (copied !== undefined && copied !== digestOf(application, productIds))
        throw new ChangeRefused('The application changed since you opened this page. Check it again, then decide.');
      const accountId = await accountInProduction(tx, account);
      const values = {
        accountId,
        name,
        description,
        redirectUrl,
        tier,
        environment: 'production',
        launchedFrom: applicationId,
      } as const;
      await claimName(tx, values);
      const made = await addApplication(tx, this.secrets, values);
      const production = made.applicationId;
      if (products.length > 0)
        await tx.insert(subscriptions).values(products.map((row) => ({ ...row, applicationId: production })));
      await tx
        .update(accessRequests)
        .set({ state: 'approved', decidedAt: sql`now()`, decision: reason, productionApplicationId: production })
        .where(eq(accessRequests.id, requestId));
      const after = { request: requestId, reason, production_application: production };
      await recordAudit({ tables: tx }, { actor, action: 'launch_approved', subject: applicationId, after });
      const created = {
        account_id: accountId,
        name,
        client_id: made.clientId,
        environment: 'production',
        launched_from: applicationId,
      };
      await recordAudit({ tables: tx }, { actor, action: 'application_created', subject: production, after: created });
      const { name: accountName, email } = account;
      const decision = { approved: true, applicationName: name, productionApplicationId: production, reason };
      await this.tell(tx, { ...decision, accountName, email });
    });
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
      await recordAudit({ tables: tx }, { actor, action: 'launch_refused', subject: application.id, after });
      const { name: accountName, email } = account;
      await this.tell(tx, { approved: false, applicationName: application.name, reason, accountName, email });
    });
  }

  /** Only a production gateway has the keys for the credentials, and only its operators may give them out. */
  #requireProduction(): void {
    if (this.environment !== 'production')
      throw new ChangeRefused('Requests are decided in production: use a gateway or gw with FORECOURT_ENV=production.');
  }
}

/** A person's account is locked, so that it isn't demoted before the commit. */
async function requireOperator(tx: Tables, actor: Actor): Promise<void> {
  if (typeof actor === 'string') return;
  const [account] = await tx.select({ role: accounts.role }).from(accounts).where(eq(accounts.id, actor.accountId));
  if (account?.role !== 'ops') throw new ChangeRefused('Only operators decide on requests, and you no longer are one.');
}

function digestOf(
  {
    name,
    description,
    redirectUrl,
    tier,
  }: Pick<typeof applications.$inferSelect, 'name' | 'description' | 'redirectUrl' | 'tier'>,
  products: readonly string[],
): string {
  const copied = JSON.stringify([name, description, redirectUrl, tier, [...products].sort()]);
  return createHash('sha256').update(copied).digest('base64url');
}

/** The id of the account in production with the address of a sandbox account; without an address, always a new one. */
async function accountInProduction(
  tx: Tables,
  { name, email, tier }: Pick<typeof accounts.$inferSelect, 'name' | 'email' | 'tier'>,
): Promise<string> {
  const [created] = await tx
    .insert(accounts)
    .values({ id: newId('acc'), environment: 'production', name, email, tier })
    .onConflictDoNothing({ target: [accounts.environment, accounts.email] })
    .returning({ id: accounts.id });
  if (created) return created.id;
  const isIt = and(eq(accounts.environment, 'production'), eq(accounts.email, email ?? ''));
  const [known] = await tx.select({ id: accounts.id }).from(accounts).where(isIt);
  if (!known) throw new Error('the account in production was removed in the meantime');
  return known.id;
}

async function isLaunched(tx: Tables, applicationId: string): Promise<boolean> {
  const launched = and(eq(applications.launchedFrom, applicationId), ne(applications.state, 'deleted'));
  return (await tx.select({ id: applications.id }).from(applications).where(launched).limit(1)).length > 0;
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
