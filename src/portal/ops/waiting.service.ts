import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../../config/config.module.js';
import { isOf } from '../../database/audit-environment.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { LATE_IN_REVIEW } from '../../reservations/operator-list.js';

/** What waits for a person in the database, as counts. */
export interface Waiting {
  readonly review: number;
  /** How long the oldest waits; null without one. */
  readonly reviewMinutes: number | null;
  /** How many of those in review the supplier showed after they had failed. */
  readonly late: number;
  readonly unresolved: number;
  readonly second: number;
  readonly mail: number;
  readonly requested: number;
  /** Applications whose last secret expires within seven days. */
  readonly secrets: number;
  /** Webhook endpoints that the gateway suspended because they fail. */
  readonly endpoints: number;
  /** Endpoints with events that were given up in the last 24 hours. */
  readonly undelivered: number;
  /** Keys of the admin API that expire within 14 days. */
  readonly adminKeys: number;
  /** Name of the one that expires first, and in how many days, rounded down; null without one. */
  readonly adminKey: string | null;
  readonly adminKeyDays: number | null;
  /** Days since stored data was last re-encrypted with a new key; null = no such change is in the audit log. */
  readonly keyDays: number | null;
}

/** Keys of the admin API that expire soon, as columns of `admin_keys`. */
const EXPIRES_SOON = sql`revoked_at is null and expires_at between now() and now() + interval '14 days'`;

/** Counts what waits for a person. Rejects with the driver's error if the database is unavailable. */
@Injectable()
export class WaitingService {
  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database, 'reports'>,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async count(): Promise<Waiting> {
    const { environment } = this.config;
    const [row] = await this.database.reports.rows<Waiting>(sql`
      select
        (select count(*)::int from reservations where environment = ${environment} and state = 'manual_review') as review,
        (select floor(extract(epoch from now() - min(updated_at)) / 60)::int from reservations
          where environment = ${environment} and state = 'manual_review') as "reviewMinutes",
        (select count(*)::int from reservations r where environment = ${environment} and ${LATE_IN_REVIEW}) as late,
        (select count(*)::int from reservations where environment = ${environment} and state in ('unknown', 'cancel_unknown')
          and updated_at < now() - interval '15 minutes') as unresolved,
        (select count(*)::int from reservations where environment = ${environment} and strays is not null) as second,
        (select count(*)::int from outbox where environment = ${environment} and at < now() - interval '15 minutes') as mail,
        (select count(*)::int from launch_requests where state = 'requested') as requested,
        (select count(*)::int from webhook_endpoints where environment = ${environment} and state = 'suspended') as endpoints,
        (select count(*)::int from webhook_endpoints e where e.environment = ${environment} and e.state = 'active' and exists (
          select from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'failed' and d.last_at > now() - interval '24 hours')) as undelivered,
        (select count(*)::int from admin_keys where environment = ${environment} and ${EXPIRES_SOON}) as "adminKeys",
        soonest.name as "adminKey", soonest.days as "adminKeyDays",
        (select floor(extract(epoch from now() - at) / 86400)::int from audit_events e where subject = 'keys'
          and action = 'keys_rotated' and ${isOf(environment)} order by id desc limit 1) as "keyDays",
        (select count(distinct s.application_id)::int from client_secrets s join applications a on a.id = s.application_id
          where a.environment = ${environment} and a.state = 'active' and s.revoked_at is null
            and s.expires_at between now() and now() + interval '7 days'
            and not exists (select from client_secrets o where o.application_id = s.application_id and o.revoked_at is null
              and (o.expires_at is null or o.expires_at > now() + interval '7 days'))) as secrets
      from (select) one left join lateral (
        select name, floor(extract(epoch from expires_at - now()) / 86400)::int as days from admin_keys
        where environment = ${environment} and ${EXPIRES_SOON} order by expires_at limit 1) soonest on true`);
    if (!row) throw new Error('a left join of one row must return a row');
    return this.config.mail.smtpUrl === undefined ? { ...row, mail: 0 } : row;
  }
}
