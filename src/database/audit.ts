import { type Actor, actorId } from './actor.js';
import type { Database } from './database.js';
import { auditEvents } from './schema.js';

/** One change made by an operator or a developer. `before` and `after` are JSON without secrets. */
export interface AuditEntry {
  readonly actor: Actor;
  /** Lower snake case, past tense: secret_rotated, application_suspended, … */
  readonly action: string;
  /** Id of the changed object. */
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Writes one row to audit_events. Pass `{ tables: tx }` to write it in the transaction of the change. */
export async function recordAudit(database: Pick<Database, 'tables'>, entry: AuditEntry): Promise<void> {
  const { actor, action, subject, before, after } = entry;
  await database.tables
    .insert(auditEvents)
    .values({ actor: actorId(actor), action, subject, before: before ?? null, after: after ?? null });
}
