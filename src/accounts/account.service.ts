import { Inject, Injectable } from '@nestjs/common';
import { desc, eq, inArray, sql } from 'drizzle-orm';
import { union } from 'drizzle-orm/pg-core';
import { CONFIG, type Config } from '../config/config.module.js';
import { changeBy, endBy, SessionRevokedError } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts, auditEvents } from '../database/schema.js';
import { AccountLinks, type LinkOwner } from './account-links.js';
import { AccountMail } from './account-mail.js';
import { withEmail } from './account-scope.js';
import { BackgroundTasks } from './background-tasks.js';
import { type CancelableRequest, ownerOf, Passwords } from './passwords.js';
import { SessionsService, type Visitor } from './sessions.service.js';

/** One audited change to an account or by its owner. `actor` is `ops`, `system` or an account id. */
export interface AccountEvent {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A change that is made together with a password reset. */
export interface AlongWithReset {
  /** In the transaction of the reset. If it fails, the password stays. */
  change(tx: Tables): Promise<void>;
  /** After the commit. */
  finish(): Promise<void>;
}

/** Changes existing accounts. Each change and its row of audit_events are one transaction. */
@Injectable()
export class AccountService {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
    private readonly links: AccountLinks,
    private readonly mail: AccountMail,
    private readonly backgroundTasks: BackgroundTasks,
  ) {}

  /**
   * Emails a link to set a new password if the address has an account; an inactive one gets its activation link, unless sign-ups are paused
   * (AccountMail). The response and its time don't reveal whether it has.
   */
  async askReset(email: string): Promise<void> {
    const { id, name, verifiedAt } = accounts;
    const [account] = await this.database.tables
      .select({ id, name, verifiedAt })
      .from(accounts)
      .where(withEmail(this.config, email));
    this.backgroundTasks.run('password reset email', async () => {
      if (!account) return;
      if (account.verifiedAt !== null) await this.mail.sendReset({ ...account, email });
      else if (await this.mail.hasRoomForSignUps()) await this.mail.sendVerify({ ...account, email });
    });
  }

  /**
   * Sets the password through a link and activates the account, because the link proves who owns the address. Ends all sessions and all other
   * links. `along` revokes the credentials of the account's applications. False if the link is no longer valid. May reject with
   * PasswordsBusyError, including because `request` was canceled.
   */
  async resetPassword(
    secret: string,
    owner: LinkOwner,
    password: string,
    request: CancelableRequest | undefined,
    along?: AlongWithReset,
  ): Promise<boolean> {
    const isDone = await this.links.whileLive(secret, 'reset', owner.accountId, async () => {
      const passwordHash = await this.passwords.hash(ownerOf(owner.accountId, request), password);
      return await this.database.tables.transaction(async (tx) => {
        if (!(await this.links.use(secret, 'reset', owner.accountId, tx))) return false;
        await this.#setPassword(tx, owner.accountId, passwordHash, 'password_reset');
        await along?.change(tx);
        return true;
      });
    });
    if (!isDone) return false;
    await along?.finish();
    this.backgroundTasks.run('password reset email', () => this.mail.sendPasswordReset(owner, along !== undefined));
    return true;
  }

  /**
   * Like `resetPassword`, for a visitor who entered the current password. Returns the Set-Cookie header of the only
   * remaining session. Throws SessionRevokedError if the session of `cookie` was revoked, so that nothing was changed.
   */
  async changePassword(
    visitor: Visitor,
    password: string,
    cookie: string | undefined,
    request: CancelableRequest | undefined,
  ): Promise<string> {
    const { accountId, name, email } = visitor;
    const passwordHash = await this.passwords.hash(ownerOf(accountId, request), password);
    if (!(await this.sessions.take(cookie))) throw new SessionRevokedError();
    const generation = await endBy(this.database, visitor, (tx) =>
      this.#setPassword(tx, accountId, passwordHash, 'password_changed'),
    );
    this.backgroundTasks.run('password change email', () => this.mail.sendPasswordChanged({ name, email }));
    return await this.sessions.begin(accountId, generation);
  }

  /** Throws SessionRevokedError if the visitor's sessions were revoked, so that nothing was changed. */
  async changeName(visitor: Visitor, name: string): Promise<void> {
    const { accountId, name: before } = visitor;
    if (name === before) return;
    await changeBy(this.database, visitor, async (tx) => {
      await tx.update(accounts).set({ name }).where(eq(accounts.id, accountId));
      const change = { before: { name: before }, after: { name } };
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor: accountId, action: 'name_changed', subject: accountId, ...change },
      );
    });
  }

  /**
   * Ends all sessions of the account, on every gateway. Throws SessionRevokedError if the visitor's sessions were revoked before,
   * so that nothing was changed.
   */
  async logOutEverywhere(visitor: Visitor): Promise<void> {
    const { accountId } = visitor;
    await endBy(this.database, visitor, async (tx) => {
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor: accountId, action: 'logged_out_everywhere', subject: accountId },
      );
      await this.sessions.endAll(accountId, tx);
    });
  }

  /** Changes to the account and by its owner, newest first. */
  async newestEvents(accountId: string, count: number): Promise<readonly AccountEvent[]> {
    const { subject, actor, id } = auditEvents;
    const { tables } = this.database;
    const newest = (column: typeof subject | typeof actor) =>
      tables.select({ id }).from(auditEvents).where(eq(column, accountId)).orderBy(desc(id)).limit(count);
    return await tables
      .select()
      .from(auditEvents)
      .where(inArray(id, union(newest(subject), newest(actor))))
      .orderBy(desc(id))
      .limit(count);
  }

  /** Ends all sessions and links; returns the generation of new sessions. */
  async #setPassword(
    tx: Tables,
    accountId: string,
    passwordHash: string,
    action: 'password_reset' | 'password_changed',
  ): Promise<number> {
    const verifiedAt = sql`coalesce(${accounts.verifiedAt}, now())`;
    await tx.update(accounts).set({ passwordHash, verifiedAt }).where(eq(accounts.id, accountId));
    await this.links.endAll(accountId, tx);
    await recordAudit(
      { tables: tx, environment: this.config.environment },
      { actor: accountId, action, subject: accountId },
    );
    return await this.sessions.endAll(accountId, tx);
  }
}
