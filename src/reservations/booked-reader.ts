import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { TwoPeriods } from '../database/two-periods.js';
import { formatAmount } from '../model/money.js';
import { instant } from './reservation-row.js';

/** Reservations of an application at a supplier in one currency, made in a period or the one before it. */
export interface Booked {
  readonly isCurrent: boolean;
  readonly applicationId: string;
  readonly supplier: string;
  readonly currency: string;
  /** Reservations that were made, in whatever state. */
  readonly requested: number;
  /** How many of these the supplier has confirmed, including those that were cancelled since. */
  readonly confirmed: number;
  /** How many of the confirmed ones were cancelled. */
  readonly cancelled: number;
  /** Failed, rejected or expired, without ever being confirmed. */
  readonly refused: number;
  /** Sum of the totals of those that are confirmed and not cancelled, in minor units. */
  readonly valueMinor: number;
}

/** How many reservations of each application are read, the newest first. */
export const MOST_READ = 20_000;

/** Reads how many reservations were made and confirmed: replayed responses make none, and an unknown outcome isn't confirmed. */
@Injectable()
export class BookedReader {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database, 'reports'>) {}

  /** A reservation belongs to the period in which it was made. Empty = none was made. */
  async read(applicationIds: readonly string[], { before, from, to }: TwoPeriods): Promise<readonly Booked[]> {
    if (applicationIds.length === 0) return [];
    const ids = sql.join(
      applicationIds.map((id) => sql`(${id})`),
      sql`, `,
    );
    return await this.database.reports.rows<Booked>(sql`
      select "isCurrent", application_id as "applicationId", supplier, total ->> 'currency' as currency, count(*)::int as requested,
        (count(*) filter (where confirmed))::int as confirmed,
        (count(*) filter (where confirmed and state = 'cancelled'))::int as cancelled,
        (count(*) filter (where not confirmed and state in ('failed', 'rejected', 'expired')))::int as refused,
        coalesce(sum((total ->> 'amountMinor')::float8) filter (where confirmed and state <> 'cancelled'), 0)::float8 as "valueMinor"
      from (values ${ids}) own (id) cross join lateral (
        select r.application_id, r.supplier, r.state, r.created_at >= ${instant(from)} as "isCurrent", r.rental -> 'total' as total,
          exists (select from reservation_events e where e.reservation_id = r.id and e.to_state = 'confirmed') as confirmed
        from reservations r where r.application_id = own.id and r.created_at >= ${instant(before)} and r.created_at < ${instant(to)}
        order by r.created_at desc, r.id desc limit ${MOST_READ}) made
      group by 1, 2, 3, 4`);
  }
}

/** An amount in minor units as text for pages: 1,234.50 EUR. */
export function amountText(amountMinor: number, currency: string): string {
  const [whole = '', ...decimals] = formatAmount({ amountMinor, currency }).split('.');
  return `${[Number(whole).toLocaleString('en-US'), ...decimals].join('.')} ${currency}`;
}
