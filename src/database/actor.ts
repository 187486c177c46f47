import { and, eq } from 'drizzle-orm';
import type { Database, Tables } from './database.js';
import { accounts } from './schema.js';

/** A person whose session sent a form. */
export interface SessionActor {
  readonly accountId: string;
  /** `generation` is that of the account when the session began. */
  readonly session: { readonly generation: number };
}

/** Who makes a change: `ops`, `system`, an account id, or a person in a session. */
export type Actor = string | SessionActor;

/** The sessions of the person who makes a change were revoked since the request began. */
export class SessionRevokedError extends Error {
  constructor() {
    super('the session was revoked');
    this.name = 'SessionRevokedError';
  }
}

/** The actor as stored in audit_events. */
export function actorId(actor: Actor): string {
  return typeof actor === 'string' ? actor : actor.accountId;
}

/**
 * Locks the account of a person in a session until the end of the transaction. False if all its sessions were revoked since the
 * request began, so that the transaction must change nothing.
 */
export async function lockLive(tx: Tables, { accountId, session }: SessionActor): Promise<boolean> {
  const { id, sessionsGeneration } = accounts;
  const isLive = and(eq(id, accountId), eq(sessionsGeneration, session.generation));
  return (await tx.select({ id }).from(accounts).where(isLive).for('no key update')).length > 0;
}

/**
 * Runs a change in a transaction. For a person in a session, it is carried out only if the session isn't revoked before its
 * commit; otherwise nothing changes and it throws SessionRevokedError.
 */
export async function changeBy<T>(
  { tables }: Pick<Database, 'tables'>,
  actor: Actor,
  change: (tx: Tables) => Promise<T>,
): Promise<T> {
  return await tables.transaction(async (tx) => {
    // The account is locked before anything else, as everywhere.
    if (typeof actor !== 'string' && !(await lockLive(tx, actor))) throw new SessionRevokedError();
    return await change(tx);
  });
}
