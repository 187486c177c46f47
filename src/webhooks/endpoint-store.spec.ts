import { createSecretKey } from 'node:crypto';
import { beforeEach, expect } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { EndpointStore } from './endpoint-store.js';
import { WebhookSecrets } from './webhook-secrets.js';

const OWNER = { applicationId: 'app_a', accountId: 'acc_a' };
const SETTINGS = { url: 'https://a.example/', events: null, description: 'Private', state: 'active' as const };

const database = migratedDatabase('webhook_endpoints', 'applications', 'accounts');
beforeEach(async () => {
  await database().rows(
    sql`insert into accounts (id, environment, name, tier) values ('acc_a', 'sandbox', 'Ada', 'demo')`,
  );
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier) values
    ('app_a', 'acc_a', 'Shop', 'client_a', 'sandbox', 'demo')`);
});

claim(
  'personal-data',
  'A call about webhooks that was accepted before its application was deleted stores nothing afterwards.',
  async () => {
    const config = configSchema.parse({});
    const secrets = new WebhookSecrets(config, () => createSecretKey(Buffer.alloc(32, 5)));
    const store = new EndpointStore(database(), config, secrets);
    const made = await store.create(OWNER, SETTINGS, 'test');
    const id = typeof made === 'string' ? made : made.endpoint.id;
    const stored = () =>
      database().rows(sql`select id, url, description, secret from webhook_endpoints
        union all select id::text, action, subject, after::text from audit_events order by 1`);
    const before = await stored();
    await database().rows(sql`update applications set state = 'deleted' where id = 'app_a'`);
    const gone = { status: 404 };
    await expect(store.create(OWNER, { ...SETTINGS, url: 'https://b.example/' }, 'test')).rejects.toMatchObject(gone);
    await expect(store.change('app_a', id, { description: 'Also private' }, 'test')).rejects.toMatchObject(gone);
    await expect(store.rotate('app_a', id, 24, 'test')).rejects.toMatchObject(gone);
    expect(await stored()).toEqual(before);
  },
);
