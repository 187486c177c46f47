import { and, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import { changeBy, endBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { maintenance } from '../database/switch-tables.js';

/** The subject of a maintenance of the complete service; other subjects are ids of products. */
export const SERVICE = 'service';

/** A maintenance that an operator switched on. */
export interface Maintenance {
  /** `service` or the id of a product. */
  readonly subject: string;
  /** The announced end, at which it ends automatically; null = when an operator switches it off. */
  readonly until: Date | null;
}

/** A row of `maintenanceRows`; `until` in Unix milliseconds. */
export interface MaintenanceRow {
  readonly subject: string;
  readonly until: number | null;
}

/** Selects what is in maintenance in an environment now, in order of subject. */
export function maintenanceRows(environment: string): SQL {
  return sql`
    select subject, (extract(epoch from until) * 1000)::float8 as until from maintenance
    where environment = ${environment} and (until is null or until > now()) order by subject`;
}

/** The maintenance of a row. */
export function maintenanceFrom({ subject, until }: MaintenanceRow): Maintenance {
  return { subject, until: until === null ? null : new Date(until) };
}

/**
 * Stores the maintenance of the service and of products in one environment, with an audit log. Every gateway applies it
 * within `suppliers.statesMs` (docs/running.md#maintenance).
 */
export class MaintenanceSwitch {
  constructor(
    private readonly database: Pick<Database, 'tables' | 'rows'>,
    private readonly environment: string,
  ) {}

  /** What is in maintenance now, in order of subject. Rejects with the driver's error if the database is unavailable. */
  async current(): Promise<readonly Maintenance[]> {
    return (await this.database.rows<MaintenanceRow>(maintenanceRows(this.environment))).map(maintenanceFrom);
  }

  /** Switches the maintenance of a subject on, or changes its end. */
  async on(subject: string, until: Date | null, actor: string): Promise<void> {
    const { environment } = this;
    await changeBy(this.database, actor, async (tx) => {
      const [before] = await tx.select().from(maintenance).where(this.#of(subject)).for('update');
      const values = { until, changedAt: sql`now()` };
      await tx
        .insert(maintenance)
        .values({ environment, subject, ...values })
        .onConflictDoUpdate({ target: [maintenance.environment, maintenance.subject], set: values });
      const after = { environment, until };
      const entry = { actor, action: 'maintenance_switched_on', subject, before: before ?? null, after };
      await recordAudit({ tables: tx, environment: this.environment }, entry);
    });
  }

  /** Switches the maintenance of a subject off; false if there was none or it had expired. */
  async off(subject: string, actor: string): Promise<boolean> {
    return endBy(this.database, actor, async (tx) => {
      const isOn = or(isNull(maintenance.until), gt(maintenance.until, sql`now()`));
      const [before] = await tx
        .delete(maintenance)
        .where(and(this.#of(subject), isOn))
        .returning();
      if (before)
        await recordAudit(
          { tables: tx, environment: this.environment },
          { actor, action: 'maintenance_switched_off', subject, before },
        );
      return before !== undefined;
    });
  }

  #of(subject: string) {
    return and(eq(maintenance.environment, this.environment), eq(maintenance.subject, subject));
  }
}
