import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts } from '../database/schema.js';
import { withEmail, withId } from './account-scope.js';
import { Passwords } from './passwords.js';
import { SessionsService, type Visitor } from './sessions.service.js';

/** `cookie`: the Set-Cookie header. An unknown address and a wrong password are both `wrong`, after the same work. */
export type LogIn =
  | { readonly ok: true; readonly cookie: string }
  | { readonly ok: false; readonly why: 'wrong' | 'not_verified' };

/**
 * Checks passwords and begins sessions. Callers must count attempts first (portal/accounts/attempts.ts). Methods reject with PasswordsBusyError,
 * or if the database or the store is unavailable.
 */
@Injectable()
export class LogInService {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
  ) {}

  /** Ends the session of `oldCookie` (a Cookie header) and begins a new one, so that a known session id can't be reused (session fixation). */
  async logIn(email: string, password: string, oldCookie: string | undefined): Promise<LogIn> {
    const { id, passwordHash, verifiedAt } = accounts;
    const [account] = await this.database.tables
      .select({ id, passwordHash, verifiedAt })
      .from(accounts)
      .where(withEmail(this.config, email));
    const isRight = await this.passwords.verify(password, account?.passwordHash ?? null);
    if (!isRight || !account?.passwordHash) return { ok: false, why: 'wrong' };
    if (account.verifiedAt === null) return { ok: false, why: 'not_verified' };
    const cookie = await this.#begin(account.id, account.passwordHash, oldCookie);
    return cookie === undefined ? { ok: false, why: 'wrong' } : { ok: true, cookie };
  }

  /** Replaces the session of `oldCookie` if the password is correct, and returns the new cookie; undefined if it is wrong. */
  async confirm({ accountId }: Visitor, password: string, oldCookie: string | undefined): Promise<string | undefined> {
    const passwordHash = await this.#hashOf(accountId);
    const isRight = await this.passwords.verify(password, passwordHash);
    return isRight && passwordHash !== null ? await this.#begin(accountId, passwordHash, oldCookie) : undefined;
  }

  /** Whether the visitor's password is correct. */
  async isPasswordOf({ accountId }: Visitor, password: string): Promise<boolean> {
    return await this.passwords.verify(password, await this.#hashOf(accountId));
  }

  async #begin(accountId: string, passwordHash: string, oldCookie: string | undefined): Promise<string | undefined> {
    await this.sessions.end(oldCookie);
    const cookie = await this.sessions.begin(accountId);
    // If the password changed since the check, this session may have begun after all others were revoked.
    if ((await this.#hashOf(accountId)) === passwordHash) return cookie;
    await this.sessions.end(cookie);
    return undefined;
  }

  async #hashOf(accountId: string): Promise<string | null> {
    const { passwordHash } = accounts;
    const [row] = await this.database.tables
      .select({ passwordHash })
      .from(accounts)
      .where(withId(this.config, accountId));
    return row?.passwordHash ?? null;
  }
}
