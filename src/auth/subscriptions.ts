import { Inject, Injectable } from '@nestjs/common';
import { and, eq } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import { type Actor, changeBy, endBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { subscriptions } from '../database/schema.js';
import { isBetaFor, type VersionCaller } from '../products/choose-version.js';
import type { ProductFacts } from '../products/product-facts.js';
import { VersionRegistry } from '../products/version-registry.js';
import { lockApplication } from './application-records.js';
import { ChangeRefused } from './change-refused.js';
import { PolicyUpdates } from './policy-updates.js';

/**
 * Whether the owner of an application may subscribe it to a product (spec §3.1): in the sandbox, if a version is Live, or it is
 * selected for a Beta. In production, operators decide (docs/applications.md#to-production).
 */
export function maySubscribe({ versions }: ProductFacts, caller: Omit<VersionCaller, 'products'>): boolean {
  return (
    caller.environment === 'sandbox' &&
    versions.some((version) => version.state === 'live' || isBetaFor(version, caller))
  );
}

const CLOSED = 'This product is closed to new subscriptions. The list of products shows which ones are open.';
const NOT_APPROVED =
  'In production, an application has the products of its newest approved access request. To use this one, subscribe the application in the sandbox to it and request production access again.';

/**
 * The subscriptions of applications (spec §1.2). Once a method resolves, active tokens use the change on every gateway.
 * `actor` makes the change.
 */
@Injectable()
export class Subscriptions {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly versions: VersionRegistry,
    private readonly policies: PolicyUpdates,
  ) {}

  /**
   * Subscribes to all products or none. Throws ChangeRefused if a product is unknown or closed to new subscribers, and in
   * production. Existing subscriptions stay.
   */
  async subscribe(applicationId: string, productIds: readonly string[], actor: Actor): Promise<void> {
    await this.versions.refresh();
    await changeBy(this.database, actor, async (tx) => {
      const { environment } = await lockApplication(tx, applicationId, this.config.environment);
      for (const productId of productIds) {
        const [there] = await tx.select().from(subscriptions).where(ofPair(applicationId, productId));
        if (there) continue;
        const product = this.versions.product(productId);
        if (!product || !maySubscribe(product, { applicationId, environment })) {
          throw new ChangeRefused(environment === 'production' ? NOT_APPROVED : CLOSED);
        }
        await tx.insert(subscriptions).values({ applicationId, productId });
        await recordAudit(
          { tables: tx, environment: this.config.environment },
          { actor, action: 'product_subscribed', subject: applicationId, after: { product: productId } },
        );
      }
    });
    await this.policies.publish(applicationId);
  }

  /** Does nothing if the application is not subscribed. */
  async unsubscribe(applicationId: string, productId: string, actor: Actor): Promise<void> {
    await endBy(this.database, actor, async (tx) => {
      await lockApplication(tx, applicationId, this.config.environment);
      const [ended] = await tx.delete(subscriptions).where(ofPair(applicationId, productId)).returning();
      const before = { product: productId, since: ended?.createdAt };
      if (ended)
        await recordAudit(
          { tables: tx, environment: this.config.environment },
          { actor, action: 'product_unsubscribed', subject: applicationId, before },
        );
    });
    await this.policies.publish(applicationId);
  }
}

function ofPair(applicationId: string, productId: string) {
  return and(eq(subscriptions.applicationId, applicationId), eq(subscriptions.productId, productId));
}
