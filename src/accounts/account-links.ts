import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accountLinks, accounts } from '../database/schema.js';

/** What a link in a mail is for: to verify the address, or to set a new password. */
export type LinkPurpose = 'verify' | 'reset';

/** Whose link it is, as long as it works. */
export interface LinkOwner {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
}

/** What became of a link. `used` also when the account did the same by another link, or a newer link replaced it. */
export type LinkState = ({ readonly state: 'live' } & LinkOwner) | { readonly state: 'used' | 'expired' | 'unknown' };

/** So long a link that works no more still says why. */
const KEPT_DAYS = 30;

const SECRET = /^[\w-]{43}$/;

/** Links that work once: 256 random bits in the mail, their SHA-256 in the database. */
@Injectable()
export class AccountLinks {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Makes a link; its secret. Older ones of the account stay as they are, and go some weeks after they ended. */
  async make(accountId: string, purpose: LinkPurpose, tables: Tables = this.database.tables): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const { linkHours, resetMinutes } = this.config.portal;
    const lifeMinutes = purpose === 'verify' ? linkHours * 60 : resetMinutes;
    const expiresAt = sql`now() + ${lifeMinutes} * interval '1 minute'`;
    const isForgotten = lt(accountLinks.expiresAt, sql`now() - ${KEPT_DAYS} * interval '1 day'`);
    await tables.delete(accountLinks).where(and(eq(accountLinks.accountId, accountId), isForgotten));
    await tables.insert(accountLinks).values({ digest: digestOf(secret), accountId, purpose, expiresAt });
    return secret;
  }

  /** Looks at a link without using it. */
  async look(secret: string, purpose: LinkPurpose): Promise<LinkState> {
    if (!SECRET.test(secret)) return { state: 'unknown' };
    const [row] = await this.database.tables
      .select({
        accountId: accounts.id,
        name: accounts.name,
        email: accounts.email,
        usedAt: accountLinks.usedAt,
        isOver: sql<boolean>`${accountLinks.expiresAt} <= now()`,
      })
      .from(accountLinks)
      .innerJoin(accounts, eq(accounts.id, accountLinks.accountId))
      .where(and(eq(accountLinks.digest, digestOf(secret)), eq(accountLinks.purpose, purpose)));
    if (!row?.email) return { state: 'unknown' };
    if (row.usedAt !== null) return { state: 'used' };
    const { accountId, name, email, isOver } = row;
    return isOver ? { state: 'expired' } : { state: 'live', accountId, name, email };
  }

  /** Uses a link up, whoever else tries it at the same moment; the account's id, undefined = it works no more. */
  async use(secret: string, purpose: LinkPurpose, tables: Tables): Promise<string | undefined> {
    const [row] = await tables
      .update(accountLinks)
      .set({ usedAt: sql`now()` })
      .where(
        and(
          eq(accountLinks.digest, digestOf(secret)),
          eq(accountLinks.purpose, purpose),
          isNull(accountLinks.usedAt),
          gt(accountLinks.expiresAt, sql`now()`),
        ),
      )
      .returning({ accountId: accountLinks.accountId });
    return row?.accountId;
  }

  /** Ends the links of an account: all, or those of one purpose. */
  async endAll(accountId: string, tables: Tables, purpose?: LinkPurpose): Promise<void> {
    const ofPurpose = purpose && eq(accountLinks.purpose, purpose);
    await tables
      .update(accountLinks)
      .set({ usedAt: sql`now()` })
      .where(and(eq(accountLinks.accountId, accountId), isNull(accountLinks.usedAt), ofPurpose));
  }
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
