import { and, eq, type SQL, sql } from 'drizzle-orm';
import { type FileState, SUPPLIER_STATES, type SupplierState } from '../config/supplier-config.schema.js';
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
  /** For canary: the share of the searches, 1 to 99. */
  readonly percent?: number;
  /** Why the gateway itself returned the supplier to shadow; absent if an operator set the state. */
  readonly returnedFor?: string;
}

/** A row of `stateRows`. */
export interface StateRow {
  readonly id: string;
  readonly state: string;
  /** Unix milliseconds. */
  readonly until: number | null;
  /** Maintenance that has expired. */
  readonly over: boolean;
  readonly percent: number | null;
  /** Why the gateway itself returned the supplier to shadow. */
  readonly why: string | null;
}

/** Selects the states that operators set in an environment, in order of supplier id. */
export function stateRows(environment: string): SQL {
  return sql`
    select supplier_id as id, state, (extract(epoch from until) * 1000)::float8 as until, coalesce(until <= now(), false) as over,
      percent, returned_for as why
    from supplier_states where environment = ${environment} order by supplier_id`;
}

/** Expired maintenance is `live`. */
export function stateOverride({ id, state, until, over, percent, why }: StateRow): StateOverride {
  return {
    supplierId: id,
    state: over ? 'live' : stateFrom(state),
    until: until === null || over ? null : new Date(until),
    ...(percent === null ? {} : { percent }),
    ...(why === null ? {} : { returnedFor: why }),
  };
}

interface Given {
  readonly state: SupplierState;
  readonly until: Date | null;
  readonly percent: number | null;
}

const STATES: readonly SupplierState[] = [...SUPPLIER_STATES, 'canary'];

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
  async set(supplierId: string, state: FileState, until: Date | null, actor: Actor, reason?: string): Promise<void> {
    await this.#give(supplierId, { state, until, percent: null }, actor, reason);
  }

  /** Sends a share of the searches to a supplier, 1 to 99 percent; the others copy theirs to it as in shadow. Throws as changeBy. */
  async canary(supplierId: string, percent: number, actor: Actor, reason?: string): Promise<void> {
    await this.#give(supplierId, { state: 'canary', until: null, percent }, actor, reason);
  }

  async #give(supplierId: string, given: Given, actor: Actor, reason: string | undefined): Promise<void> {
    const { environment } = this;
    const ofSupplier = and(eq(supplierStates.environment, environment), eq(supplierStates.supplierId, supplierId));
    await changeBy(this.database, actor, async (tx) => {
      const [before] = await tx.select().from(supplierStates).where(ofSupplier).for('update');
      const values = { ...given, returnedFor: null, changedAt: sql`now()` };
      await tx
        .insert(supplierStates)
        .values({ environment, supplierId, ...values })
        .onConflictDoUpdate({ target: [supplierStates.environment, supplierStates.supplierId], set: values });
      const { percent, ...rest } = given;
      const after = { environment, ...rest, ...(percent === null ? {} : { percent }) };
      await recordAudit(
        { tables: tx, environment: this.environment },
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
      if (before)
        await recordAudit(
          { tables: tx, environment: this.environment },
          reason === undefined ? change : { ...change, reason },
        );
      return before !== undefined;
    });
  }
}

/** A newer version of the gateway may have stored an unknown state; the safe choice is not to call the supplier. */
function stateFrom(text: string): SupplierState {
  return STATES.find((state) => state === text) ?? 'off';
}
