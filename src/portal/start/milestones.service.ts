import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { byIndex } from '../../database/by-index.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';

/** What an application was seen to do. Calls of the last seconds may not be counted yet, and those before its newest 10,000 counters aren't. */
export interface Milestones {
  /** It got an access token by its secret, or from the console: a call with one was counted. */
  readonly token: boolean;
  /** A search or another call was answered with 200. */
  readonly ok: boolean;
  /** A search was answered with 206: a supplier failed. */
  readonly partial: boolean;
  /** One of its bookings was confirmed in its response (201). Later than that (202) isn't enough. */
  readonly booking: boolean;
  /** It has a webhook endpoint. */
  readonly webhook: boolean;
}

const TOKEN_OPERATIONS = sql.raw(`('getAccessToken', 'issueToken', 'revokeToken', 'introspectToken')`);
/** Counters that are searched, the newest, so that the page costs no more for a busy application. */
const MOST_SEARCHED = 10_000;

/** Reads how far an application got, from its newest usage counters, the reservations and the webhook endpoints. */
@Injectable()
export class MilestonesReader {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database, 'reports'>) {}

  /** Rejects if the database is unavailable. */
  async of(applicationId: string): Promise<Milestones> {
    const own = sql`application_id = ${applicationId}`;
    const called = (condition: SQL): SQL => sql`coalesce(bool_or(${condition}), false)`;
    const [row] = await byIndex(this.database.reports.tables)<Milestones>(sql`
      select ${called(sql`status between 200 and 299`)} as token,
        ${called(sql`status = 200 and operation not in ${TOKEN_OPERATIONS}`)} as ok,
        ${called(sql`status = 206`)} as partial,
        exists (select from (select id from reservations where ${own} limit ${MOST_SEARCHED}) r where (select true from reservation_events e
          where e.reservation_id = r.id and e.from_state = 'pending' and e.to_state = 'confirmed' limit 1)) as booking,
        exists (select from webhook_endpoints where ${own}) as webhook
      from (select status, operation from usage_counters where ${own} order by minute desc limit ${MOST_SEARCHED}) newest`);
    if (!row) throw new Error('the statement returned no row');
    return row;
  }
}
