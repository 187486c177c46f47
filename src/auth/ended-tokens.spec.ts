import { describe, expect, it } from '@jest/globals';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import type { Database } from '../database/database.js';
import { type Store, StoreUnavailableError } from '../store/store.js';
import { ApplicationAdmin } from './application-admin.js';
import type { Credentials } from './application-records.js';
import { ClientSecrets } from './client-secrets.js';

const ACTOR = 'ops';
const database = migratedDatabase();
const config = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-admin-tests-0123456789' });
const secrets = new ClientSecrets(config, loadKeys(config));

/** `store` is what revokes its tokens. */
const adminOf = (from: Pick<Database, 'tables'>, store?: Pick<Store, 'revokeAll'>) =>
  new ApplicationAdmin(from as Database, 'sandbox', secrets, store as Store);
const create = (name: string): Promise<Credentials> =>
  adminOf(database()).create({ name, accountId: undefined, tier: 'demo', products: [] }, ACTOR);

describe('a change that cannot revoke the tokens changes nothing, and can be repeated', () => {
  it.each<[string, string, (admin: ApplicationAdmin, made: Credentials) => Promise<unknown>]>([
    ['a deletion', 'deleted', (admin, { applicationId }) => admin.remove(applicationId, ACTOR)],
    ['a suspension', 'suspended', (admin, { applicationId }) => admin.setState(applicationId, 'suspended', ACTOR)],
    ['the revocation of a secret', 'active', (admin, { secretId }) => admin.revoke(secretId, ACTOR)],
  ])('%s', async (name, state, change) => {
    const made = await create(`Ended by ${name}`);
    const { applicationId } = made;
    const calls: string[] = [];
    const store = {
      revokeAll: async (owner: { applicationId: string }) => {
        if (calls.push(owner.applicationId) === 1) throw new StoreUnavailableError();
        return 1;
      },
    };
    const admin = adminOf(database(), store);
    const now = async () => {
      const { state, secrets } = await admin.read(applicationId);
      return [state, secrets.filter(({ revokedAt }) => revokedAt === null).length];
    };
    await expect(change(admin, made)).rejects.toThrow(StoreUnavailableError);
    expect(await now()).toEqual(['active', 1]);
    expect(await change(admin, made)).toBe(2);
    expect(await now()).toEqual([state, state === 'suspended' ? 1 : 0]);
    expect(calls).toEqual([applicationId, applicationId, applicationId]);
  });
});

it('tokens issued until the commit end although the store fails once after it, or the commit gets no answer', async () => {
  const broken = new DrizzleQueryError('commit', [], new Error('Connection terminated unexpectedly'));
  const { tables } = database();
  const unanswered = {
    transaction: async (change: never) => {
      await tables.transaction(change);
      throw broken;
    },
  };
  const suspend = async (from: Pick<Database, 'tables'>, name: string, ...faults: readonly (Error | undefined)[]) => {
    const { applicationId } = await create(name);
    const left = [...faults];
    const revokeAll = async () => {
      const fault = left.shift();
      if (fault) throw fault;
      return 1;
    };
    const admin = adminOf(from, { revokeAll });
    const ended = await admin.setState(applicationId, 'suspended', ACTOR).catch((error: unknown) => error);
    return [ended, left.length];
  };
  const down = new StoreUnavailableError();
  expect(await suspend(database(), 'Failing once', undefined, down, undefined)).toEqual([2, 0]);
  expect(await suspend({ tables: unanswered as never }, 'Unanswered', undefined, down, undefined)).toEqual([broken, 0]);
});
