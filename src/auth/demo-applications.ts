import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { and, eq, isNull } from 'drizzle-orm';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts, applications, betaApplications, clientSecrets, subscriptions } from '../database/schema.js';
import { ProductsService } from '../products/products.service.js';
import { ClientSecrets } from './client-secrets.js';

/** A demo application in first-steps.json. */
export interface DemoApplication {
  readonly name: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly tier: string;
  readonly subscriptions: readonly string[];
}

const DEMO = [
  { name: 'demo', tier: 'demo', subscribed: true, expired: false },
  { name: 'demo-unsubscribed', tier: 'demo', subscribed: false, expired: false },
  { name: 'demo-throttled', tier: 'demo_throttled', subscribed: true, expired: false },
  { name: 'demo-expired', tier: 'demo', subscribed: true, expired: true },
] as const;

/**
 * The demo applications of docs/applications.md, sandbox only, each in its own account (`acc_demo`, …). Their secrets
 * are derived from the master secret, so they stay the same across restarts.
 */
@Injectable()
export class DemoApplications {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) private readonly keys: Keys,
    @Inject(DATABASE) private readonly database: Database,
    private readonly secrets: ClientSecrets,
    private readonly products: ProductsService,
  ) {}

  /**
   * Creates missing demo applications and returns all, in the order of docs/applications.md. Returns none in
   * production.
   */
  async seed(): Promise<readonly DemoApplication[]> {
    if (this.config.environment !== 'sandbox') return [];
    const all = this.products.seeds.map((product) => product.id);
    const result: DemoApplication[] = [];
    for (const { name, tier, subscribed, expired } of DEMO) {
      const client_secret = createHmac('sha256', this.keys('demo_credentials'))
        .update(name)
        .digest('base64url')
        .slice(0, 40);
      const demo = { name, client_id: `${name}-client`, client_secret, tier, subscriptions: subscribed ? all : [] };
      await this.#put(demo, expired);
      result.push(demo);
    }
    return result;
  }

  /** An existing row keeps everything except the secret, which changes with the master secret. */
  async #put(demo: DemoApplication, expired: boolean): Promise<void> {
    const { name, tier } = demo;
    const id = name.replaceAll('-', '');
    const accountId = `acc_${id}`;
    const applicationId = `app_${id}`;
    const kept = this.secrets.keep(demo.client_secret, { applicationId, environment: 'sandbox' });
    await this.database.tables.transaction(async (tx) => {
      await tx.insert(accounts).values({ id: accountId, environment: 'sandbox', name, tier }).onConflictDoNothing();
      const [added] = await tx
        .insert(applications)
        .values({ id: applicationId, accountId, name, clientId: demo.client_id, environment: 'sandbox', tier })
        .onConflictDoNothing()
        .returning({ id: applications.id });
      const secretId = `sec_${id}`;
      if (!added) {
        // A secret that was deleted since it ended is not created again.
        const isUnrevoked = and(eq(clientSecrets.id, secretId), isNull(clientSecrets.revokedAt));
        await tx.update(clientSecrets).set(kept).where(isUnrevoked);
        return;
      }
      const expiresAt = expired ? LONG_AGO : null;
      await tx.insert(clientSecrets).values({ id: secretId, applicationId, ...kept, expiresAt });
      if (demo.subscriptions.length === 0) return;
      await tx.insert(subscriptions).values(demo.subscriptions.map((productId) => ({ applicationId, productId })));
      const betas = this.#betas(applicationId);
      if (betas.length > 0) await tx.insert(betaApplications).values(betas);
    });
  }

  /** The Betas of this build, for which the demo applications are selected when they are created. */
  #betas(applicationId: string): (typeof betaApplications.$inferInsert)[] {
    return this.products.seeds.flatMap(({ id: productId, versions }) =>
      versions
        .filter(({ state }) => state === 'beta')
        .map(({ major, minor }) => ({ applicationId, productId, major, minor })),
    );
  }
}

const LONG_AGO = new Date('2020-01-01T00:00:00Z');
