import { Inject, Injectable } from '@nestjs/common';
import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import { recordAudit } from '../database/audit.js';
import type { Tables } from '../database/database.js';
import { applications, clientSecrets } from '../database/schema.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';

/** The credentials of all applications of an account. */
@Injectable()
export class AccountCredentials {
  constructor(@Inject(STORE) private readonly store: Store) {}

  /**
   * Revokes all secrets of an account's applications, as its owner, and all their tokens. `change` runs in the caller's
   * transaction: if the store is unavailable, it rejects with StoreUnavailableError and nothing changes. `finish` runs
   * after the commit and revokes tokens that were issued in between.
   */
  revocation(accountId: string): { change(tx: Tables): Promise<void>; finish(): Promise<void> } {
    let applicationIds: readonly string[] = [];
    const endTokens = async (): Promise<void> => {
      for (const applicationId of applicationIds) await this.store.revokeAll({ accountId, applicationId });
    };
    const change = async (tx: Tables): Promise<void> => {
      applicationIds = await revokeSecrets(tx, accountId);
      await endTokens();
    };
    return { change, finish: endTokens };
  }
}

/** Returns the ids of the account's applications, with or without secrets. */
async function revokeSecrets(tx: Tables, accountId: string): Promise<readonly string[]> {
  const own = await tx
    .select({ id: applications.id, environment: applications.environment })
    .from(applications)
    .where(and(eq(applications.accountId, accountId), ne(applications.state, 'deleted')))
    .orderBy(applications.id)
    .for('update');
  const [first] = own;
  if (!first) return [];
  const ids = own.map(({ id }) => id);
  const revoked = await tx
    .update(clientSecrets)
    .set({ revokedAt: sql`now()`, sealed: null })
    .where(and(inArray(clientSecrets.applicationId, ids), isNull(clientSecrets.revokedAt)))
    .returning({ id: clientSecrets.id, applicationId: clientSecrets.applicationId });
  const entries = revoked.map(({ id, applicationId: subject }) => ({
    actor: accountId,
    action: 'secret_revoked',
    subject,
    after: { secret_id: id },
  }));
  await recordAudit({ tables: tx, environment: first.environment }, ...entries);
  return ids;
}
