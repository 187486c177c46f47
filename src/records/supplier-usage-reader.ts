import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { TwoPeriods } from '../database/two-periods.js';
import { TALLY_BOUNDS_MS } from '../metrics/supplier-tallies.js';
import type { SupplierUsageRow } from './supplier-usage-counters.js';

/** Calls to a supplier of one operation and outcome in one of two periods, over the given applications. */
export interface SupplierUsage extends Readonly<Omit<SupplierUsageRow, 'applicationId' | 'slot'>> {
  /** In the period itself, not in the one before it. */
  readonly isCurrent: boolean;
}

const SUMS = sql.raw(
  [
    ...['calls', 'remembered', 'offers', 'cheapest', 'compared', 'changed'].map(
      (name) => `sum(${name})::float8 as ${name}`,
    ),
    'sum(change_bp)::float8 as "changeBasisPoints"',
    `array[${Array.from({ length: TALLY_BOUNDS_MS.length + 1 }, (_, index) => `sum(buckets[${index + 1}])::float8`).join()}] as buckets`,
  ].join(', '),
);

/** Reads the counters of calls to suppliers. Calls of the last seconds may not be written yet. */
@Injectable()
export class SupplierUsageReader {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database, 'reports'>) {}

  /** At most one row per supplier, operation, outcome and period. A slot of five minutes belongs to the period in which it begins. */
  async read(applicationIds: readonly string[], { before, from, to }: TwoPeriods): Promise<readonly SupplierUsage[]> {
    if (applicationIds.length === 0) return [];
    const ids = sql.join(
      applicationIds.map((id) => sql`${id}`),
      sql`, `,
    );
    return await this.database.reports.rows<SupplierUsage>(sql`
      select slot >= ${instant(from)} as "isCurrent", supplier_id as supplier, operation, cause, ${SUMS} from supplier_usage
      where application_id in (${ids}) and slot >= ${instant(before)} and slot < ${instant(to)} group by 1, 2, 3, 4`);
  }
}

function instant(epochMs: number) {
  return sql`${new Date(epochMs).toISOString()}::timestamptz`;
}
