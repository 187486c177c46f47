import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { LOGGER } from '../../config/logger.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { noticesSent } from '../../database/schema.js';
import { Delivery } from '../../mail/delivery.js';
import { Outbox } from '../../mail/outbox.js';
import { SiteAddress } from '../../mail/site-address.js';
import { type DeprecationNotice, noticeLetter } from './notice-letter.js';

/** Injection token: how often each gateway looks for notices that are due, milliseconds. */
export const NOTICE_PERIOD_MS = Symbol('NoticePeriodMs');

/**
 * Writes once to each account with a subscribed application that a version is deprecated, whatever gateway does it: the row of notices_sent and
 * the mail in the outbox are one transaction, so neither stands without the other. From there mails are delivered as all others.
 */
@Injectable()
export class DeprecationNotices implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly delivery: Delivery,
    @Inject(SiteAddress) private readonly site: Pick<SiteAddress, 'url'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(NOTICE_PERIOD_MS) private readonly periodMs: number,
  ) {}

  onApplicationBootstrap(): void {
    this.#round = this.#lookAndGoOn();
  }

  /** Before the database is closed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Writes what is due now; how many letters that were. Rejects when the database is away: what is not written then is due still. */
  async look(): Promise<number> {
    const due = await this.database.rows<DeprecationNotice>(DUE);
    let written = 0;
    for (const notice of due) if (await this.#write(notice)) written += 1;
    if (written > 0) this.delivery.wake();
    return written;
  }

  /** False = another gateway has done it meanwhile. */
  async #write(notice: DeprecationNotice): Promise<boolean> {
    return await this.database.tables.transaction(async (tx) => {
      const claimed = await tx.insert(noticesSent).values({ key: notice.key }).onConflictDoNothing().returning();
      if (claimed.length > 0) await this.outbox.put({ to: notice.email, ...noticeLetter(notice, this.site) }, tx);
      return claimed.length > 0;
    });
  }

  /** The next look begins so long after the last has ended. */
  async #lookAndGoOn(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      if (!this.#isOver)
        this.logger.warn({ err: error }, 'notices of deprecation cannot be written; they are tried again');
    }
    if (this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#lookAndGoOn();
    }, this.periodMs).unref();
  }
}

/** Who subscribed before a version was deprecated and has not been written to; people without a verified address are left out. */
const DUE = sql`
  select d.* from (
    select 'deprecated:' || v.product_id || ':' || v.major || '.' || v.minor || '.' || v.patch || ':' || c.id as key,
      c.email, c.name as "accountName", p.name as "productName", v.product_id as "productId", v.major, v.minor, v.patch,
      to_json(v.sunset_at) as "sunsetAt", json_agg(a.name order by a.name) as applications,
      (select json_build_object('major', l.major, 'minor', l.minor, 'patch', l.patch) from product_versions l
        where l.product_id = v.product_id and l.state = 'live' order by l.major desc, l.minor desc, l.patch desc limit 1) as successor
    from product_versions v
      join products p on p.id = v.product_id
      join subscriptions s on s.product_id = v.product_id and s.created_at < v.deprecated_at
      join applications a on a.id = s.application_id and a.state <> 'deleted'
      join accounts c on c.id = a.account_id and c.email is not null and c.verified_at is not null
    where v.state = 'deprecated'
    group by v.product_id, v.major, v.minor, v.patch, c.id, p.name) d
  where not exists (select 1 from notices_sent n where n.key = d.key)
  order by d.key`;
