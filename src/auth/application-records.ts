import { randomBytes } from 'node:crypto';
import { and, asc, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Actor } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Tables } from '../database/database.js';
import { accounts, applications, clientSecrets } from '../database/schema.js';
import { throttled } from '../status/throttled.js';
import type { TokenOwner } from '../store/store.js';
import { ChangeRefused } from './change-refused.js';
import type { ClientSecrets, SecretHolder } from './client-secrets.js';
import { type Environment, newClientSecret } from './credentials.js';

/** The most applications that an account may have, not counting deleted ones. */
export const MAX_APPLICATIONS = 20;

/** The most applications that an account may get within a day, including deleted ones, whose rows stay. */
export const MAX_APPLICATIONS_PER_DAY = 50;

/** The row of an application. */
export type ApplicationRecord = Omit<typeof applications.$inferSelect, 'environment'> & {
  readonly environment: Environment;
};

/** The credentials of an application, in plain text. */
export interface Credentials extends TokenOwner {
  readonly clientId: string;
  readonly secretId: string;
  readonly clientSecret: string;
}

/** An active secret. `clientSecret` is undefined if it was stored in a form that can't be shown again. */
export interface ShownSecret {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** Accurate to the minute. */
  readonly lastUsedAt: Date | null;
  readonly clientSecret: string | undefined;
}

/** The values of a new application. */
export type ApplicationValues = Pick<typeof applications.$inferInsert, 'accountId' | 'name' | 'tier'> & {
  readonly environment: Environment;
} & Partial<Pick<ApplicationRecord, 'description' | 'redirectUrl' | 'launchedFrom'>>;

/**
 * The row, locked until the end of the transaction. Throws ChangeRefused if it is unknown, deleted or of the other
 * environment. If you need the account as well, lock it first.
 */
export async function lockApplication(tx: Tables, id: string, environment: Environment): Promise<ApplicationRecord> {
  const isIt = and(eq(applications.id, id), eq(applications.environment, environment));
  const [row] = await tx.select().from(applications).where(isIt).for('update');
  if (!row || row.state === 'deleted') throw new ChangeRefused(`There is no application ${id} in ${environment}.`);
  return { ...row, environment };
}

/** The row, locked until the end of the transaction. */
export async function lockAccount(tx: Tables, id: string): Promise<typeof accounts.$inferSelect> {
  const [row] = await tx.select().from(accounts).where(eq(accounts.id, id)).for('no key update');
  if (!row) throw new Error(`there is no account ${id}`);
  return row;
}

/**
 * Locks the account until the end of the transaction, so that a request sent twice takes effect once. Throws
 * ChangeRefused if another application of the account has the name (ignoring case), or if the account has the most
 * applications allowed. `own` is the application to rename.
 */
export async function claimName(
  tx: Tables,
  values: Pick<ApplicationValues, 'accountId' | 'name'>,
  own?: string,
): Promise<void> {
  const { accountId, name } = values;
  await lockAccount(tx, accountId);
  const there = await tx
    .select({ id: applications.id, name: applications.name })
    .from(applications)
    .where(and(eq(applications.accountId, accountId), sql`${applications.state} <> 'deleted'`));
  if (there.some((other) => other.id !== own && other.name.toLowerCase() === name.toLowerCase())) {
    throw new ChangeRefused(`This account already has an application named ${name}. Choose another name.`, 'name');
  }
  if (own === undefined && there.length >= MAX_APPLICATIONS) {
    throw new ChangeRefused(
      `An account may have at most ${MAX_APPLICATIONS} applications. Delete one that you no longer need.`,
    );
  }
}

/** Throws ApiError 429 if the account got the most applications within a day. It must be locked. */
export async function limitCreations(tx: Tables, accountId: string): Promise<void> {
  const { createdAt } = applications;
  const waitSeconds = sql<number>`ceil(extract(epoch from ${createdAt} + interval '1 day' - now()))::int`;
  const [oldest] = await tx
    .select({ waitSeconds })
    .from(applications)
    .where(eq(applications.accountId, accountId))
    .orderBy(desc(createdAt))
    .offset(MAX_APPLICATIONS_PER_DAY - 1)
    .limit(1);
  if (!oldest || oldest.waitSeconds <= 0) return;
  const why = `An account can create at most ${MAX_APPLICATIONS_PER_DAY} applications per day.`;
  throw throttled(oldest.waitSeconds, why, `Try again in ${Math.ceil(oldest.waitSeconds / 60)} minutes.`);
}

