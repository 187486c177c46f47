import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { byIndex } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { StoredEvent } from './event-body.js';

/** The most events that one call replays. */
export const MOST_REPLAYED = 1_000;

/** The events that one filtered list examines. */
const MOST_EXAMINED = 20_000;

/** The states of a delivery. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** An event at an endpoint. Instants are epoch milliseconds. */
export interface DeliveryRow extends StoredEvent {
  readonly subject: string;
  readonly state: (typeof DELIVERY_STATES)[number];
  readonly attempts: number;
  /** Null = none was made. */
  readonly lastAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastMs: number | null;
  readonly nextAt: number;
}

/** Which events to list: at most `limit`, all older than `before` (an event id). */
export interface DeliveryFilter {
  readonly limit: number;
  readonly before?: string | undefined;
  readonly state?: DeliveryRow['state'] | undefined;
  readonly type?: string | undefined;
}

const COLUMNS = sql.raw(`event_id as "eventId", type, application_id as "applicationId", subject, data, state, attempts,
  last_status as "lastStatus", last_error as "lastError", last_ms as "lastMs",
  ${['at', 'last_at', 'next_at'].map((name) => `(extract(epoch from ${name}) * 1000)::float8 as "${name.replace('_a', 'A')}"`).join(', ')}`);

/** What was sent to an endpoint, and what waits. Callers check that the endpoint is theirs. Rejects with the driver's error. */
@Injectable()
export class DeliveryLog {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** Newest first. With a filter, only the newest 20,000 (of those older than `before`) are examined. */
  async list(endpointId: string, { limit, before, state, type }: DeliveryFilter): Promise<readonly DeliveryRow[]> {
    const end =
      before === undefined
        ? sql`${Number.MAX_SAFE_INTEGER}::bigint`
        : sql`(select id from webhook_deliveries where endpoint_id = ${endpointId} and event_id = ${before})`;
    // As rows, so that only the index of the endpoint has this order: by id alone, PostgreSQL might read past the events of others.
    return await byIndex(this.database.reports.tables)<DeliveryRow>(sql`
      select ${COLUMNS} from (
        select * from webhook_deliveries
        where (endpoint_id, id) >= (${endpointId}::text, 0) and (endpoint_id, id) < (${endpointId}::text, ${end})
        order by endpoint_id desc, id desc limit ${state === undefined && type === undefined ? limit : MOST_EXAMINED}) as examined
      where true ${state === undefined ? sql`` : sql`and state = ${state}`} ${type === undefined ? sql`` : sql`and type = ${type}`}
      order by id desc limit ${limit}`);
  }

  /** Sends one event again: false = the endpoint has no such event. */
  async replay(endpointId: string, eventId: string): Promise<boolean> {
    return (await this.#replay(sql`endpoint_id = ${endpointId} and event_id = ${eventId}`)) === 1;
  }

  /**
   * Sends the events again that happened since an instant (epoch milliseconds), oldest first, at most `most`, and
   * returns their number.
   */
  async replaySince(endpointId: string, since: number, most = MOST_REPLAYED): Promise<number> {
    return await this.#replay(sql`id in (${endedSince(endpointId, since, most)})`);
  }

  /** How many events replaySince sends again. */
  async countSince(endpointId: string, since: number): Promise<number> {
    return (await this.database.rows(endedSince(endpointId, since, MOST_REPLAYED))).length;
  }

  /** An event keeps its place in the order of its subject. The endpoint is tried soon, even if it has failed. */
  async #replay(which: SQL): Promise<number> {
    const rows = await this.database.rows<{ id: unknown }>(sql`
      with chosen as (select id from webhook_deliveries where ${which} order by id limit ${MOST_REPLAYED} for update),
      replayed as (update webhook_deliveries d set state = 'pending', attempts = 0, due_since = now(), next_at = now()
        from chosen where d.id = chosen.id returning d.id, d.endpoint_id),
      resumed as (update webhook_endpoints e set resume_at = null where e.id in (select endpoint_id from replayed))
      select id from replayed`);
    this.database.changes.announceOwn('webhook_deliveries');
    return rows.length;
  }
}

/** The events since an instant that don't wait for an attempt, oldest first. */
function endedSince(endpointId: string, since: number, most: number): SQL {
  const at = sql`${new Date(since).toISOString()}::timestamptz`;
  return sql`select id from webhook_deliveries where endpoint_id = ${endpointId} and state <> 'pending' and at >= ${at}
    order by at, id limit ${most}`;
}
