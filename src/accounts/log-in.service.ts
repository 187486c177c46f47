import { Inject, Injectable } from '@nestjs/common';
import { eq } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts, secondFactors } from '../database/schema.js';
import { withEmail, withId } from './account-scope.js';
import { DeviceCookies } from './device-cookies.js';
import { type CancelableRequest, ownerOf, Passwords } from './passwords.js';
import { type CodeCheck, SecondFactors } from './second-factors.service.js';
import { SessionsService, type Visitor } from './sessions.service.js';

/** `cookie`: the Set-Cookie header of the new session. `needsCode`: the session grants nothing until `enterCode`. */
export interface LogIn {
  readonly cookie: string;
  readonly needsCode: boolean;
}

/** The browser of a login. */
export interface LogInBrowser {
  /** Its Cookie header; undefined = none. */
  readonly cookie: string | undefined;
  /** Its network: an IPv4 address or an IPv6 /48 network. */
  readonly network: string;
  /** Its request: once that is canceled, the password isn't checked. */
  readonly request: CancelableRequest | undefined;
}

/** Why a code didn't log in. `expired`: the session no longer waits for a code. */
export type CodeRefusal = Exclude<CodeCheck, 'right'> | 'expired';

type Credentials = Pick<typeof accounts.$inferSelect, 'id' | 'name' | 'email' | 'passwordHash' | 'verifiedAt'> & {
  readonly generation: number;
  readonly hasFactor: boolean;
};

/**
 * Checks passwords and codes, and begins sessions. Callers must count attempts first (portal/accounts/attempts.ts). Methods reject with
 * PasswordsBusyError, or if the database or the store is unavailable.
 */
@Injectable()
export class LogInService {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly passwords: Passwords,
    private readonly devices: DeviceCookies,
    private readonly factors: SecondFactors,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Ends the session of the browser and begins a new one, so that a known session id can't be reused (session fixation). A browser that is known
   * for the account waits with those of other accounts for the hash of its password, any other one with those of other networks. Undefined for an
   * unknown address, an inactive account and a wrong password, after the same work.
   */
  async logIn(
    email: string,
    password: string,
    { cookie: oldCookie, network, request }: LogInBrowser,
  ): Promise<LogIn | undefined> {
    const account = await this.#read(withEmail(this.config, email));
    const isKnown = account !== undefined && this.devices.idOf(oldCookie, email) !== undefined;
    const caller = isKnown ? ownerOf(account.id, request) : { key: network, isKnown, request };
    const isRight = await this.passwords.verify(caller, password, account?.passwordHash ?? null);
    if (!isRight || !account?.verifiedAt) return undefined;
    const cookie = await this.#begin(account, oldCookie, account.hasFactor);
    return cookie === undefined ? undefined : { cookie, needsCode: account.hasFactor };
  }

  /**
   * Logs in the owner of an account whose password a form just set through an activation link. Ends the session of `oldCookie`. Undefined if
   * the account changed since.
   */
  async afterActivation(accountId: string, oldCookie: string | undefined): Promise<LogIn | undefined> {
    const account = await this.#read(withId(this.config, accountId));
    if (!account?.verifiedAt) return undefined;
    const cookie = await this.#begin(account, oldCookie, account.hasFactor);
    return cookie === undefined ? undefined : { cookie, needsCode: account.hasFactor };
  }

  /** Replaces the session of `oldCookie`, which waits for a code, by one that is logged in. */
  async enterCode(
    accountId: string,
    code: string,
    oldCookie: string | undefined,
  ): Promise<{ readonly cookie: string; readonly email: string } | CodeRefusal> {
    const account = await this.#read(withId(this.config, accountId));
    // In this order: a password that changes after the read ends the waiting session or is noticed at the end.
    if (!account?.email || (await this.sessions.awaitingCode(oldCookie)) !== accountId) return 'expired';
    const { name, email } = account;
    const check = await this.factors.check({ accountId, name, email }, code);
    if (check !== 'right') return check;
    if (!(await this.sessions.take(oldCookie))) return 'expired';
    const cookie = await this.#begin(account, undefined, false);
    return cookie === undefined ? 'expired' : { cookie, email };
  }

  /**
   * Replaces the session of `oldCookie` if the password is correct, and returns the new cookie. `wrong`: the password is;
   * `expired`: the session was revoked.
   */
  async confirm(
    { accountId, session }: Visitor,
    password: string,
    oldCookie: string | undefined,
    request: CancelableRequest | undefined,
  ): Promise<{ readonly cookie: string } | 'wrong' | 'expired'> {
    const account = await this.#read(withId(this.config, accountId));
    const isRight = await this.passwords.verify(ownerOf(accountId, request), password, account?.passwordHash ?? null);
    if (!isRight || !account) return 'wrong';
    // Only an active session is replaced: the others may have been revoked because the account now has a second factor.
    if (account.generation !== session.generation || !(await this.sessions.take(oldCookie))) return 'expired';
    const cookie = await this.#begin(account, undefined, false);
    return cookie === undefined ? 'expired' : { cookie };
  }

  /** Whether the visitor's password is correct. */
  async isPasswordOf(
    { accountId }: Visitor,
    password: string,
    request: CancelableRequest | undefined,
  ): Promise<boolean> {
    const account = await this.#read(withId(this.config, accountId));
    return await this.passwords.verify(ownerOf(accountId, request), password, account?.passwordHash ?? null);
  }

  async #begin(account: Credentials, oldCookie: string | undefined, needsCode: boolean): Promise<string | undefined> {
    await this.sessions.end(oldCookie);
    const cookie = needsCode
      ? await this.sessions.beginAwaitingCode(account.id, account.generation)
      : await this.sessions.begin(account.id, account.generation);
    // If the password or the second factor changed since the check, the person must log in again.
    const now = await this.#read(withId(this.config, account.id));
    if (now?.generation === account.generation && now.hasFactor === account.hasFactor) return cookie;
    await this.sessions.end(cookie);
    return undefined;
  }

  async #read(condition: ReturnType<typeof withId>): Promise<Credentials | undefined> {
    const { id, name, email, passwordHash, verifiedAt, sessionsGeneration: generation } = accounts;
    const [row] = await this.database.tables
      .select({ id, name, email, passwordHash, verifiedAt, generation, factorOf: secondFactors.accountId })
      .from(accounts)
      .leftJoin(secondFactors, eq(secondFactors.accountId, id))
      .where(condition);
    return row && { ...row, hasFactor: row.factorOf !== null };
  }
}
