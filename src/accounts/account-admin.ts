import { randomBytes } from 'node:crypto';
import { and, asc, eq, isNotNull, or } from 'drizzle-orm';
import type { Config } from '../config/config.module.js';
import type { Keys } from '../config/keys.js';
import { createLogger } from '../config/logger.js';
import { changeBy, endBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { accounts, secondFactors } from '../database/schema.js';
import { Outbox } from '../mail/outbox.js';
import { siteUrl } from '../mail/site-address.js';
import { secondFactorRemovedEmail } from './account-emails.js';
import { AccountLinks } from './account-links.js';
import { withEmail, withId } from './account-scope.js';

/** An account in a list. */
export interface AccountRow {
  readonly id: string;
  readonly name: string;
  /** Null only for accounts without login. */
  readonly email: string | null;
  readonly role: string;
  readonly verifiedAt: Date | null;
}

const ACTOR = 'ops';

/** Operator commands for the accounts of one environment, directly on the database. Every change is audited with the actor `ops`. */
export class AccountAdmin {
  readonly #links: AccountLinks;
  readonly #outbox: Outbox;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    keys: Keys,
  ) {
    this.#links = new AccountLinks(database, config, keys);
    this.#outbox = new Outbox(database, config, keys, createLogger('silent'));
  }

  /** Accounts with a login, oldest first. */
  async list(): Promise<readonly AccountRow[]> {
    const { id, name, email, role, verifiedAt, createdAt } = accounts;
    return await this.database.tables
      .select({ id, name, email, role, verifiedAt })
      .from(accounts)
      .where(and(eq(accounts.environment, this.config.environment), isNotNull(email)))
      .orderBy(asc(createdAt), asc(id));
  }

  /** Creates an operator account without a password and returns the secret of the link to set one. `email` in lowercase; throws if it has an account. */
  async createOps(name: string, email: string): Promise<{ readonly id: string; readonly secret: string }> {
    const { environment, portal } = this.config;
    const id = `acc_${randomBytes(10).toString('hex')}`;
    return await changeBy(this.database, ACTOR, async (tx) => {
      const [row] = await tx
        .insert(accounts)
        .values({ id, environment, name, email, tier: portal.defaultTier, role: 'ops' })
        .onConflictDoNothing({ target: [accounts.environment, accounts.email] })
        .returning({ id: accounts.id });
      if (!row)
        throw new Error(
          `${email} already has an account in ${environment}. To make it an operator, run: gw accounts promote ${email}`,
        );
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor: ACTOR, action: 'account_created', subject: id, after: { role: 'ops' } },
      );
      return { id, secret: await this.#links.make(id, 'reset', tx) };
    });
  }

  /**
   * Turns off the second factor of an account, whose device and recovery codes are lost, and notifies its owner. Throws if there is
   * none, or if the account has another role than `only`.
   */
  async resetFactor(idOrEmail: string, only?: 'developer'): Promise<AccountRow> {
    return await changeBy(this.database, ACTOR, async (tx) => {
      const account = await this.#lock(tx, idOrEmail);
      if (only !== undefined && account.role !== only)
        throw new Error(
          `${idOrEmail} is an operator. Only an operator on /ops/commands, or gw on the machine of a gateway, turns off the second factor of an operator`,
        );
      const removed = await tx.delete(secondFactors).where(eq(secondFactors.accountId, account.id)).returning();
      if (removed.length === 0) throw new Error(`the account ${idOrEmail} has no second factor`);
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor: ACTOR, action: 'second_factor_removed', subject: account.id },
      );
      const { name, email } = account;
      const resetUrl = siteUrl(this.config, this.config.http.port, '/reset');
      if (email !== null) await this.#outbox.put({ to: email, ...secondFactorRemovedEmail(name, true, resetUrl) }, tx);
      return account;
    });
  }

  /** Sets the role of an account, effective on its next request. Throws if the account doesn't exist or isn't active. */
  async setRole(idOrEmail: string, role: 'developer' | 'ops'): Promise<AccountRow> {
    return await (role === 'ops' ? changeBy : endBy)(this.database, ACTOR, async (tx) => {
      const account = await this.#lock(tx, idOrEmail);
      // An inactive account doesn't prove that its owner controls the address.
      if (role === 'ops' && account.verifiedAt === null)
        throw new Error(`the account ${idOrEmail} is not active: its email address is not verified`);
      if (account.role !== role) {
        await tx.update(accounts).set({ role }).where(eq(accounts.id, account.id));
        const change = { before: { role: account.role }, after: { role } };
        await recordAudit(
          { tables: tx, environment: this.config.environment },
          { actor: ACTOR, action: 'role_changed', subject: account.id, ...change },
        );
      }
      return { ...account, role };
    });
  }

  async #lock(tx: Tables, idOrEmail: string): Promise<typeof accounts.$inferSelect> {
    const matches = or(withId(this.config, idOrEmail), withEmail(this.config, idOrEmail.toLowerCase()));
    const [account] = await tx.select().from(accounts).where(matches).for('update');
    if (!account) throw new Error(`no account found for ${idOrEmail} in ${this.config.environment}`);
    return account;
  }
}
