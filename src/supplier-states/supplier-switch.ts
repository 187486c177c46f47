import { and, eq, type SQL, sql } from 'drizzle-orm';
import { SUPPLIER_STATES, type SupplierState } from '../config/supplier-config.schema.js';
import { type Actor, changeBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { supplierStates } from '../database/switch-tables.js';

/** A supplier state that an operator set. */
export interface StateOverride {
  readonly supplierId: string;
  readonly state: SupplierState;
  /** When maintenance ends automatically; null if it doesn't. */
  readonly until: Date | null;
}

/** A row of `stateRows`. */
export interface StateRow {
  readonly id: string;
  readonly state: string;
  /** Unix milliseconds. */
  readonly until: number | null;
  /** Maintenance that has expired. */
  readonly over: boolean;
}

/** Selects the states that operators set in an environment, in order of supplier id. */
export function stateRows(environment: string): SQL {
  return sql`
    select supplier_id as id, state, (extract(epoch from until) * 1000)::float8 as until, coalesce(until <= now(), false) as over
    from supplier_states where environment = ${environment} order by supplier_id`;
}

/** Expired maintenance is `live`. */
export function stateOverride({ id, state, until, over }: StateRow): StateOverride {
  return {
    supplierId: id,
    state: over ? 'live' : stateFrom(state),
    until: until === null || over ? null : new Date(until),
  };
}

/**
 * Stores supplier states of one environment, with an audit log. Every gateway applies them within `suppliers.statesMs`.
 */
export class SupplierSwitch {
  constructor(
    private readonly database: Pick<Database, 'tables' | 'rows'>,
    private readonly environment: string,
  ) {}

  /**
   * The current states in order of supplier id; expired maintenance is `live`. Rejects with the driver's error if the
   * database is unavailable.
   */
  async overrides(): Promise<readonly StateOverride[]> {
    return (await this.database.rows<StateRow>(stateRows(this.environment))).map(stateOverride);
  }

  /** Sets the state of a supplier; `until` is only for maintenance. Throws as changeBy. */
  async set(
    supplierId: string,
    state: SupplierState,
    until: Date | null,
    actor: Actor,
    reason?: string,
  ): Promise<void> {
    const { environment } = this;
    const ofSupplier = and(eq(supplierStates.environment, environment), eq(supplierStates.supplierId, supplierId));
    await changeBy(this.database, actor, async (tx) => {
      const [before] = await tx.select().from(supplierStates).where(ofSupplier).for('update');
      const values = { state, until, changedAt: sql`now()` };
      await tx
        .insert(supplierStates)
        .values({ environment, supplierId, ...values })
        .onConflictDoUpdate({ target: [supplierStates.environment, supplierStates.supplierId], set: values });
      const after = { environment, state, until };
      await recordAudit(
        { tables: tx },
        {
          ...{ actor, action: 'supplier_state_given', subject: supplierId, before: before ?? null, after },
          ...(reason === undefined ? {} : { reason }),
        },
      );
    });
  }

  /** Removes the state that was set, so that the configured one applies again; false if there was none. */
  async reset(supplierId: string, actor: Actor, reason?: string): Promise<boolean> {
    return await changeBy(this.database, actor, async (tx) => {
      const ofSupplier = and(
        eq(supplierStates.environment, this.environment),
        eq(supplierStates.supplierId, supplierId),
      );
      const [before] = await tx.delete(supplierStates).where(ofSupplier).returning();
      const change = { actor, action: 'supplier_state_taken_back', subject: supplierId, before };
      if (before) await recordAudit({ tables: tx }, reason === undefined ? change : { ...change, reason });
      return before !== undefined;
    });
  }
}

/** A newer version of the gateway may have stored an unknown state; the safe choice is not to call the supplier. */
function stateFrom(text: string): SupplierState {
  return SUPPLIER_STATES.find((state) => state === text) ?? 'off';
}
