import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import { ONLY_BY_INDEX, rowsIn } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { aheadBy, aheadStatement, type Lease, leaseStatement, MOST_ARRIVALS, wakeStatement } from './due-endpoints.js';
import type { StoredEvent } from './event-body.js';
import { TEST_EVENT } from './event-types.js';
import type { SigningSecrets } from './webhook-secrets.js';
import type { Attempt } from './webhook-sender.js';

/** How long a delivery is attempted, and how long an endpoint may fail before it is suspended. */
const GIVEN_UP_AFTER = sql`interval '72 hours'`;
/** How long events are kept. */
const KEPT = sql`interval '14 days'`;
/** Events of a turn. */
export const TURN_EVENTS = 20;
/** After so many failures in a row, an endpoint gets one attempt at a time, with growing pauses. */
const PROBED_AFTER = 3;
const FIRST_PAUSE_SECONDS = 2;
const LONGEST_PAUSE_SECONDS = 3_600;
/** A response that takes longer makes an endpoint slow: it shares places with slow ones only. */
export const SLOW_MS = 2_000;
const PURGED = 2_000;
/** Waiting events among which due ones are looked for. */
const MOST_EXAMINED = 1_000;

/** An endpoint that is leased to this gateway. */
export interface LeasedEndpoint extends SigningSecrets {
  readonly accountId: string;
  readonly url: string;
  readonly isSlow: boolean;
  /** It was leased as if its account had used no places lately. */
  readonly isAhead: boolean;
  readonly failures: number;
}

/** An event for an endpoint. */
export interface DueEvent extends StoredEvent {
  readonly id: number;
}

/** Statements of one kind in a row: what they leave waits for the next time. */
const MOST_LOOKS = 10;

