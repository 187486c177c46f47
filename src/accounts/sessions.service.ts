import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { and, eq, sql } from 'drizzle-orm';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts, applications, secondFactors } from '../database/schema.js';
import type { Session, Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { withId } from './account-scope.js';
import { cookieIn } from './cookies.js';

/** A logged-in person. */
export interface Visitor {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly environment: Config['environment'];
  readonly role: 'developer' | 'ops';
  /** Whether logging in to the account requires a code. */
  readonly hasSecondFactor: boolean;
  readonly session: Session;
}

/** Whether a person may decide on requests for production access: only operators of production may. */
export function mayDecide({ environment, role }: Pick<Visitor, 'environment' | 'role'>): boolean {
  return environment === 'production' && role === 'ops';
}

/** `__Host-`: this origin only, and never over plain HTTP except on loopback. */
const COOKIE = '__Host-forecourt';
const VALUE = /^([a-z0-9]{1,40})\.([\w-]{43})$/;
/** The id of no secret: all tokens that were issued for one stay. */
const NO_SECRET = 'none';
/** How long a person may take to enter the code after the password. */
const CODE_WAIT_MS = 600_000;

/**
 * Login sessions: a random secret in a cookie, its HMAC in the store. The key and the account belong to the environment: a session of one
 * environment opens nothing in the other.
 */
@Injectable()
export class SessionsService {
  readonly #keys: AcceptedKeys;
  readonly #idleMs: number;
  readonly #longestMs: number;

  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'session_digest');
    this.#idleMs = config.portal.sessionIdleMinutes * 60_000;
    this.#longestMs = config.portal.sessionDays * 86_400_000;
  }

  /**
   * Begins a session and returns its Set-Cookie header. `generation` is that of the account when its password was
   * checked, or the one that `endAll` returned.
   */
  async begin(accountId: string, generation: number): Promise<string> {
    return await this.#save({ accountId, generation, ...bornNow() }, this.#idleMs, this.#longestMs);
  }

  /** Like `begin`, for a session that grants nothing but entering a code, within ten minutes. */
  async beginAwaitingCode(accountId: string, generation: number): Promise<string> {
    return await this.#save({ accountId, generation, ...bornNow(), awaitsCode: true }, CODE_WAIT_MS, CODE_WAIT_MS);
  }

  /** The account whose session with this Cookie header waits for a code; undefined if there is none. */
  async awaitingCode(cookieHeader: string | undefined): Promise<string | undefined> {
    const parsed = parse(cookieHeader);
    if (!parsed) return undefined;
    const session = (await this.#find(parsed))?.session;
    if (!session?.awaitsCode || session.createdAtMs + CODE_WAIT_MS <= Date.now()) return undefined;
    const { id, sessionsGeneration } = accounts;
    const [account] = await this.database.tables
      .select({ id })
      .from(accounts)
      .where(and(withId(this.config, parsed.accountId), eq(sessionsGeneration, session.generation)));
    return account?.id;
  }

  /** The visitor with this Cookie header; undefined without a valid session. */
  async visitor(cookieHeader: string | undefined): Promise<Visitor | undefined> {
    const parsed = parse(cookieHeader);
    if (!parsed) return undefined;
    const found = await this.#find(parsed);
    if (!found) return undefined;
    const { session, digest } = found;
    if (session.awaitsCode || session.createdAtMs + this.#longestMs < Date.now()) return undefined;
    const { name, email, verifiedAt, role, sessionsGeneration: generation } = accounts;
    const [account] = await this.database.tables
      .select({ name, email, verifiedAt, role, generation, factorOf: secondFactors.accountId })
      .from(accounts)
      .leftJoin(secondFactors, eq(secondFactors.accountId, accounts.id))
      .where(withId(this.config, parsed.accountId));
    if (!account?.email || account.verifiedAt === null || account.generation !== session.generation) return undefined;
    // Only now: one that opens nothing would outlive the valid ones, and end them when there are too many.
    if (!(await this.store.readSession(parsed.accountId, digest, this.#idleMs))) return undefined;
    return {
      accountId: parsed.accountId,
      name: account.name,
      email: account.email,
      environment: this.config.environment,
      role: roleOf(account.role),
      hasSecondFactor: account.factorOf !== null,
      session,
    };
  }

  /**
   * Whether the account of a visitor still has the same role, is active, and hasn't ended all of its sessions since. Unlike `visitor`,
   * doesn't prolong the session, which another one may have replaced by now.
   */
  async isStillIn({ accountId, role, session }: Visitor): Promise<boolean> {
    const { email, verifiedAt, role: roleNow, sessionsGeneration: generation } = accounts;
    const [account] = await this.database.tables
      .select({ email, verifiedAt, roleNow, generation })
      .from(accounts)
      .where(withId(this.config, accountId));
    if (!account?.email || account.verifiedAt === null || account.generation !== session.generation) return false;
    return roleOf(account.roleNow) === role;
  }

  /** Whether the browser sent a session cookie. Without a visitor, the session has expired. */
  hasCookie(cookieHeader: string | undefined): boolean {
    return parse(cookieHeader) !== undefined;
  }

  /** Ends the session of this Cookie header and returns the Set-Cookie header that removes the cookie. */
  async end(cookieHeader: string | undefined): Promise<string> {
    const parsed = parse(cookieHeader);
    if (parsed) await this.#end(parsed);
    return cookie('', 0);
  }

  /**
   * Ends the session of this Cookie header, to replace it. False if there is no such session any more, so that it may
   * not be replaced. Of concurrent requests with one session, one gets true.
   */
  async take(cookieHeader: string | undefined): Promise<boolean> {
    const parsed = parse(cookieHeader);
    return parsed !== undefined && (await this.#end(parsed));
  }

  /**
   * Ends all sessions of an account when the transaction commits, including those that begin before with a password or
   * code checked earlier, and revokes the access tokens that were issued for a session instead of a secret. Returns the
   * generation for sessions that replace them. If the store is unavailable, it throws, so that nothing is changed.
   */
  async endAll(accountId: string, tx: Tables): Promise<number> {
    const { id, sessionsGeneration: generation } = accounts;
    const [row] = await tx
      .update(accounts)
      .set({ sessionsGeneration: sql`${generation} + 1` })
      .where(eq(id, accountId))
      .returning({ generation });
    if (!row) throw new Error(`there is no account ${accountId}`);
    await this.store.endSessions(accountId);
    const owned = await tx
      .select({ applicationId: applications.id })
      .from(applications)
      .where(eq(applications.accountId, accountId));
    await Promise.all(owned.map(({ applicationId }) => this.store.revokeAll({ accountId, applicationId }, NO_SECRET)));
    return row.generation;
  }

  async #save(session: Session, idleMs: number, longestMs: number): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    await this.store.saveSession(digestOf(secret, this.#keys[0]), session, idleMs);
    return cookie(`${session.accountId.replace(/^acc_/, '')}.${secret}`, longestMs / 1000);
  }

  /** The session of a cookie, and its digest, which another gateway may have made with the other secret. */
  async #find({ accountId, secret }: Cookie): Promise<{ session: Session; digest: string } | undefined> {
    for (const key of this.#keys) {
      const digest = digestOf(secret, key);
      const session = await this.store.readSession(accountId, digest);
      if (session) return { session, digest };
    }
    return undefined;
  }

  /** Whether there was a session to end. */
  async #end({ accountId, secret }: Cookie): Promise<boolean> {
    for (const key of this.#keys) if (await this.store.endSession(accountId, digestOf(secret, key))) return true;
    return false;
  }
}

function digestOf(secret: string, key: KeyObject): string {
  return createHmac('sha256', key).update(secret).digest('base64url');
}

/** What a cookie says. */
interface Cookie {
  readonly accountId: string;
  readonly secret: string;
}

function parse(cookieHeader: string | undefined): Cookie | undefined {
  const [, account, secret] = VALUE.exec(cookieIn(cookieHeader, COOKIE) ?? '') ?? [];
  return account && secret ? { accountId: `acc_${account}`, secret } : undefined;
}

function roleOf(role: string): Visitor['role'] {
  return role === 'ops' ? 'ops' : 'developer';
}

function bornNow(): Pick<Session, 'createdAtMs' | 'confirmedAtMs'> {
  const now = Date.now();
  return { createdAtMs: now, confirmedAtMs: now };
}

function cookie(value: string, maxAgeSeconds: number): string {
  return `${COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; Secure; HttpOnly; SameSite=Lax`;
}
