import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts } from '../database/schema.js';
import type { Session, Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { withId } from './account-scope.js';

/** A logged-in person. */
export interface Visitor {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly environment: Config['environment'];
  readonly role: 'developer' | 'ops';
  readonly session: Session;
}

/** Whether a person may decide on requests for production access: only operators of production may. */
export function mayDecide({ environment, role }: Pick<Visitor, 'environment' | 'role'>): boolean {
  return environment === 'production' && role === 'ops';
}

/** `__Host-`: this origin only, and never over plain HTTP except on loopback. */
const COOKIE = '__Host-forecourt';
const VALUE = /^([a-z0-9]{1,40})\.([\w-]{43})$/;

/**
 * Login sessions: a random secret in a cookie, its HMAC in the store. The key and the account belong to the environment: a session of one
 * environment opens nothing in the other.
 */
@Injectable()
export class SessionsService {
  readonly #key: KeyObject;
  readonly #idleMs: number;
  readonly #longestMs: number;

  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#key = keys('session_digest');
    this.#idleMs = config.portal.sessionIdleMinutes * 60_000;
    this.#longestMs = config.portal.sessionDays * 86_400_000;
  }

  /** Begins a session and returns its Set-Cookie header. */
  async begin(accountId: string): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const now = Date.now();
    await this.store.saveSession(
      this.#digestOf(secret),
      { accountId, createdAtMs: now, confirmedAtMs: now },
      this.#idleMs,
    );
    return cookie(`${accountId.replace(/^acc_/, '')}.${secret}`, this.#longestMs / 1000);
  }

  /** The visitor with this Cookie header; undefined without a valid session. */
  async visitor(cookieHeader: string | undefined): Promise<Visitor | undefined> {
    const parsed = parse(cookieHeader);
    if (!parsed) return undefined;
    const session = await this.store.readSession(parsed.accountId, this.#digestOf(parsed.secret), this.#idleMs);
    if (!session || session.createdAtMs + this.#longestMs < Date.now()) return undefined;
    const [account] = await this.database.tables.select().from(accounts).where(withId(this.config, parsed.accountId));
    if (!account?.email || account.verifiedAt === null) return undefined;
    const { name, email } = account;
    const role = account.role === 'ops' ? 'ops' : 'developer';
    return { accountId: parsed.accountId, name, email, environment: this.config.environment, role, session };
  }

  /** Whether the browser sent a session cookie. Without a visitor, the session has expired. */
  hasCookie(cookieHeader: string | undefined): boolean {
    return parse(cookieHeader) !== undefined;
  }

  /** Ends the session of this Cookie header and returns the Set-Cookie header that removes the cookie. */
  async end(cookieHeader: string | undefined): Promise<string> {
    const parsed = parse(cookieHeader);
    if (parsed) await this.store.endSession(parsed.accountId, this.#digestOf(parsed.secret));
    return cookie('', 0);
  }

  /** Ends all sessions of an account. */
  async endAll(accountId: string): Promise<void> {
    await this.store.endSessions(accountId);
  }

  #digestOf(secret: string): string {
    return createHmac('sha256', this.#key).update(secret).digest('base64url');
  }
}

function parse(cookieHeader: string | undefined): { accountId: string; secret: string } | undefined {
  const values = (cookieHeader ?? '').split(';').flatMap((part) => {
    const [name, value = ''] = part.trim().split('=', 2);
    return name === COOKIE ? [value] : [];
  });
  const [, account, secret] = (values.length === 1 && VALUE.exec(values[0] ?? '')) || [];
  return account && secret ? { accountId: `acc_${account}`, secret } : undefined;
}

function cookie(value: string, maxAgeSeconds: number): string {
  return `${COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; Secure; HttpOnly; SameSite=Lax`;
}
