import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { PROJECT } from '../../test/support/project.js';
import { configSchema } from '../config/config.schema.js';
import { ProductsService } from './products.service.js';

const database = migratedDatabase('applications', 'accounts');

const check = () =>
  new ProductsService(join(PROJECT, 'config'), database(), {} as never, configSchema.parse({})).checkTiers();
const account = (id: string, tier: string, environment = 'sandbox', erasingSince: string | null = null) =>
  database().rows(sql`insert into accounts (id, environment, name, tier, erasing_since)
    values (${id}, ${environment}, 'A', ${tier}, ${erasingSince}::timestamptz)`);
const application = (id: string, tier: string, state: string) =>
  database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier, state)
    values (${id}, 'acc_a', 'A', ${id}, 'sandbox', ${tier}, ${state})`);

it('a gateway starts if the file has the tiers of its environment; those of deleted things are not needed', async () => {
  await account('acc_a', 'standard');
  await account('acc_b', 'gone', 'production');
  await account('acc_c', 'gone', 'sandbox', '2026-01-01');
  await application('app_a', 'gone', 'deleted');
  await expect(check()).resolves.toBeUndefined();
});

it('a gateway does not start if an application or account has a tier that the file lacks', async () => {
  await account('acc_a', 'golden');
  await application('app_a', 'gone', 'suspended');
  await application('app_b', 'gone', 'active');
  await expect(check()).rejects.toMatchObject({
    name: 'ConfigError',
    faults: [
      expect.stringMatching(/^tiers\.yaml: there is no tier "golden", which 1 applications .* it has .*gw apps tier/),
      expect.stringContaining('there is no tier "gone", which 2 applications and accounts have'),
    ],
  });
});
