import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedFolder } from '../../test/support/migrated-folder.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { type Database, openDatabase } from '../database/database.js';
import { AccessRequests } from './access-requests.js';
import { ApplicationAdmin } from './application-admin.js';
import { ClientSecrets } from './client-secrets.js';

const folder = await migratedFolder();
let database: Database;
beforeAll(async () => {
  database = await openDatabase(undefined, folder);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

claim(
  'API5',
  'An operator who is demoted while deciding on a request for production access decides nothing.',
  async () => {
    const config = configSchema.parse({ secret: 'a-secret-of-the-access-request-tests-0123456789' });
    const secrets = new ClientSecrets(config, loadKeys(config));
    const application = { name: 'Shop', accountId: undefined, tier: 'demo', products: [] };
    const made = await new ApplicationAdmin(database, 'sandbox', secrets, undefined).create(application, 'ops');
    await database.rows(sql`insert into launch_requests (id, application_id, message)
    values ('lau_1', ${made.applicationId}, 'Please')`);
    await database.rows(sql`insert into accounts (id, environment, name, tier, role)
    values ('acc_op', 'production', 'Grace', 'demo', 'developer')`);
    const requests = new AccessRequests(database, 'production', secrets, async () => undefined);
    const actor = { accountId: 'acc_op', session: { generation: 0 } };
    await expect(requests.approve('lau_1', '', actor)).rejects.toThrow('you no longer are one');
    await expect(requests.refuse('lau_1', 'No', actor)).rejects.toThrow('you no longer are one');
    expect((await requests.list()).map(({ state }) => state)).toEqual(['requested']);
    await database.rows(sql`update accounts set role = 'ops' where id = 'acc_op'`);
    await requests.approve('lau_1', '', actor);
    expect((await requests.list()).map(({ state }) => state)).toEqual(['approved']);
  },
);
