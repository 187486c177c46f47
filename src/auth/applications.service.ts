import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { KEYS, type Keys } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts, applications, subscriptions } from '../database/schema.js';
import { ProductsService } from '../products/products.service.js';
import type { ApplicationPolicy } from '../store/store.js';
import { sameDigest, secretHmac } from './credentials.js';

/** Result of checking a client id and secret: the policy of the application, or why not (ruling 10). */
export type CredentialCheck =
  | { readonly ok: true; readonly policy: ApplicationPolicy }
  | { readonly ok: false; readonly why: 'wrong' | 'expired' };

/** An application to create; ids and secret are given (the demo set) or made by the portal. */
export interface NewApplication {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly environment: 'sandbox' | 'production';
  readonly tier: string;
  readonly products: readonly string[];
  readonly credentialsExpireAt?: Date;
}

/** Client applications and their subscriptions in the database. */
@Injectable()
export class ApplicationsService {
  readonly #key: KeyObject;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(KEYS) keys: Keys,
    private readonly products: ProductsService,
  ) {
    this.#key = keys('client_secret');
  }

  /** Creates an application with its subscriptions; one that exists (same id) gets the secret given and keeps everything else. */
  async put(application: NewApplication): Promise<void> {
    await this.database.tables.transaction(async (tx) => {
      const secret = secretHmac(this.#key, application.clientSecret);
      const [row] = await tx
        .insert(applications)
        .values({
          id: application.id,
          name: application.name,
          clientId: application.clientId,
          secretHmac: secret,
          environment: application.environment,
          tier: application.tier,
          credentialsExpireAt: application.credentialsExpireAt ?? null,
        })
        .onConflictDoUpdate({ target: applications.id, set: { secretHmac: secret } })
        .returning({ isNew: sql<boolean>`xmax = 0` });
      if (!row?.isNew || application.products.length === 0) return;
      await tx.insert(subscriptions).values(application.products.map((productId) => ({ applicationId: application.id, productId })));
    });
  }

  /**
   * Checks a pair for an environment. Unknown ids cost the same work as known ones. A pair that is right but expired, suspended or of the
   * other environment is `expired`. Rejects with the driver's error when the database is down.
   */
  async check(clientId: string, clientSecret: string, environment: 'sandbox' | 'production', now: number): Promise<CredentialCheck> {
    const [row] = await this.database.tables.select().from(applications).where(eq(applications.clientId, clientId)).limit(1);
    const right = sameDigest(secretHmac(this.#key, clientSecret), row?.secretHmac ?? secretHmac(this.#key, ''));
    if (!row || !right) return { ok: false, why: 'wrong' };
    const expired = row.credentialsExpireAt !== null && row.credentialsExpireAt.getTime() <= now;
    if (expired || row.state !== 'active' || row.environment !== environment) return { ok: false, why: 'expired' };
    const subscribed = await this.database.tables
      .select({ id: subscriptions.productId })
      .from(subscriptions)
      .where(eq(subscriptions.applicationId, row.id));
    const [account] =
      row.accountId === null ? [] : await this.database.tables.select().from(accounts).where(eq(accounts.id, row.accountId));
    return {
      ok: true,
      policy: {
        accountId: row.accountId ?? `acc_${row.id.slice(4)}`,
        applicationId: row.id,
        clientId: row.clientId,
        environment,
        limits: this.products.limitsOf(row.tier, account?.tier),
        products: subscribed.map((subscription) => subscription.id).sort(),
        ...(row.defaultScenario === null ? {} : { defaultScenario: row.defaultScenario }),
      },
    };
  }
}
