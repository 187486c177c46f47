import { randomBytes } from 'node:crypto';
import { and, eq, ne } from 'drizzle-orm';
import type { Tables } from '../database/database.js';
import { accounts, applications, clientSecrets } from '../database/schema.js';
import type { TokenOwner } from '../store/store.js';
import { ChangeRefused } from './change-refused.js';
import type { ClientSecrets, SecretHolder } from './client-secrets.js';
import { type Environment, newClientSecret } from './credentials.js';

/** How many applications an account may have in each environment; deleted ones do not count. */
export const MAX_APPLICATIONS = 20;

/** The row of an application. */
export type ApplicationRecord = Omit<typeof applications.$inferSelect, 'environment'> & {
  readonly environment: Environment;
};

/** The credentials of an application, in the clear. */
export interface Credentials extends TokenOwner {
  readonly clientId: string;
  readonly secretId: string;
  readonly clientSecret: string;
}

/** What an application is made of. */
export type ApplicationValues = Pick<typeof applications.$inferInsert, 'accountId' | 'name' | 'tier'> & {
  readonly environment: Environment;
} & Partial<Pick<ApplicationRecord, 'description' | 'redirectUrl' | 'launchedFrom'>>;

/** The row, locked to the end of the transaction. Throws ChangeRefused for an unknown or deleted one. Who needs its account too locks that one first. */
export async function lockApplication(tx: Tables, id: string): Promise<ApplicationRecord> {
  const [row] = await tx.select().from(applications).where(eq(applications.id, id)).for('update');
  if (!row || row.state === 'deleted') throw new ChangeRefused(`there is no application ${id}`);
  return { ...row, environment: row.environment === 'production' ? 'production' : 'sandbox' };
}

/** The row, locked to the end of the transaction. */
export async function lockAccount(tx: Tables, id: string): Promise<typeof accounts.$inferSelect> {
  const [row] = await tx.select().from(accounts).where(eq(accounts.id, id)).for('no key update');
  if (!row) throw new Error(`there is no account ${id}`);
  return row;
}

/**
 * Locks the account to the end of the transaction, so that what is sent twice is done once, and throws ChangeRefused when another of its
 * applications of that environment has the name (upper and lower case are the same), or when it may have no further one. `own`: the
 * application that is renamed.
 */
export async function claimName(
  tx: Tables,
  values: Pick<ApplicationValues, 'accountId' | 'environment' | 'name'>,
  own?: string,
): Promise<void> {
  const { accountId, environment, name } = values;
  await lockAccount(tx, accountId);
  const there = await tx
    .select({ id: applications.id, name: applications.name })
    .from(applications)
    .where(
      and(
        eq(applications.accountId, accountId),
        eq(applications.environment, environment),
        ne(applications.state, 'deleted'),
      ),
    );
  if (there.some((other) => other.id !== own && other.name.toLowerCase() === name.toLowerCase())) {
    throw new ChangeRefused(`There is an application ${name} in this account already. Choose another name.`, 'name');
  }
  if (own === undefined && there.length >= MAX_APPLICATIONS) {
    throw new ChangeRefused(
      `An account may have ${MAX_APPLICATIONS} applications. Delete one that is not needed first.`,
    );
  }
}

/** A new application with its first secret. */
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

/** A further secret of an application. */
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