/** The outbox of events, for the gateways that deliver them (decision 0056). Rejects with the driver's error. */
@Injectable()
export class DeliveryQueue {
  readonly #environment: string;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Pick<Config, 'environment'>,
  ) {
    this.#environment = config.environment;
  }

  /** Selects a row if the environment has an endpoint. */
  get anyEndpoint(): SQL {
    return sql`select 1 as found from webhook_endpoints where environment = ${this.#environment} limit 1`;
  }

  /**
   * Leases endpoints with due events to this gateway (due-endpoints.ts). Empty = none is due, or not among the first that are
   * awake: those after them are found the next time.
   */
  async lease(lease: Lease): Promise<readonly LeasedEndpoint[]> {
    for (let look = 0; look < MOST_LOOKS; look += 1) {
      const rows = await this.#awake(lease);
      const ready = rows.filter(({ isReady }) => isReady);
      if (ready.length > 0 || rows.length === 0) return ready;
    }
    return [];
  }

  async #awake(lease: Lease): Promise<readonly (LeasedEndpoint & { readonly isReady: boolean })[]> {
    return await this.database.tables.transaction(async (tx) => {
      await tx.execute(ONLY_BY_INDEX);
      // There are more than it takes after a long time in which no gateway of this version delivered.
      for (let look = 0; look < MOST_LOOKS; look += 1) {
        if ((await rowsIn(tx)(wakeStatement(this.#environment))).length < MOST_ARRIVALS) break;
      }
      await tx.execute(aheadStatement(this.#environment));
      return await rowsIn(tx)(leaseStatement(this.#environment, lease));
    });
  }

  /**
   * The due events of a leased endpoint, oldest first, at most one per subject: an event waits for those before it, except
   * that test events don't wait for each other. They are looked for among the oldest that wait, so that the work doesn't grow
   * with how many do.
   */
  async due({ id, failures }: LeasedEndpoint): Promise<readonly DueEvent[]> {
    const limit = failures >= PROBED_AFTER ? 1 : TURN_EVENTS;
    return await this.database.rows<DueEvent>(sql`
      with first as (${this.#first(sql`${id}`)})
      select d.id::float8 as id, d.event_id as "eventId", d.type, d.application_id as "applicationId", d.data,
        (extract(epoch from d.at) * 1000)::float8 as at
      from webhook_deliveries d join first on first.id = d.id where first.next_at <= now()
      order by d.id limit ${limit}`);
  }

  /** Stores that an endpoint accepted an event. */
  async delivered({ id }: LeasedEndpoint, event: DueEvent, attempt: Attempt): Promise<void> {
    const isSlow = attempt.ms > SLOW_MS;
    await this.database.rows(sql`
      with done as (update webhook_deliveries set state = 'delivered', ${lastOf(attempt)} where id = ${event.id} and state = 'pending')
      update webhook_endpoints set failures = 0, failing_since = null, resume_at = null, is_slow = ${isSlow},
        -- A gateway whose lease had expired may have let it sleep until the end of the pause.
        wakes_at = case when failures > 0 then least(wakes_at, now()) else wakes_at end
      where id = ${id} and (failures > 0 or is_slow <> ${isSlow})`);
  }

  /**
   * Stores that an attempt failed, and when to make the next one. An event that has failed for 72 hours since its first attempt is given up. An
   * endpoint that accepted nothing for 72 hours, or is gone (410), is suspended, and its events wait. Neither happens while the
   * gateway can't sign: the endpoint wasn't asked, and both times start again. Returns whether it is suspended.
   */
  async failed({ id }: LeasedEndpoint, event: DueEvent, attempt: Attempt): Promise<boolean> {
    const wasAsked = sql`${attempt.error !== 'not_signed'}::boolean`;
    const isOver = sql`${wasAsked} and (${attempt.status === 410}::boolean or failing_since < now() - ${GIVEN_UP_AFTER})`;
    const [row] = await this.database.rows<{ state: string }>(sql`
      with failing as (
        update webhook_endpoints set failures = failures + 1, failing_since = case when ${wasAsked} then coalesce(failing_since, now()) end, is_slow = true,
          resume_at = case when failures + 1 >= ${PROBED_AFTER} then now() + ${pauseOf(sql`failures + 1`)} end,
          state = case when state = 'active' and ${isOver} then 'suspended' else state end
        where id = ${id} returning state),
      tried as (
        update webhook_deliveries d set ${lastOf(attempt)}, next_at = now() + ${pauseOf(sql`d.attempts + 1`)},
          due_since = case when d.attempts = 0 or not ${wasAsked} then now() else d.due_since end,
          state = case when ${wasAsked} and f.state = 'active' and d.attempts > 0 and d.due_since < now() - ${GIVEN_UP_AFTER} then 'failed' else d.state end
        from failing f where d.id = ${event.id} and d.state = 'pending')
      select state from failing`);
    this.database.changes.announceOwn('webhook_deliveries');
    return row?.state === 'suspended';
  }

  /**
   * Ends a lease. The endpoint wakes when its next event is due: if that is now, behind those that have waited for more than
   * `aheadMs`; otherwise, it goes ahead when it wakes. If it was woken meanwhile, it stays awake: the event may be newer than what this statement reads.
   */
  async release({ id }: LeasedEndpoint, aheadMs: number): Promise<void> {
    const ahead = aheadBy(aheadMs);
    await this.database.rows(sql`
      update webhook_endpoints e set leased_until = null, wakes_at = case when e.wakes_at = e.leased_until then (
        select case when min(next_at) is null then null when greatest(min(next_at), e.resume_at) > now()
          then greatest(min(next_at), e.resume_at) else ${ahead} end
        from (${this.#first(sql`e.id`)}) as first) else ${ahead} end
      where e.id = ${id}`);
  }

  /** Deletes some of the events that are older than they are kept. Returns false if there may be more. */
  async purge(): Promise<boolean> {
    const gone = await this.database.rows(sql`
      delete from webhook_deliveries where id in (
        select id from webhook_deliveries where environment = ${this.#environment} and at < now() - ${KEPT}
          and (state <> 'pending' or due_since < now() - ${KEPT})
        order by at limit ${PURGED} for update skip locked) returning id`);
    return gone.length < PURGED;
  }

  /** The first event of each subject, among the oldest that wait. */
  #first(endpointId: SQL): SQL {
    return sql`select distinct on (subject) id, next_at from (
      select id, case when type = ${TEST_EVENT} then event_id else subject end as subject, next_at from webhook_deliveries
      where environment = ${this.#environment} and endpoint_id = ${endpointId} and state = 'pending'
      order by id limit ${MOST_EXAMINED}) as oldest order by subject, id`;
  }
}

function lastOf({ status, error, ms }: Attempt): SQL {
  return sql`attempts = attempts + 1, last_status = ${status}::int, last_error = ${error}::text, last_ms = ${ms}::int, last_at = now()`;
}

/** Doubles with each attempt, up to an hour, give or take a fifth. */
function pauseOf(attempts: SQL): SQL {
  return sql`least(${LONGEST_PAUSE_SECONDS}::float8, ${FIRST_PAUSE_SECONDS}::float8 * 2 ^ least(${attempts} - 1, 12)) * (0.8 + random() * 0.4) * interval '1 second'`;
}
