import type { Database } from './database.js';
import { auditEvents } from './schema.js';

/** One change of ops or a developer. `before` and `after` are JSON; nothing secret stands in them. */
export interface AuditEntry {
  /** `ops`, `system`, or an account id. */
  readonly actor: string;
  /** Lower snake, in the past: secret_rotated, application_suspended, … */
  readonly action: string;
  /** Id of what was changed. */
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Writes one row of audit_events. With `{ tables: tx }` of a transaction it stands or falls with the change itself. */
export async function recordAudit(database: Pick<Database, 'tables'>, entry: AuditEntry): Promise<void> {
  const { actor, action, subject, before, after } = entry;
  await database.tables
    .insert(auditEvents)
    .values({ actor, action, subject, before: before ?? null, after: after ?? null });
}
