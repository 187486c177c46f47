import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../../config/config.module.js';
import { LOGGER } from '../../config/logger.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { noticesSent } from '../../database/notice-tables.js';
import { Delivery } from '../../mail/delivery.js';
import { Outbox } from '../../mail/outbox.js';
import { SiteAddress } from '../../mail/site-address.js';
import { isOwn } from '../../products/own-versions.js';
import { type DeprecationNotice, noticeEmail } from './notice-email.js';

/** Injection token: how often each gateway checks for notices that are due, in milliseconds. */
export const NOTICE_PERIOD_MS = Symbol('NoticePeriodMs');

/**
 * Emails each account of this environment with a subscribed application exactly once, across all gateways, that a version is deprecated: the
 * row of notices_sent and the email in the outbox are written in one transaction.
 */
@Injectable()
export class DeprecationNotices implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment' | 'backgroundWork'>,
    private readonly outbox: Outbox,
    private readonly delivery: Delivery,
    @Inject(SiteAddress) private readonly site: Pick<SiteAddress, 'url'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(NOTICE_PERIOD_MS) private readonly periodMs: number,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.backgroundWork) this.#round = this.#runAndSchedule();
  }

  /** Before the database is closed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Writes the emails that are due and returns their number. Rejects if the database is unavailable; unwritten ones stay due. */
  async look(): Promise<number> {
    const due = await this.database.rows<DeprecationNotice>(dueIn(this.config.environment));
    let written = 0;
    for (const notice of due) if (await this.#write(notice)) written += 1;
    if (written > 0) this.delivery.wake();
    return written;
  }

  /** False if another gateway has already written it. */
  async #write(notice: DeprecationNotice): Promise<boolean> {
    return await this.database.tables.transaction(async (tx) => {
      const claimed = await tx.insert(noticesSent).values({ key: notice.key }).onConflictDoNothing().returning();
      if (claimed.length > 0) await this.outbox.put({ to: notice.email, ...noticeEmail(notice, this.site) }, tx);
      return claimed.length > 0;
    });
  }

  /** Each run starts `periodMs` after the previous one finished. */
  async #runAndSchedule(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      if (!this.#isStopped)
        this.logger.warn({ err: error }, 'deprecation notices could not be written and will be retried');
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#runAndSchedule();
    }, this.periodMs).unref();
  }
}

/** Accounts that subscribed before a version was deprecated, have a verified email address and haven't been notified yet. */
const dueIn = (environment: Config['environment']) => sql`
  select d.* from (
    select 'deprecated:' || v.product_id || ':' || v.major || '.' || v.minor || '.' || v.patch || ':' || c.id as key,
      c.email, c.name as "accountName", p.name as "productName", v.product_id as "productId", v.major, v.minor, v.patch,
      to_json(v.sunset_at) as "sunsetAt", json_agg(a.name order by a.name) as applications,
      (select json_build_object('major', l.major, 'minor', l.minor, 'patch', l.patch) from product_versions l
        where l.product_id = v.product_id and l.state = 'live' and ${isOwn(environment)} order by l.major desc, l.minor desc, l.patch desc limit 1) as successor
    from product_versions v
      join products p on p.id = v.product_id
      join subscriptions s on s.product_id = v.product_id and s.created_at < v.deprecated_at
      join applications a on a.id = s.application_id and a.state <> 'deleted'
      join accounts c on c.id = a.account_id and c.environment = ${environment} and c.email is not null and c.verified_at is not null
    where v.state = 'deprecated' and ${isOwn(environment)}
    group by v.product_id, v.major, v.minor, v.patch, c.id, p.name) d
  where not exists (select 1 from notices_sent n where n.key = d.key)
  order by d.key`;
