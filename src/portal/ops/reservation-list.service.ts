import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { ownedName } from '../../records/owned-name.js';
import { listedIds, type OperatorList } from '../../reservations/operator-list.js';

/** Which reservations to list; absent = any. */
export interface ReservationFilter extends Pick<OperatorList, 'state' | 'text'> {
  readonly supplier?: string | undefined;
  /** Not changed for at least this time. */
  readonly minutes?: number | undefined;
}

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
    const ids = listedIds(
      {
        ...{ environment: this.#environment, state, text },
        and: [
          ...(supplier === undefined ? [] : [sql`r.supplier = ${supplier}`]),
          ...(minutes === undefined ? [] : [sql`r.updated_at < now() - ${minutes} * interval '1 minute'`]),
        ],
      },
      waits ? 'waiting' : 'newest',
      count,
    );
    return await this.database.reports.rows<ListedReservation>(sql`
      select r.id, r.supplier, r.state, r.state_reason as reason, r.confirmation_number as "confirmationNumber",
        r.application_id as "applicationId", ${ownedName(sql`a.name`, sql`a.account_id`)} as "applicationName", r.strays is not null as "hasSecond",
        (extract(epoch from r.created_at) * 1000)::float8 as "createdAt", (extract(epoch from r.updated_at) * 1000)::float8 as "updatedAt"
      from (${ids}) those join reservations r on r.id = those.id join applications a on a.id = r.application_id
      order by ${waits ? sql`r.updated_at, r.id` : sql`r.created_at desc, r.id desc`}`);
  }
}
