import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { ownedName } from '../../records/owned-name.js';

/** Which reservations to list; absent = any. */
export interface ReservationFilter {
  /** A state; `attention`: in review, unknown, or with a second booking; `second`: with a second booking; `late`: found at the supplier after it had failed, in the last 30 days; `late_in_review`: of those, the ones in review. */
  readonly state?: string | undefined;
  readonly supplier?: string | undefined;
  /** Not changed for at least this time. */
  readonly minutes?: number | undefined;
  /** Its id, confirmation number or client reference. */
  readonly text?: string | undefined;
}

/** Reservations `r` in review that the supplier showed after they had failed. */
export const LATE_IN_REVIEW = sql`r.state = 'manual_review' and exists (
  select from reservation_events e where e.reservation_id = r.id and e.from_state = 'failed')`;

/** A reservation in a list, without data of the renter. Instants are epoch milliseconds. */
export interface ListedReservation {
  readonly id: string;
  readonly supplier: string;
  readonly state: string;
  readonly reason: string;
  readonly confirmationNumber: string | null;
  readonly applicationId: string;
  readonly applicationName: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly hasSecond: boolean;
}

/** Lists reservations of all accounts of the environment. */
@Injectable()
export class ReservationList {
  readonly #environment: string;

  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database, 'reports'>,
    @Inject(CONFIG) { environment }: Config,
  ) {
    this.#environment = environment;
  }

  /** Up to `count`: those for attention by how long they wait, others newest first. */
  async list(
    { state, supplier, minutes, text }: ReservationFilter,
    count: number,
  ): Promise<readonly ListedReservation[]> {
    const waits =
      state === 'attention' ||
      state === 'second' ||
      state === 'manual_review' ||
      state === 'late_in_review' ||
      state === 'unknown';
    const states =
      state === undefined
        ? sql`true`
        : state === 'attention'
          ? sql`(r.state in ('unknown', 'cancel_unknown', 'manual_review') or r.strays is not null)`
          : state === 'second'
            ? sql`r.strays is not null`
            : state === 'late'
              ? sql`r.updated_at > now() - interval '30 days' and exists (
                  select from reservation_events e where e.reservation_id = r.id and e.from_state = 'failed')`
              : state === 'late_in_review'
                ? LATE_IN_REVIEW
                : sql`r.state = ${state}`;
    return await this.database.reports.rows<ListedReservation>(sql`
      select r.id, r.supplier, r.state, r.state_reason as reason, r.confirmation_number as "confirmationNumber",
        r.application_id as "applicationId", ${ownedName(sql`a.name`, sql`a.account_id`)} as "applicationName", r.strays is not null as "hasSecond",
        (extract(epoch from r.created_at) * 1000)::float8 as "createdAt", (extract(epoch from r.updated_at) * 1000)::float8 as "updatedAt"
      from reservations r join applications a on a.id = r.application_id
      where r.environment = ${this.#environment} and ${states}
        and ${supplier === undefined ? sql`true` : sql`r.supplier = ${supplier}`}
        and ${minutes === undefined ? sql`true` : sql`r.updated_at < now() - ${minutes} * interval '1 minute'`}
        and ${text === undefined ? sql`true` : sql`(r.id = ${text} or r.confirmation_number = ${text} or r.client_reference = ${text})`}
      order by ${waits ? sql`r.updated_at` : sql`r.created_at desc`} limit ${count}`);
  }
}
