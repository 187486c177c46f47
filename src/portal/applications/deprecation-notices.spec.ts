import { expect } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { claim } from '../../../test/support/claim.js';
import { migratedDatabase } from '../../../test/support/migrated-database.js';
import type { ProductState } from '../../products/lifecycle.js';
import { ProductLifecycle } from '../../products/product-lifecycle.js';
import { seedProducts } from '../../products/seed-products.js';
import { DeprecationNotices } from './deprecation-notices.js';

const database = migratedDatabase();
const version = (major: number, patch = 0) => ({ major, minor: 0, patch });

claim(
  'environments',
  'Developers in production are notified of the deprecation of a version only if production has it, with the names and versions of production.',
  async () => {
    const seed = (
      environment: 'sandbox' | 'production',
      name: string,
      states: readonly (readonly [number, number, ProductState])[],
    ) =>
      seedProducts(
        database(),
        [
          {
            id: 'p',
            name,
            path: '/p',
            versions: states.map(([major, patch, state]) => ({ ...version(major, patch), state })),
          },
        ],
        environment,
      );
    const run = (text: string) => database().rows(sql.raw(text));
    await run(`insert into accounts (id, environment, name, tier, email, verified_at)
      values ('acc_p', 'production', 'Ada', 'demo', 'ada@example.com', now())`);
    await run(`insert into applications (id, account_id, environment, client_id, name, tier)
      values ('app_p', 'acc_p', 'production', 'client_p', 'Shop', 'demo')`);
    await seed('production', 'Cars', [[1, 0, 'live']]);
    await run(`insert into subscriptions (application_id, product_id, created_at)
      values ('app_p', 'p', now() - interval '1 day')`);
    await seed('sandbox', 'Renamed', [
      [1, 0, 'live'],
      [1, 1, 'deprecated'],
      [2, 0, 'live'],
    ]);
    const mails: { readonly subject: string; readonly text: string }[] = [];
    const notices = new DeprecationNotices(
      database(),
      { environment: 'production', backgroundWork: false },
      { put: async (mail: (typeof mails)[number]) => void mails.push(mail) } as never,
      { wake: () => undefined } as never,
      { url: (path: string) => `https://cars.example.com${path}` },
      pino({ level: 'silent' }),
      0,
    );
    expect(await notices.look()).toBe(0);
    const lifecycle = new ProductLifecycle(database(), 'production');
    await lifecycle.move({ productId: 'p', version: version(1), to: 'deprecated' }, 'ops');
    expect(await notices.look()).toBe(1);
    const [{ subject, text } = { subject: '', text: '' }] = mails;
    expect(`${subject} ${text}`).toContain('Cars');
    expect(`${subject} ${text}`).not.toMatch(/Renamed|v2/);
  },
);
