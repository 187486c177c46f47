import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts } from '../database/schema.js';
import { AccountLinks, type LinkOwner } from './account-links.js';
import { AccountMail, type Addressee } from './account-mail.js';
import { withEmail } from './account-scope.js';
import { BackgroundTasks } from './background-tasks.js';
import { type CancelableRequest, ownerOf, Passwords } from './passwords.js';

/** The input of a sign-up; `email` in lowercase. */
export interface SignUp {
  readonly name: string;
  readonly email: string;
}

/** What the owner of the address enters behind the link. */
export interface Activation {
  readonly name: string;
  readonly password: string;
}

/**
 * From sign-up to an active account (spec §1.1). The password is set behind the emailed link, so only the owner of the address ever knows it
 * (no account pre-hijacking). The response and its duration are the same whether or not the address has an account; only its owner learns that,
 * by email. Every method rejects if the database is unavailable.
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

  /** Throws SignUpsPausedError, whether or not the address has an account. */
  async signUp({ name, email }: SignUp): Promise<void> {
    await this.mail.requireRoomForSignUp();
    const { environment, portal } = this.config;
    const id = `acc_${randomBytes(10).toString('hex')}`;
    await this.database.tables
      .insert(accounts)
      .values({ id, environment, name, tier: portal.defaultTier, email })
      .onConflictDoNothing({ target: [accounts.environment, accounts.email] });
    this.backgroundTasks.run('sign-up email', async () => {
      const account = await this.#byEmail(email);
      if (!account) return;
      if (account.verifiedAt === null) await this.mail.sendVerify(account);
      else await this.mail.sendTaken(account);
    });
  }

  /** Emails an activation link if the address has an inactive account. Throws SignUpsPausedError, whether or not it has. */
  async resend(email: string): Promise<void> {
    await this.mail.requireRoomForSignUp();
    const account = await this.#byEmail(email);
    this.backgroundTasks.run('activation email', async () => {
      if (account?.verifiedAt === null) await this.mail.sendVerify(account);
    });
  }

  /**
   * Activates the account of a link with this name and password, and invalidates its other links. `along` changes more in the same transaction.
   * False if the link is invalid. May reject with PasswordsBusyError, including because `request` was canceled.
   */
  async activate(
    secret: string,
    { accountId }: LinkOwner,
    { name, password }: Activation,
    request: CancelableRequest | undefined,
    along?: (tx: Tables) => Promise<void>,
  ): Promise<boolean> {
    return await this.links.whileLive(secret, 'verify', accountId, async () => {
      const passwordHash = await this.passwords.hash(ownerOf(accountId, request), password);
      return await this.database.tables.transaction(async (tx) => {
        if (!(await this.links.use(secret, 'verify', accountId, tx))) return false;
        const verifiedAt = sql`now()`;
        await tx.update(accounts).set({ name, passwordHash, verifiedAt }).where(eq(accounts.id, accountId));
        await this.links.endAll(accountId, tx);
        await recordAudit(
          { tables: tx, environment: this.config.environment },
          { actor: accountId, action: 'account_activated', subject: accountId },
        );
        await along?.(tx);
        return true;
      });
    });
  }

  async #byEmail(email: string): Promise<Addressee | undefined> {
    const { id, name, verifiedAt } = accounts;
    const [row] = await this.database.tables
      .select({ id, name, verifiedAt })
      .from(accounts)
      .where(withEmail(this.config, email));
    return row && { ...row, email };
  }
}
