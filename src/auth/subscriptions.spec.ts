import { beforeAll, expect } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { ChangeRefused } from './change-refused.js';
import { Subscriptions } from './subscriptions.js';

const database = migratedDatabase();
beforeAll(async () => {
  await database().rows(sql`insert into products (id, name, path, state) values ('cars', 'Cars', '/cars', 'live')`);
});

/** Subscribes a new application of the environment to a product with a Live version, as its owner. */
async function subscribe(environment: 'sandbox' | 'production'): Promise<void> {
  const [account, app] = [`acc_${environment}`, `app_${environment}`];
  await database().rows(
    sql`insert into accounts (id, environment, name, tier) values (${account}, ${environment}, 'Ada', 'demo')`,
  );
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
    values (${app}, ${account}, 'Shop', ${app}, ${environment}, 'demo')`);
  const versions = { refresh: async () => undefined, product: () => ({ versions: [{ state: 'live' }] }) };
  const subscriptions = new Subscriptions(
    database(),
    configSchema.parse({ environment }),
    versions as never,
    {
      publish: async () => undefined,
    } as never,
  );
  await subscriptions.subscribe(app, ['cars'], { accountId: account, session: { generation: 0 } });
}

claim(
  'API5',
  'In production, a developer subscribes an application to no product: it has those of its newest approved access request.',
  async () => {
    const refused = await subscribe('production').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ChangeRefused);
    expect(String(refused)).toContain('request production access again');
    await subscribe('sandbox');
    expect(await database().rows(sql`select application_id as app from subscriptions`)).toEqual([
      { app: 'app_sandbox' },
    ]);
  },
);
