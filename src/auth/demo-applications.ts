import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { ProductsService } from '../products/products.service.js';
import { ApplicationsService } from './applications.service.js';

/** A demo application as first-steps.json shows it. */
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

/** The demo applications of experience.md, sandbox only. Their secrets are derived from the master secret: the same at every start. */
@Injectable()
export class DemoApplications {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) private readonly keys: Keys,
    private readonly applications: ApplicationsService,
    private readonly products: ProductsService,
  ) {}

  /** Creates what is missing and returns all, in the order of experience.md; none in production. */
  async seed(): Promise<readonly DemoApplication[]> {
    if (this.config.environment !== 'sandbox') return [];
    const all = this.products.seeds.map((product) => product.id);
    const result: DemoApplication[] = [];
    for (const { name, tier, subscribed, expired } of DEMO) {
      const clientSecret = createHmac('sha256', this.keys('demo_credentials')).update(name).digest('base64url').slice(0, 40);
      const clientId = `${name}-client`;
      const subscriptions = subscribed ? all : [];
      await this.applications.put({
        id: `app_${name.replaceAll('-', '')}`,
        name,
        clientId,
        clientSecret,
        environment: 'sandbox',
        tier,
        products: subscriptions,
        ...(expired ? { credentialsExpireAt: new Date('2020-01-01T00:00:00Z') } : {}),
      });
      result.push({ name, client_id: clientId, client_secret: clientSecret, tier, subscriptions });
    }
    return result;
  }
}
