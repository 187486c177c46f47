import { randomBytes } from 'node:crypto';
import { asc, eq, isNotNull, or } from 'drizzle-orm';
import type { Config } from '../config/config.module.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { accounts } from '../database/schema.js';
import { AccountLinks } from './account-links.js';

/** An account as a list shows it. */
export interface AccountRow {
  readonly id: string;
  readonly name: string;
  /** Null only where nobody can log in. */
  readonly email: string | null;
  readonly role: string;
  readonly verifiedAt: Date | null;
}

/** What ops do with accounts of people, on the database itself; every change is audited as theirs. */
export class AccountAdmin {
  readonly #links: AccountLinks;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {
    this.#links = new AccountLinks(database, config);
  }

  /** Accounts somebody can log in with, oldest first. */
  async list(): Promise<readonly AccountRow[]> {
    const { id, name, email, role, verifiedAt, createdAt } = accounts;
    return await this.database.tables
      .select({ id, name, email, role, verifiedAt })
      .from(accounts)
      .where(isNotNull(email))
      .orderBy(asc(createdAt), asc(id));
  }

  /** Makes an account of ops without a password; the secret of the link that sets one. `email` in lower case. Throws when it has an account. */
  async createOps(name: string, email: string): Promise<{ readonly id: string; readonly secret: string }> {
    const id = `acc_${randomBytes(10).toString('hex')}`;
    return await this.database.tables.transaction(async (tx) => {
      const [row] = await tx
        .insert(accounts)
        .values({ id, name, email, tier: this.config.portal.defaultTier, role: 'ops' })
        .onConflictDoNothing({ target: accounts.email })
        .returning({ id: accounts.id });
      if (!row) throw new Error(`${email} has an account: gw accounts promote ${email}`);
      await recordAudit(
        { tables: tx },
        { actor: 'ops', action: 'account_created', subject: id, after: { role: 'ops' } },
      );
      return { id, secret: await this.#links.make(id, 'reset', tx) };
    });
  }

  /** Sets what the account of an id or address may do, on its next request. Throws when there is none, or when it is not active. */
  async setRole(idOrEmail: string, role: 'developer' | 'ops'): Promise<AccountRow> {
    return await this.database.tables.transaction(async (tx) => {
      const isMeant = or(eq(accounts.id, idOrEmail), eq(accounts.email, idOrEmail.toLowerCase()));
      const [account] = await tx.select().from(accounts).where(isMeant).for('update');
      if (!account) throw new Error(`there is no account ${idOrEmail}`);
      // The address of an account that is not active may be anybody's.
      if (role === 'ops' && account.verifiedAt === null)
        throw new Error(`the account ${idOrEmail} is not active: its address is not verified`);
      if (account.role !== role) {
        await tx.update(accounts).set({ role }).where(eq(accounts.id, account.id));
        const change = { before: { role: account.role }, after: { role } };
        await recordAudit({ tables: tx }, { actor: 'ops', action: 'role_changed', subject: account.id, ...change });
      }
      return { ...account, role };
    });
  }
}
