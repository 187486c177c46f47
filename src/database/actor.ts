import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { TurnMissedError, Turns } from '../config/turns.js';
import { auditOrigin, type SessionActor } from './audit-origin.js';
import type { Database, Tables } from './database.js';
import { databaseFault } from './database-fault.js';
import { accounts, applications, auditEvents } from './schema.js';

/** Who makes a change: `ops`, `system`, an account id, or a person in a session. */
export type Actor = string | SessionActor;

/** The sessions of the person who makes a change were revoked since the request began, or it is no longer an operator. */
export class SessionRevokedError extends Error {
  constructor() {
    super('the session was revoked');
    this.name = 'SessionRevokedError';
  }
}

/** A change was not made because of other changes of the person. The message says why, for the person. */
export class TooManyChangesError extends Error {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
    this.name = 'TooManyChangesError';
  }
}

/** The most changes of a person that are recorded within an hour. Those that end something don't count as too many. */
export const MAX_CHANGES_PER_HOUR = 300;

/** How long a change of a person waits for a lock. */
const LOCK_MS = 1_000;
const RETRY_SECONDS = 2;

/** By account: the changes of persons. A change that waits for its turn holds no connection. */
const turns = new Turns();

/** The actor as stored in audit_events. */
export function actorId(actor: Actor): string {
  return typeof actor === 'string' ? actor : actor.accountId;
}

/** The person who makes a change, including by a command on a page, whose actor is `ops`. */
function personOf(actor: Actor): SessionActor | undefined {
  return typeof actor === 'string' ? auditOrigin()?.person : actor;
}

/**
 * Runs a change in a transaction. For a person in a session, also one who runs a command on a page, it is carried out only if the session
 * isn't revoked before its commit; otherwise nothing changes and it throws SessionRevokedError. A person makes one change at a time, and
 * at most MAX_CHANGES_PER_HOUR; beyond that it throws TooManyChangesError.
 */
export async function changeBy<T>(
  database: Pick<Database, 'tables'>,
  actor: Actor,
  change: (tx: Tables) => Promise<T>,
): Promise<T> {
  return await endBy(database, actor, async (tx) => {
    const person = personOf(actor);
    if (person) await limitChanges(tx, person.accountId);
    return await change(tx);
  });
}

/**
 * Like changeBy, however many changes were made, for a change that ends something: access, a secret, an application. That must
 * always be possible, and each follows another change.
 */
export async function endBy<T>(
  { tables }: Pick<Database, 'tables'>,
  actor: Actor,
  change: (tx: Tables) => Promise<T>,
): Promise<T> {
  const person = personOf(actor);
  if (!person) return await tables.transaction(change);
  try {
    return await turns.run(person.accountId, () =>
      tables.transaction(async (tx) => {
        // The account is locked before anything else, as everywhere.
        if (!(await lockLive(tx, person))) throw new SessionRevokedError();
        return await change(tx);
      }),
    );
  } catch (error) {
    if (error instanceof TurnMissedError) throw inProgress();
    throw error;
  }
}

/** Locks the account of a person in a session. False if all its sessions were revoked since the request began, or an operator was demoted. */
async function lockLive(tx: Tables, { accountId, role: before, session }: SessionActor): Promise<boolean> {
  const { id, role, sessionsGeneration } = accounts;
  const mayStill = before === 'ops' ? eq(role, 'ops') : undefined;
  const isLive = and(eq(id, accountId), eq(sessionsGeneration, session.generation), mayStill);
  await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_MS}`));
  try {
    return (await tx.select({ id }).from(accounts).where(isLive).for('no key update')).length > 0;
  } catch (error) {
    if (databaseFault(error) === 'locked') throw inProgress();
    throw error;
  }
}

function inProgress(): TooManyChangesError {
  return new TooManyChangesError('Another change of your account is in progress.', RETRY_SECONDS);
}

/** Throws TooManyChangesError if the account made MAX_CHANGES_PER_HOUR. It is locked, so that concurrent changes are counted. */
async function limitChanges(tx: Tables, accountId: string): Promise<void> {
  const { actor, at, id } = auditEvents;
  const [oldest] = await tx
    .select({ waitSeconds: waitSeconds(sql`${at}`) })
    .from(auditEvents)
    .where(eq(actor, accountId))
    .orderBy(desc(id))
    .offset(MAX_CHANGES_PER_HOUR - 1)
    .limit(1);
  refuse(oldest, `You can make at most ${MAX_CHANGES_PER_HOUR} changes per hour.`);
}

/**
 * Throws TooManyChangesError if the applications of this one's account together made MAX_CHANGES_PER_HOUR by the API. The
 * application is locked; changes of several at the same moment may exceed the limit by one each.
 */
export async function limitApplicationChanges(tx: Tables, applicationId: string): Promise<void> {
  const { id, accountId } = applications;
  const own = eq(auditEvents.actor, id);
  const newest = tx
    .select({ at: auditEvents.at })
    .from(auditEvents)
    .where(own)
    .orderBy(desc(auditEvents.id))
    .limit(MAX_CHANGES_PER_HOUR)
    .as('newest');
  const last = tx.select({ at: auditEvents.at }).from(auditEvents).where(own).orderBy(desc(auditEvents.id)).limit(1);
  const account = tx.select({ accountId }).from(applications).where(eq(id, applicationId));
  const [oldest] = await tx
    .select({ waitSeconds: waitSeconds(sql`${newest.at}`) })
    .from(applications)
    .crossJoinLateral(newest)
    // Deleted ones included, but not those without a change in this hour: an account may have deleted many.
    .where(and(eq(accountId, account), sql`(${last}) > now() - interval '1 hour'`))
    .orderBy(desc(newest.at))
    .offset(MAX_CHANGES_PER_HOUR - 1)
    .limit(1);
  refuse(oldest, `The applications of an account can make at most ${MAX_CHANGES_PER_HOUR} changes per hour.`);
}

/** The seconds until an instant is an hour ago. */
function waitSeconds(at: SQL): SQL<number> {
  return sql<number>`ceil(extract(epoch from ${at} + interval '1 hour' - now()))::int`;
}

function refuse(oldest: { readonly waitSeconds: number } | undefined, why: string): void {
  if (oldest && oldest.waitSeconds > 0) throw new TooManyChangesError(why, oldest.waitSeconds);
}
