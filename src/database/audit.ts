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

/**
 * Writes a row per entry to audit_events, in one statement; without entries, none. Pass `{ tables: tx }` to write them in
 * the transaction of the change.
 */
export async function recordAudit(
  database: Pick<Database, 'tables'>,
  ...entries: readonly AuditEntry[]
): Promise<void> {
  const rows = entries.map(({ actor, action, subject, before, after }) => ({
    actor: actorId(actor),
    action,
    subject,
    before: before ?? null,
    after: after ?? null,
  }));
  if (rows.length > 0) await database.tables.insert(auditEvents).values(rows);
}
