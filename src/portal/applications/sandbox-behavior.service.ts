import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { byIndex } from '../../database/by-index.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { UsageReader } from '../../records/usage-reader.js';
import {
  type BehaviorBookings,
  type BehaviorRequest,
  type SandboxBehavior,
  sandboxBehavior,
} from './sandbox-behavior.js';

const DAY_MS = 86_400_000;
const DAYS = 30;
/** Requests and reservations that are read at most, so that the page costs no more for a busy application. */
const MOST_REQUESTS = 500;
const MOST_BOOKINGS = 5_000;

/** Reads how an application used the sandbox, whose data a production gateway shares. */
@Injectable()
export class SandboxBehaviorReader {
  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database, 'reports'>,
    private readonly usage: UsageReader,
  ) {}

  /** Of 30 days; of requests, the newest 500. Requests of the last seconds may be missing. */
  async of(applicationId: string, now = Date.now()): Promise<SandboxBehavior> {
    const points = await this.usage.points([applicationId], now - DAYS * DAY_MS, DAY_MS / 1_000);
    return sandboxBehavior(points, await this.#newest(applicationId), await this.#bookings(applicationId), now);
  }

  async #newest(applicationId: string): Promise<readonly BehaviorRequest[]> {
    return await byIndex(this.database.reports.tables)<BehaviorRequest>(sql`
      select (extract(epoch from at) * 1000)::float8 as at, operation, status,
        coalesce((trace ->> 'replayed')::boolean, false) as "isReplay",
        case when status >= 400 then concat_ws(' ', trace #>> '{entries,0,reason}',
          coalesce(trace #>> '{entries,0,cause}', trace #>> '{entries,0,field}')) end as why
      from (select * from request_log where application_id = ${applicationId}
        order by at desc, request_id desc limit ${MOST_REQUESTS}) newest`);
  }

  async #bookings(applicationId: string): Promise<BehaviorBookings> {
    const [row] = await byIndex(this.database.reports.tables)<BehaviorBookings>(sql`
      select count(*)::int as made, count(*) filter (where state = 'cancelled')::int as cancelled,
        count(*) filter (where state in ('confirmed', 'on_request') and (rental ->> 'dropoffDate') >= to_char(now(), 'YYYY-MM-DD'))::int as active,
        count(*) filter (where is_recent)::int as recent,
        (select count(*)::int from (select from idempotency_keys where application_id = ${applicationId}
          and created_at > now() - interval '24 hours' limit ${MOST_BOOKINGS}) keys) as "recentWithKey"
      from (select state, rental, created_at > now() - interval '24 hours' as is_recent from reservations
        where application_id = ${applicationId} and created_at > now() - interval '30 days'
        order by created_at desc, id desc limit ${MOST_BOOKINGS}) newest`);
    if (!row) throw new Error('an aggregate without groups must return a row');
    return row;
  }
}
