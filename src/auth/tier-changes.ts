import { Inject, Injectable } from '@nestjs/common';
import { and, eq, ne, or } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import { type Actor, changeBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts, applications } from '../database/schema.js';
import { ProductsService } from '../products/products.service.js';
import { lockApplication } from './application-records.js';
import { ChangeRefused } from './change-refused.js';
import { PolicyUpdates } from './policy-updates.js';

/**
 * Operators' changes of limits: the tier of an application or of an account (docs/limits.md). Once a method resolves, calls
 * with existing tokens use the new limits on every gateway. The tier that it already has is not a change and is not audited.
 * Both throw an Error that names the tiers if config/tiers.yaml lacks it, and ChangeRefused for an unknown id.
 */
@Injectable()
export class TierChanges {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
    @Inject(ProductsService) private readonly products: Pick<ProductsService, 'limitsOf'>,
    @Inject(PolicyUpdates) private readonly policies: Pick<PolicyUpdates, 'publish'>,
  ) {}

  /** The tier of an application and that of its account. Throws an Error for an unknown id. */
  async of(id: string): Promise<{ readonly tier: string; readonly accountTier: string }> {
    const [row] = await this.database.tables
      .select({ tier: applications.tier, accountTier: accounts.tier })
      .from(applications)
      .innerJoin(accounts, eq(accounts.id, applications.accountId))
      .where(and(eq(applications.id, id), eq(applications.environment, this.config.environment)));
    if (!row) throw new Error(`there is no application ${id} in ${this.config.environment}`);
    return row;
  }

  /** Sets the limits of one application and of its tokens. */
  async ofApplication(id: string, tier: string, actor: Actor, reason?: string): Promise<void> {
    this.products.limitsOf(tier);
    await changeBy(this.database, actor, async (tx) => {
      const { tier: before } = await lockApplication(tx, id, this.config.environment);
      if (before === tier) return;
      await tx.update(applications).set({ tier }).where(eq(applications.id, id));
      const change = { before: { tier: before }, after: { tier }, ...(reason === undefined ? {} : { reason }) };
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor, action: 'application_tier_set', subject: id, ...change },
      );
    });
    await this.policies.publish(id);
  }

  /**
   * Sets the limits that all applications of an account share, and of its new reservations. Takes an id or email address.
   * Returns the id.
   */
  async ofAccount(idOrEmail: string, tier: string, actor: Actor, reason?: string): Promise<string> {
    this.products.limitsOf(tier);
    const { environment } = this.config;
    const accountId = await changeBy(this.database, actor, async (tx) => {
      const isIt = or(eq(accounts.id, idOrEmail), eq(accounts.email, idOrEmail.toLowerCase()));
      const [row] = await tx
        .select()
        .from(accounts)
        .where(and(eq(accounts.environment, environment), isIt))
        .for('no key update');
      if (!row) throw new ChangeRefused(`There is no account ${idOrEmail} in ${environment}.`);
      if (row.tier === tier) return row.id;
      await tx.update(accounts).set({ tier }).where(eq(accounts.id, row.id));
      const change = { before: { tier: row.tier }, after: { tier }, ...(reason === undefined ? {} : { reason }) };
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor, action: 'account_tier_set', subject: row.id, ...change },
      );
      return row.id;
    });
    const isLive = and(eq(applications.accountId, accountId), ne(applications.state, 'deleted'));
    const live = await this.database.tables.select({ id: applications.id }).from(applications).where(isLive);
    for (const { id } of live) await this.policies.publish(id);
    return accountId;
  }
}