/** Suspends or resumes a locked application, and records it. */
export async function changeState(
  tx: Tables,
  { id, state: before, environment }: ApplicationRecord,
  values: Pick<ApplicationRecord, 'state' | 'isHeld'>,
  actor: Actor,
  reason?: string,
): Promise<void> {
  await tx.update(applications).set(values).where(eq(applications.id, id));
  const action = values.state === 'active' ? 'application_resumed' : 'application_suspended';
  const change = {
    before: { state: before },
    after: { state: values.state },
    ...(reason === undefined ? {} : { reason }),
  };
  await recordAudit({ tables: tx, environment }, { actor, action, subject: id, ...change });
}

/** Creates an application with its first secret. */
export async function addApplication(
  tx: Tables,
  secrets: ClientSecrets,
  values: ApplicationValues,
): Promise<Credentials> {
  const applicationId = newId('app');
  const clientId = newId('client');
  await tx.insert(applications).values({ ...values, id: applicationId, clientId });
  const secret = await addSecret(tx, secrets, { applicationId, environment: values.environment });
  return { accountId: values.accountId, applicationId, clientId, ...secret };
}

/** Creates another secret for an application. */
export async function addSecret(
  tx: Tables,
  secrets: ClientSecrets,
  holder: SecretHolder,
): Promise<Pick<Credentials, 'secretId' | 'clientSecret'>> {
  const secretId = newId('sec');
  const clientSecret = newClientSecret();
  await tx
    .insert(clientSecrets)
    .values({ id: secretId, applicationId: holder.applicationId, ...secrets.keep(clientSecret, holder) });
  return { secretId, clientSecret };
}

/** A fresh id. */
export function newId(prefix: 'acc' | 'app' | 'sec' | 'client' | 'lau'): string {
  return `${prefix}_${randomBytes(10).toString('hex')}`;
}

/** Active secrets (neither revoked nor expired), oldest first. */
export async function liveSecrets(tx: Tables, applicationId: string): Promise<(typeof clientSecrets.$inferSelect)[]> {
  return await tx
    .select()
    .from(clientSecrets)
    .where(
      and(
        eq(clientSecrets.applicationId, applicationId),
        isNull(clientSecrets.revokedAt),
        or(isNull(clientSecrets.expiresAt), gt(clientSecrets.expiresAt, sql`clock_timestamp()`)),
      ),
    )
    .orderBy(asc(clientSecrets.createdAt), asc(clientSecrets.id));
}

/** The most secrets that an application may get within an hour. */
export const MAX_SECRETS_PER_HOUR = 20;

/**
 * Deletes the secrets that expired or were revoked more than a day ago; their creation and revocation stay in audit_events.
 * Throws ApiError 429 if the application got the most secrets within the last hour. The application must be locked.
 */
export async function limitSecrets(tx: Tables, applicationId: string): Promise<void> {
  const { createdAt, expiresAt, revokedAt } = clientSecrets;
  const isOwn = eq(clientSecrets.applicationId, applicationId);
  const endedAt = sql`least(${expiresAt}, ${revokedAt})`;
  await tx.delete(clientSecrets).where(and(isOwn, sql`${endedAt} < now() - interval '1 day'`));
  const waitSeconds = sql<number>`ceil(extract(epoch from min(${createdAt}) + interval '1 hour' - now()))::int`;
  const [recent] = await tx
    .select({ count: sql<number>`count(*)::int`, waitSeconds })
    .from(clientSecrets)
    .where(and(isOwn, sql`${createdAt} > now() - interval '1 hour'`));
  if (!recent || recent.count < MAX_SECRETS_PER_HOUR) return;
  const why = `An application can get at most ${MAX_SECRETS_PER_HOUR} secrets per hour.`;
  throw throttled(recent.waitSeconds, why, `Try again in ${Math.ceil(recent.waitSeconds / 60)} minutes.`);
}

/**
 * The id of the account in production with the address of a sandbox account; without an address, always a new one. A new one has
 * `tier`: that of the sandbox account is given by operators of the sandbox, and those who approve don't see it.
 */
export async function accountInProduction(
  tx: Tables,
  { name, email }: Pick<typeof accounts.$inferSelect, 'name' | 'email'>,
  tier: string,
): Promise<string> {
  const [created] = await tx
    .insert(accounts)
    .values({ id: newId('acc'), environment: 'production', name, email, tier })
    .onConflictDoNothing({ target: [accounts.environment, accounts.email] })
    .returning({ id: accounts.id });
  if (created) return created.id;
  const isIt = and(eq(accounts.environment, 'production'), eq(accounts.email, email ?? ''));
  const [known] = await tx.select({ id: accounts.id }).from(accounts).where(isIt);
  if (!known) throw new Error('the account in production was removed in the meantime');
  return known.id;
}
