import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts } from '../database/schema.js';
import { AccountLinks } from './account-links.js';
import { AccountMail, type Addressee } from './account-mail.js';
import { withEmail } from './account-scope.js';
import { BackgroundTasks } from './background-tasks.js';
import { Passwords } from './passwords.js';

/** The input of a sign-up; `email` in lowercase. */
export interface SignUp {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/**
 * From sign-up to an active account (spec §1.1). The response and its duration are the same whether or not the address has an account; only its
 * owner learns that, by email. Every method rejects if the database is unavailable.
 */
@Injectable()
export class SignUpService {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly passwords: Passwords,
    private readonly links: AccountLinks,
    private readonly mail: AccountMail,
    private readonly backgroundTasks: BackgroundTasks,
  ) {}

  /** May reject with PasswordsBusyError. */
  async signUp({ name, email, password }: SignUp): Promise<void> {
    const { tables } = this.database;
    const { environment, portal } = this.config;
    const known = await this.#byEmail(email);
    const isSamePassword = await this.passwords.verify(password, known?.passwordHash ?? null);
    const passwordHash = await this.passwords.hash(password);
    const id = `acc_${randomBytes(10).toString('hex')}`;
    const [created] = await tables
      .insert(accounts)
      .values({ id, environment, name, tier: portal.defaultTier, email, passwordHash })
      .onConflictDoNothing({ target: [accounts.environment, accounts.email] })
      .returning({ id: accounts.id });
    this.backgroundTasks.run('sign-up email', async () => {
      const account = await this.#byEmail(email);
      if (!account) return;
      if (created || (isSamePassword && account.verifiedAt === null)) await this.mail.sendVerify(account);
      else if (account.verifiedAt !== null) await this.mail.sendTaken(account);
      else await this.#letOwnerChoose(account);
    });
  }

  /** Emails an activation link if the address has an inactive account. */
  async resend(email: string): Promise<void> {
    const account = await this.#byEmail(email);
    this.backgroundTasks.run('activation email', async () => {
      if (!account || account.verifiedAt !== null) return;
      if (account.passwordHash === null) await this.mail.sendChoose(account);
      else await this.mail.sendVerify(account);
    });
  }

  /** Activates the account of a link. False if the link is invalid. */
  async activate(secret: string): Promise<boolean> {
    return await this.database.tables.transaction(async (tx) => {
      const accountId = await this.links.use(secret, 'verify', tx);
      if (accountId === undefined) return false;
      await tx
        .update(accounts)
        .set({ verifiedAt: sql`coalesce(${accounts.verifiedAt}, now())` })
        .where(eq(accounts.id, accountId));
      await this.links.endAll(accountId, tx, 'verify');
      return true;
    });
  }

  /** Two people may have signed up with the address, so both passwords are discarded and its owner sets one. */
  async #letOwnerChoose(account: Addressee): Promise<void> {
    await this.database.tables.transaction(async (tx) => {
      const isNotActive = and(eq(accounts.id, account.id), isNull(accounts.verifiedAt));
      await tx.update(accounts).set({ passwordHash: null }).where(isNotActive);
      await this.links.endAll(account.id, tx, 'verify');
    });
    await this.mail.sendChoose(account);
  }

  async #byEmail(email: string): Promise<(Addressee & { readonly passwordHash: string | null }) | undefined> {
    const { id, name, passwordHash, verifiedAt } = accounts;
    const [row] = await this.database.tables
      .select({ id, name, passwordHash, verifiedAt })
      .from(accounts)
      .where(withEmail(this.config, email));
    return row && { ...row, email };
  }
}
