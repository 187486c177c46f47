import { and, eq, ne, sql } from 'drizzle-orm';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { accessRequests, applications, subscriptions } from '../database/schema.js';
import { addApplication, claimName, lockAccount, lockApplication, newId } from './application-records.js';
import { ChangeRefused } from './change-refused.js';
import type { ClientSecrets } from './client-secrets.js';

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
  /** The page to link to: that of the production application if approved, otherwise of the sandbox application. */
  readonly applicationId: string;
  readonly reason: string;
  readonly accountName: string;
  /** Null = no email address. */
  readonly email: string | null;
}

/** Notifies the developer of a decision, in the same transaction. */
export type Tell = (tx: Tables, decision: AccessRequestDecision) => Promise<void>;

const SHOWN_DECIDED = 50;

/**
 * From the sandbox to production (spec §1.4): a developer requests access, operators decide, and approval creates an
 * application with its own credentials. Every change and its row in audit_events share one transaction. Throws
 * ChangeRefused for a change that the rules forbid.
 */
export class AccessRequests {
  constructor(
    private readonly database: Database,
    private readonly secrets: ClientSecrets,
    private readonly tell: Tell,
  ) {}

  async ask(applicationId: string, message: string, actor: string): Promise<void> {
    await this.database.tables.transaction(async (tx) => {
      const { name, environment, state, accountId } = await lockApplication(tx, applicationId);
      if (environment !== 'sandbox') throw new ChangeRefused('This is already a production application.');
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
    return await this.database.rows<AccessRequestRow>(sql`
      select l.id, l.state, l.message, to_json(l.requested_at) as "requestedAt", to_json(l.decided_at) as "decidedAt", l.decision,
        a.id as "applicationId", a.name as "applicationName", c.id as "accountId", c.name as "accountName", c.email,
        (select coalesce(json_agg(u.product_id order by u.product_id), '[]') from subscriptions u where u.application_id = a.id) as products,
        l.production_application_id as "productionApplicationId"
      from launch_requests l join applications a on a.id = l.application_id join accounts c on c.id = a.account_id
      where l.state = 'requested'
        or l.id in (select id from launch_requests where state <> 'requested' order by decided_at desc limit ${SHOWN_DECIDED})
      order by l.state = 'requested' desc, case when l.state = 'requested' then l.requested_at end, l.decided_at desc`);
  }

  /**
   * Creates the production application with the name, description, redirect URL, tier and dated subscriptions of the
   * sandbox application.
   */
  async approve(requestId: string, reason: string, actor: string): Promise<void> {
    await this.database.tables.transaction(async (tx) => {
      const { application, account } = await lockOpen(tx, requestId);
      const { id: applicationId, accountId, name, description, redirectUrl, tier } = application;
      if (application.state !== 'active')
        throw new ChangeRefused('The application is suspended. Resume it first, or reject the request.');
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
      // Keep the subscription dates: the customer may also call the same deprecated versions in production.
      const products = await tx.select().from(subscriptions).where(eq(subscriptions.applicationId, applicationId));
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
      await this.tell(tx, { approved: true, applicationName: name, applicationId: production, reason, ...account });
    });
  }

  async refuse(requestId: string, reason: string, actor: string): Promise<void> {
    if (reason === '') throw new ChangeRefused('Enter a reason, so that the developer knows what to change.', 'reason');
    await this.database.tables.transaction(async (tx) => {
      const { application, account } = await lockOpen(tx, requestId);
      await tx
        .update(accessRequests)
        .set({ state: 'refused', decidedAt: sql`now()`, decision: reason })
        .where(eq(accessRequests.id, requestId));
      const after = { request: requestId, reason };
      await recordAudit({ tables: tx }, { actor, action: 'launch_refused', subject: application.id, after });
      await this.tell(tx, {
        approved: false,
        applicationName: application.name,
        applicationId: application.id,
        reason,
        ...account,
      });
    });
  }
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
  const { name: accountName, email } = await lockAccount(tx, found.accountId);
  const [request] = await tx.select().from(accessRequests).where(eq(accessRequests.id, requestId));
  if (request?.state !== 'requested')
    throw new ChangeRefused(`This request was already decided: ${request?.state ?? 'deleted'}.`);
  const application = await lockApplication(tx, found.applicationId);
  return { application, account: { accountName, email } };
}
