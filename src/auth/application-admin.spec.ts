import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedFolder } from '../../test/support/migrated-folder.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { type Database, openDatabase } from '../database/database.js';
import { ApplicationAdmin } from './application-admin.js';
import type { Credentials } from './application-records.js';
import { ClientSecrets } from './client-secrets.js';
import { rewrapSecrets } from './secret-rewrapping.js';

const ACTOR = 'ops';
const key = (version: number) => `${version}:${Buffer.alloc(32, version).toString('base64')}`;
let folder: string;
let database: Database;
beforeAll(async () => {
  folder = await migratedFolder();
  database = await openDatabase(undefined, folder);
}, 30_000);
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Both environments have the same master secret and the same keys. */
function gatewayOf(environment: 'sandbox' | 'production', secretKeys = key(1)) {
  const config = configSchema.parse({ environment, secret: 'a-secret-of-the-admin-tests-0123456789', secretKeys });
  const secrets = new ClientSecrets(config, loadKeys(config));
  return { secrets, admin: new ApplicationAdmin(database, environment, secrets, undefined) };
}
const create = (environment: 'sandbox' | 'production', name: string): Promise<Credentials> =>
  gatewayOf(environment).admin.create({ name, accountId: undefined, tier: 'demo', products: [] }, ACTOR);

describe('operators of one environment', () => {
  let admin: ApplicationAdmin;
  beforeAll(() => {
    ({ admin } = gatewayOf('sandbox'));
  });

  it.each<[string, (made: Credentials) => Promise<unknown>]>([
    ['read', ({ applicationId }) => admin.read(applicationId)],
    ['suspend', ({ applicationId }) => admin.setState(applicationId, 'suspended', ACTOR)],
    ['rotate', ({ applicationId }) => admin.rotate(applicationId, new Date(), ACTOR)],
    ['show', ({ applicationId }) => admin.show(applicationId, ACTOR)],
    ['revoke', ({ secretId }) => admin.revoke(secretId, ACTOR)],
    ['remove', ({ applicationId }) => admin.remove(applicationId, ACTOR)],
  ])('cannot %s an application of the other one: it does not exist there', async (name, act) => {
    const made = await create('production', `Live ${name}`);
    await expect(act(made)).rejects.toThrow(/there is no .* in sandbox/i);
    expect((await admin.list()).map(({ applicationId }) => applicationId)).not.toContain(made.applicationId);
    const [shown] = await gatewayOf('production').admin.show(made.applicationId, ACTOR);
    expect(shown?.clientSecret).toBe(made.clientSecret);
  });

  it('cannot create an application for an account of the other one', async () => {
    const { accountId } = await create('production', 'Whose');
    const mine = { name: 'Mine', accountId, tier: 'demo', products: [] };
    await expect(admin.create(mine, ACTOR)).rejects.toThrow();
    expect((await admin.list()).filter((row) => row.accountId === accountId)).toEqual([]);
  });

  it('rewrap only their own secrets', async () => {
    const [own, other] = [await create('sandbox', 'Own'), await create('production', 'Other')];
    const { secrets } = gatewayOf('sandbox', `${key(2)},${key(1)}`);
    expect((await rewrapSecrets(database, 'sandbox', secrets)).unreadable).toEqual([]);
    const versions = await database.rows<{ id: string; version: string }>(
      sql`select id, split_part(sealed, '.', 1) as version from client_secrets`,
    );
    const versionOf = (id: string) => versions.find((row) => row.id === id)?.version;
    expect([versionOf(own.secretId), versionOf(other.secretId)]).toEqual(['2s', '1p']);
  });
});

it('a secret that was moved to an application of the other environment is neither shown nor accepted', async () => {
  const [live, mine] = [await create('production', 'Live'), await create('sandbox', 'Mine')];
  await database.rows(
    sql`update client_secrets set application_id = ${mine.applicationId} where id = ${live.secretId}`,
  );
  const { admin, secrets } = gatewayOf('sandbox');
  await expect(admin.show(mine.applicationId, ACTOR)).rejects.toThrow('cannot be decrypted');
  const stored = await database.rows<{ id: string; hmac: string }>(
    sql`select id, hmac from client_secrets where application_id = ${mine.applicationId}`,
  );
  expect(stored.length).toBe(2);
  expect(secrets.find(live.clientSecret, stored)).toBeUndefined();
  expect(secrets.find(mine.clientSecret, stored)?.id).toBe(mine.secretId);
});
