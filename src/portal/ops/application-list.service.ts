import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import type { ListedApplication } from './applications-pages.js';

const WITH_WEBHOOKS = sql`"applicationId" in (
  select e.application_id from webhook_endpoints e where (e.state = 'suspended' or exists (
    select from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'failed' and d.last_at > now() - interval '24 hours')))`;

/** Lists applications of all accounts of the environment. */
@Injectable()
export class ApplicationList {
  readonly #environment: string;

  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database, 'reports'>,
    @Inject(CONFIG) { environment }: Config,
  ) {
    this.#environment = environment;
  }

  /**
   * Up to `count`, newest first, and how many there are. `text`: an id, client id, or a part of the name of the application or its
   * account; `show`: `expiring` = only active ones whose last secret expires within seven days, `webhooks` = only those with a
   * suspended endpoint, or with events that were given up in the last 24 hours; all others: all.
   */
  async list(
    { text, show }: { readonly text: string | undefined; readonly show: string | undefined },
    count: number,
  ): Promise<{ readonly found: readonly ListedApplication[]; readonly total: number }> {
    const like = `%${(text ?? '').replace(/[\\%_]/g, '\\$&')}%`;
    const rows = await this.database.reports.rows<ListedApplication & { readonly total: number }>(sql`
      select * from (
        select a.id as "applicationId", a.account_id as "accountId", c.name as "accountName", a.name, a.client_id as "clientId",
          a.environment, a.tier, a.state, a.created_at, count(*) over ()::int as total,
          (select count(*)::int from client_secrets s where s.application_id = a.id and s.revoked_at is null
            and (s.expires_at is null or s.expires_at > now())) as "liveSecrets",
          coalesce((select max(coalesce(s.expires_at, 'infinity')) < now() + interval '7 days' and max(coalesce(s.expires_at, 'infinity')) > now()
            from client_secrets s where s.application_id = a.id and s.revoked_at is null), false) and a.state = 'active' as "isExpiring"
        from applications a join accounts c on c.id = a.account_id where a.environment = ${this.#environment}) listed
      where ${text === undefined ? sql`true` : sql`("applicationId" = ${text} or "clientId" = ${text} or "accountId" = ${text} or name ilike ${like} or "accountName" ilike ${like})`}
        and ${show === 'expiring' ? sql`"isExpiring"` : sql`true`}
        and ${show === 'webhooks' ? WITH_WEBHOOKS : sql`true`}
      order by created_at desc limit ${count}`);
    return { found: rows, total: rows[0]?.total ?? 0 };
  }
}
