import { and, desc, eq, sql } from 'drizzle-orm';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { auditEvents } from '../database/schema.js';
import { supplierStates } from '../database/switch-tables.js';

/** The actor of changes that no person makes. */
export const AUTOMATIC = 'automatic';

/** Gateways return suppliers one after another, so that two don't take out the last two. */
const LOCK = sql`pg_advisory_xact_lock(20260, 3)`;

/** A return that a gateway considers necessary. */
export interface WantedReturn {
  readonly supplierId: string;
  /** The state that the gateway knows. If another one is stored meanwhile, nothing happens. */
  readonly from: 'canary' | 'live';
  /** The state of its file. */
  readonly configured: string;
  /** Other suppliers that this gateway knows as live, by the state of their file. */
  readonly others: readonly { readonly id: string; readonly configured: string }[];
  /** With the figures, for operators. */
  readonly reason: string;
  readonly figures: object;
}

/**
 * Returns a supplier to shadow, with an audit row. False, and nothing changes, if its state is another one, if no other supplier
 * is live, or if it was returned within the last hour. Rejects with the driver's error if the database is unavailable.
 */
export async function returnToShadow(
  database: Pick<Database, 'tables'>,
  environment: string,
  wanted: WantedReturn,
): Promise<boolean> {
  const { supplierId, from, configured, others, reason, figures } = wanted;
  return await database.tables.transaction(async (tx) => {
    await tx.execute(sql`select ${LOCK}`);
    const rows = await tx
      .select()
      .from(supplierStates)
      .where(eq(supplierStates.environment, environment))
      .for('update');
    const stateOf = (id: string, own: string): string => {
      const row = rows.find((one) => one.supplierId === id);
      if (row?.state === 'maintenance' && row.until !== null && row.until.getTime() <= Date.now()) return 'live';
      return row?.state ?? own;
    };
    if (stateOf(supplierId, configured) !== from) return false;
    if (!others.some((other) => stateOf(other.id, other.configured) === 'live')) return false;
    if (await wasReturned(tx, environment, supplierId)) return false;
    const before = rows.find((one) => one.supplierId === supplierId) ?? null;
    const values = { state: 'shadow', until: null, percent: null, returnedFor: reason, changedAt: sql`now()` };
    await tx
      .insert(supplierStates)
      .values({ environment, supplierId, ...values })
      .onConflictDoUpdate({ target: [supplierStates.environment, supplierStates.supplierId], set: values });
    const after = { environment, state: 'shadow', until: null, figures };
    await recordAudit(
      { tables: tx, environment },
      { actor: AUTOMATIC, action: 'supplier_state_given', subject: supplierId, before, after, reason },
    );
    return true;
  });
}

/** Whether the last automatic return was within an hour. */
async function wasReturned(tx: Tables, environment: string, supplierId: string): Promise<boolean> {
  const [last] = await tx
    .select({ isRecent: sql<boolean>`${auditEvents.at} > now() - interval '1 hour'` })
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.subject, supplierId),
        eq(auditEvents.actor, AUTOMATIC),
        eq(sql`${auditEvents.after} ->> 'environment'`, environment),
      ),
    )
    .orderBy(desc(auditEvents.id))
    .limit(1);
  return last?.isRecent ?? false;
}
