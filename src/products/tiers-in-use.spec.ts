import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { PROJECT } from '../../test/support/project.js';
import { configSchema } from '../config/config.schema.js';
import { readTiers } from './product-file.js';
import { lackedTiers, tiersInUse } from './tiers-in-use.js';

const database = migratedDatabase('applications', 'accounts');

const lacked = async () =>
  lackedTiers(
    await database().rows(sql.raw(tiersInUse('sandbox'))),
    readTiers(join(PROJECT, 'config'), configSchema.parse({})),
  );
const account = (id: string, tier: string, email: string | null, environment = 'sandbox') =>
  database().rows(sql`insert into accounts (id, environment, name, tier, email)
    values (${id}, ${environment}, 'A', ${tier}, ${email})`);
const application = (id: string, accountId: string, tier: string, state: string) =>
  database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier, state)
    values (${id}, ${accountId}, 'A', ${id}, 'sandbox', ${tier}, ${state})`);

it('tiers of the other environment, of erased accounts and of deleted applications are not needed', async () => {
  await account('acc_a', 'standard', 'ada@example.com');
  await account('acc_b', 'gone', 'bob@example.com', 'production');
  await account('acc_erased', 'gone', null);
  await account('acc_of_deleted', 'gone', null);
  await application('app_a', 'acc_of_deleted', 'gone', 'deleted');
  expect(await lacked()).toEqual([]);
});

it('a tier that the file lacks is named with how many applications and accounts have it', async () => {
  await account('acc_a', 'golden', 'ada@example.com');
  await account('acc_b', 'gone', null);
  await application('app_a', 'acc_b', 'gone', 'suspended');
  await application('app_b', 'acc_b', 'gone', 'active');
  expect(await lacked()).toEqual([
    expect.stringMatching(/^tiers\.yaml: there is no tier "golden", which 1 applications .* it has /),
    expect.stringContaining('there is no tier "gone", which 3 applications and accounts have'),
  ]);
});
