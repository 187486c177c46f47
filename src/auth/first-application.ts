import { eq } from 'drizzle-orm';
import { recordAudit } from '../database/audit.js';
import type { Tables } from '../database/database.js';
import { applications, subscriptions } from '../database/schema.js';
import { addApplication, lockAccount } from './application-records.js';
import type { ClientSecrets } from './client-secrets.js';

/** The name of the application that a new account begins with. Its owner may rename it. */
const NAME = 'First application';

/**
 * The change that gives an account of the sandbox its first application, subscribed to `products` (ids), in the transaction that activates
 * the account. It changes nothing for an account that had an application, even if that is deleted.
 */
export function firstApplication(
  secrets: ClientSecrets,
  accountId: string,
  products: readonly string[],
): (tx: Tables) => Promise<void> {
  return async (tx) => {
    const { tier } = await lockAccount(tx, accountId);
    const own = eq(applications.accountId, accountId);
    const [earlier] = await tx.select({ id: applications.id }).from(applications).where(own).limit(1);
    if (earlier) return;
    const values = { accountId, name: NAME, environment: 'sandbox', tier } as const;
    const { applicationId, clientId, secretId } = await addApplication(tx, secrets, values);
    if (products.length > 0)
      await tx.insert(subscriptions).values(products.map((productId) => ({ applicationId, productId })));
    const after = {
      account_id: accountId,
      name: NAME,
      client_id: clientId,
      environment: 'sandbox',
      tier,
      products,
      secret_id: secretId,
    };
    const change = { action: 'application_created', subject: applicationId, after };
    await recordAudit({ tables: tx, environment: 'sandbox' }, { actor: accountId, ...change });
  };
}
