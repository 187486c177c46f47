import { Inject, Injectable } from '@nestjs/common';
import { desc, eq, or, sql } from 'drizzle-orm';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts, auditEvents } from '../database/schema.js';
import { AccountLinks, type LinkOwner } from './account-links.js';
import { AccountMail } from './account-mail.js';
import { BackgroundTasks } from './background-tasks.js';
import { Passwords } from './passwords.js';
import { SessionsService, type Visitor } from './sessions.service.js';

/** One change of an account or by its owner. `actor` is `ops`, `system` or an account id; `before` and `after` are as they were recorded. */
export interface AccountEvent {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What is done to an account that exists. Changes stand with their row of audit_events in one transaction. */
@Injectable()
export class AccountService {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
    private readonly links: AccountLinks,
    private readonly mail: AccountMail,
    private readonly backgroundTasks: BackgroundTasks,
  ) {}

  /** Mails a link that sets a new password, if the address has an account; how long it takes tells nobody whether. */
  async askReset(email: string): Promise<void> {
    const { id, name, verifiedAt } = accounts;
    const [account] = await this.database.tables
      .select({ id, name, verifiedAt })
      .from(accounts)
      .where(eq(accounts.email, email));
    this.backgroundTasks.run('mail of a password reset', async () => {
      if (account) await this.mail.sendReset({ ...account, email });
    });
  }

  /**
   * Sets the password by a link and activates the account, for the link shows whose the address is. All sessions and all other links end. False = the
   * link works no more. Rejects with PasswordsBusyError, too.
   */
  async resetPassword(secret: string, owner: LinkOwner, password: string): Promise<boolean> {
    const passwordHash = await this.passwords.hash(password);
    const isDone = await this.database.tables.transaction(async (tx) => {
      const accountId = await this.links.use(secret, 'reset', tx);
      if (accountId === undefined) return false;
      await this.#setPassword(tx, accountId, passwordHash, 'password_reset');
      return true;
    });
    if (isDone) await this.#passwordWasSet(owner);
    return isDone;
  }

  /** As `resetPassword`, for somebody who gave the present one; the value of the Set-Cookie header of the only session that is left. */
  async changePassword({ accountId, name, email }: Visitor, password: string): Promise<string> {
    const passwordHash = await this.passwords.hash(password);
    await this.database.tables.transaction((tx) => this.#setPassword(tx, accountId, passwordHash, 'password_changed'));
    await this.#passwordWasSet({ accountId, name, email });
    return await this.sessions.begin(accountId);
  }

  async changeName({ accountId, name: before }: Visitor, name: string): Promise<void> {
    await this.database.tables.transaction(async (tx) => {
      await tx.update(accounts).set({ name }).where(eq(accounts.id, accountId));
      const change = { before: { name: before }, after: { name } };
      await recordAudit({ tables: tx }, { actor: accountId, action: 'name_changed', subject: accountId, ...change });
    });
  }

  /** Ends all sessions of the account, on every gateway. */
  async logOutEverywhere({ accountId }: Visitor): Promise<void> {
    await this.database.tables.transaction(async (tx) => {
      await recordAudit({ tables: tx }, { actor: accountId, action: 'logged_out_everywhere', subject: accountId });
      await this.sessions.endAll(accountId);
    });
  }

  /** What happened to the account and what its owner did, newest first. */
  async newestEvents(accountId: string, count: number): Promise<readonly AccountEvent[]> {
    const { subject, actor, id } = auditEvents;
    return await this.database.tables
      .select()
      .from(auditEvents)
      .where(or(eq(subject, accountId), eq(actor, accountId)))
      .orderBy(desc(id))
      .limit(count);
  }

  /** Sessions end inside the transaction: if the store is away, nothing was changed. */
  async #setPassword(
    tx: Tables,
    accountId: string,
    passwordHash: string,
    action: 'password_reset' | 'password_changed',
  ): Promise<void> {
    const verifiedAt = sql`coalesce(${accounts.verifiedAt}, now())`;
    await tx.update(accounts).set({ passwordHash, verifiedAt }).where(eq(accounts.id, accountId));
    await this.links.endAll(accountId, tx);
    await recordAudit({ tables: tx }, { actor: accountId, action, subject: accountId });
    await this.sessions.endAll(accountId);
  }

  /** Once more: a session may have begun with the old password before the change was to be seen. */
  async #passwordWasSet({ accountId, name, email }: LinkOwner): Promise<void> {
    await this.sessions.endAll(accountId);
    this.backgroundTasks.run('mail of a changed password', () => this.mail.sendPasswordChanged({ name, email }));
  }
}
