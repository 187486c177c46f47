import { maskCardNumbers } from '../privacy/card-numbers.js';
import { type Actor, actorId } from './actor.js';
import { auditOrigin } from './audit-origin.js';
import type { Database } from './database.js';
import { auditEvents } from './schema.js';
import { storable } from './storable.js';

/** One change made by an operator or a developer. `before` and `after` are JSON without secrets and renters. */
export interface AuditEntry {
  readonly actor: Actor;
  /** Lower snake case, past tense: secret_rotated, application_suspended, … */
  readonly action: string;
  /** Id of the changed object. */
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** Default: the reason of the command or call that makes the change. */
  readonly reason?: string;
}

/** Where changes are recorded: the tables, or those of the transaction of the change, and the environment that it belongs to. */
export interface AuditWriter extends Pick<Database, 'tables'> {
  /** sandbox | production. The other one's operators don't see it. */
  readonly environment: string;
}

/** The most characters of a reason that are kept. */
const MOST_REASON = 500;

/** The kind of a subject, by how its id begins. */
const KINDS_BY_ID: Readonly<Record<string, string>> = {
  acc: 'account',
  adk: 'admin_key',
  app: 'application',
  inc: 'incident',
  lau: 'access_request',
  res: 'reservation',
  sec: 'client_secret',
  sw: 'switch',
  whe: 'webhook_endpoint',
};

/** The same by how the action begins, for subjects that are named by operators. */
const KINDS_BY_ACTION: Readonly<Record<string, string>> = {
  beta: 'product_version',
  keys: 'keys',
  maintenance: 'service_or_product',
  supplier: 'supplier',
  version: 'product_version',
};

/**
 * Writes a row per entry to audit_events, in one statement; without entries, none. Pass the `tx` of the change as
 * `tables` to write them in its transaction. Card numbers are masked, NUL is left out, and half a character becomes U+FFFD, in texts and in
 * names of members. The database adds the rows to the hash chain.
 */
export async function recordAudit(
  { tables, environment }: AuditWriter,
  ...entries: readonly AuditEntry[]
): Promise<void> {
  const origin = auditOrigin();
  const rows = entries.map(({ actor, action, subject, before, after, reason = origin?.reason }) => ({
    actor: origin?.person?.accountId ?? actorId(actor),
    action,
    subject,
    subjectKind: kindOf(action, subject),
    before: masked(before),
    after: masked(after),
    reason: reason === undefined || reason === '' ? null : storable(maskCardNumbers(reason).slice(0, MOST_REASON)),
    environment,
    channel: origin?.channel ?? 'gateway',
    agent: origin?.agent ?? null,
    address: origin?.address ?? null,
    requestId: origin?.requestId ?? null,
  }));
  if (rows.length === 0) return;
  await tables.insert(auditEvents).values(rows);
  for (const { actor, action, subject, subjectKind, before, after, reason } of rows)
    origin?.recorded?.push({ actor, action, subject, subjectKind, before, after, reason });
}

function kindOf(action: string, subject: string): string {
  const byId = /^([a-z]{2,3})_/.exec(subject)?.[1] ?? '';
  return KINDS_BY_ID[byId] ?? KINDS_BY_ACTION[action.split('_', 1)[0] ?? ''] ?? 'other';
}

/** JSON that PostgreSQL can read, with card numbers masked in every text and name; null for undefined. */
function masked(value: unknown): unknown {
  if (value === undefined) return null;
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) => {
    if (typeof member === 'string') return maskedText(member);
    return typeof member === 'object' && member !== null && !Array.isArray(member) ? withMaskedNames(member) : member;
  });
}

/** The members under their names as they are stored. Those whose names differ only by what is left out or masked all stay. */
function withMaskedNames(members: object): object {
  const stored = new Map<string, unknown>();
  for (const [name, member] of Object.entries(members)) {
    let own = maskedText(name);
    while (own !== name && (Object.hasOwn(members, own) || stored.has(own))) own += '\ufffd';
    stored.set(own, member);
  }
  return Object.fromEntries(stored);
}

function maskedText(text: string): string {
  return storable(maskCardNumbers(text));
}
