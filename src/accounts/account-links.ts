import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { and, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accountLinks, accounts } from '../database/schema.js';

/** The purpose of an emailed link: to verify the address or to set a new password. */
export type LinkPurpose = 'verify' | 'reset';

/** The account that a valid link belongs to. */
export interface LinkOwner {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  /** Whether the account has a password; false for a new operator. */
  readonly hasPassword: boolean;
}

/** The state of a link. Also `used` if the account used another link for the same purpose, or if a newer link replaced it. */
export type LinkState = ({ readonly state: 'live' } & LinkOwner) | { readonly state: 'used' | 'expired' | 'unknown' };

/**
 * The path of a link on this site. The secret is the fragment, which browsers don't send, so no proxy or server logs it;
 * the page posts it (portal/assets/link.js).
 */
export function linkPath(purpose: LinkPurpose, secret: string): string {
  return `/${purpose}/link#${secret}`;
}

/** How long an expired link can still report why it is invalid. */
const KEPT_DAYS = 30;

const SECRET = /^[\w-]{43}$/;

/**
 * One-time links: 256 random bits in the email, their HMAC in the database. The key belongs to the environment, so a link of one environment
 * is unknown in the other.
 */
@Injectable()
export class AccountLinks {
  readonly #keys: AcceptedKeys;
  /** The last use of each account's links that this gateway works on. */
  readonly #uses = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'link_digest');
  }

  /** Creates a link and returns its secret. The account's older links stay valid; those that expired weeks ago are deleted. */
  async make(accountId: string, purpose: LinkPurpose, tables: Tables = this.database.tables): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const { linkHours, resetMinutes } = this.config.portal;
    const lifeMinutes = purpose === 'verify' ? linkHours * 60 : resetMinutes;
    const expiresAt = sql`now() + ${lifeMinutes} * interval '1 minute'`;
    const isForgotten = lt(accountLinks.expiresAt, sql`now() - ${KEPT_DAYS} * interval '1 day'`);
    await tables.delete(accountLinks).where(and(eq(accountLinks.accountId, accountId), isForgotten));
    await tables
      .insert(accountLinks)
      .values({ digest: digestOf(secret, this.#keys[0]), accountId, purpose, expiresAt });
    return secret;
  }

  /** Reads the state of a link without using it. */
  async look(secret: string, purpose: LinkPurpose): Promise<LinkState> {
    if (!SECRET.test(secret)) return { state: 'unknown' };
    const [row] = await this.database.tables
      .select({
        accountId: accounts.id,
        name: accounts.name,
        email: accounts.email,
        hasPassword: sql<boolean>`${accounts.passwordHash} is not null`,
        usedAt: accountLinks.usedAt,
        isExpired: sql<boolean>`${accountLinks.expiresAt} <= now()`,
      })
      .from(accountLinks)
      .innerJoin(accounts, eq(accounts.id, accountLinks.accountId))
      .where(and(inArray(accountLinks.digest, this.#digestsOf(secret)), eq(accountLinks.purpose, purpose)));
    if (!row?.email) return { state: 'unknown' };
    if (row.usedAt !== null) return { state: 'used' };
    const { accountId, name, email, hasPassword, isExpired } = row;
    return isExpired ? { state: 'expired' } : { state: 'live', accountId, name, email, hasPassword };
  }

  /**
   * Runs `work`, which uses the link. False, without running it, if the link is no longer valid. Of the uses of an account's links, this
   * gateway runs one at a time, so that a link sent many times concurrently causes the work of one.
   */
  async whileLive(
    secret: string,
    purpose: LinkPurpose,
    accountId: string,
    work: () => Promise<boolean>,
  ): Promise<boolean> {
    const run = async (): Promise<boolean> => (await this.look(secret, purpose)).state === 'live' && (await work());
    const use = (this.#uses.get(accountId) ?? Promise.resolve()).then(run, run);
    this.#uses.set(accountId, use);
    try {
      return await use;
    } finally {
      if (this.#uses.get(accountId) === use) this.#uses.delete(accountId);
    }
  }

  /**
   * Uses a link of an account, at most once even under concurrent requests. False if the link is no longer valid. Locks the account first, so
   * that of two links used concurrently, the second one waits and finds itself invalidated.
   */
  async use(secret: string, purpose: LinkPurpose, accountId: string, tables: Tables): Promise<boolean> {
    await tables.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('no key update');
    const used = await tables
      .update(accountLinks)
      .set({ usedAt: sql`now()` })
      .where(
        and(
          inArray(accountLinks.digest, this.#digestsOf(secret)),
          eq(accountLinks.purpose, purpose),
          eq(accountLinks.accountId, accountId),
          isNull(accountLinks.usedAt),
          gt(accountLinks.expiresAt, sql`now()`),
        ),
      )
      .returning({ accountId: accountLinks.accountId });
    return used.length > 0;
  }

  /** Invalidates all links of an account. */
  async endAll(accountId: string, tables: Tables): Promise<void> {
    await tables
      .update(accountLinks)
      .set({ usedAt: sql`now()` })
      .where(and(eq(accountLinks.accountId, accountId), isNull(accountLinks.usedAt)));
  }

  #digestsOf(secret: string): string[] {
    return this.#keys.map((key) => digestOf(secret, key));
  }
}

function digestOf(secret: string, key: KeyObject): string {
  return createHmac('sha256', key).update(secret).digest('base64url');
}
