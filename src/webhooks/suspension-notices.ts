import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { noticesSent } from '../database/notice-tables.js';
import { Delivery } from '../mail/delivery.js';
import { Outbox } from '../mail/outbox.js';
import { renderEmail } from '../mail/render-email.js';
import { SiteAddress } from '../mail/site-address.js';

/** A suspension that its owner doesn't know about yet. */
interface Suspension {
  /** Primary key in notices_sent. */
  readonly key: string;
  readonly url: string;
  readonly applicationId: string;
  readonly applicationName: string;
  readonly accountName: string;
  readonly email: string;
}

/**
 * Emails the owner of each suspended endpoint once, across all gateways, and at most once for all suspensions of a day. One whose
 * URL was changed while it is suspended has no failures, and its owner knows about it.
 */
@Injectable()
export class SuspensionNotices {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
    private readonly outbox: Outbox,
    private readonly delivery: Delivery,
    @Inject(SiteAddress) private readonly site: Pick<SiteAddress, 'url'>,
  ) {}

  /** Writes the emails that are due. Rejects with the driver's error; unwritten ones stay due. */
  async look(): Promise<void> {
    const due = await this.database.rows<Suspension>(sql`
      select d.* from (
        select 'webhook_suspended:' || e.id || ':' || to_char(e.failing_since at time zone 'utc', 'YYYY-MM-DD') || ':' || c.id as key,
          e.url, a.id as "applicationId", a.name as "applicationName", c.name as "accountName", c.email
        from webhook_endpoints e join applications a on a.id = e.application_id
          join accounts c on c.id = e.account_id and c.email is not null and c.verified_at is not null
        where e.state = 'suspended' and e.failing_since is not null and e.environment = ${this.config.environment}) d
      where not exists (select 1 from notices_sent n where n.key = d.key)`);
    for (const suspension of due) await this.#write(suspension);
    if (due.length > 0) this.delivery.wake();
  }

  async #write(suspension: Suspension): Promise<void> {
    await this.database.tables.transaction(async (tx) => {
      const { key, email: to } = suspension;
      const claimed = await tx.insert(noticesSent).values({ key }).onConflictDoNothing().returning();
      if (claimed.length > 0) await this.outbox.put({ to, ...this.#email(suspension) }, tx);
    });
  }

  #email({ url, applicationId, applicationName, accountName }: Suspension) {
    return renderEmail({
      subject: `A webhook endpoint of ${applicationName} is suspended`,
      greeting: `Hello ${accountName},`,
      paragraphs: [
        `${url} accepted no event for 72 hours, or answered that it is gone (410). Forecourt no longer sends events to it.`,
        'Its events are kept for 14 days. Once you set its state to active, they are delivered in order.',
      ],
      action: { label: 'View application', url: this.site.url(`/applications/${applicationId}`) },
    });
  }
}
