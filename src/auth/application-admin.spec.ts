import { beforeAll, describe, expect, it } from '@jest/globals';
import { type SQL, sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { hasSharedPostgres } from '../../test/support/database.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { metrics } from '../metrics/metrics.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { AccountCredentials } from './account-credentials.js';
import { ApplicationAdmin } from './application-admin.js';
import type { Credentials } from './application-records.js';
import { ApplicationsService } from './applications.service.js';
import { ClientSecrets } from './client-secrets.js';
import { OwnApplications } from './own-applications.js';
import { rewrapSecrets } from './secret-rewrapping.js';

const ACTOR = 'ops';
const key = (version: number) => `${version}:${Buffer.alloc(32, version).toString('base64')}`;
const database = migratedDatabase();

/** The check of a token call. */
const check = (secrets: ClientSecrets, clientId: string, clientSecret: string, from = database()) =>
  new ApplicationsService(from, secrets, { limitsOf: () => [] } as never).check(clientId, clientSecret, 'sandbox');

/** Both environments have the same master secret and the same keys. */
function gatewayOf(environment: 'sandbox' | 'production', secretKeys = key(1)) {
  const config = configSchema.parse({ environment, secret: 'a-secret-of-the-admin-tests-0123456789', secretKeys });
  const secrets = new ClientSecrets(config, loadKeys(config));
  return { secrets, admin: new ApplicationAdmin(database(), environment, secrets, undefined) };
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
    expect((await rewrapSecrets(database(), 'sandbox', secrets)).unreadable).toEqual([]);
    const versions = await database().rows<{ id: string; version: string }>(
      sql`select id, split_part(sealed, '.', 1) as version from client_secrets`,
    );
    const versionOf = (id: string) => versions.find((row) => row.id === id)?.version;
    expect([versionOf(own.secretId), versionOf(other.secretId)]).toEqual(['2s', '1p']);
  });
});

it('a gateway with another FORECOURT_SECRET than the newest secrets were stored with is refused, not one that only lacks a key', async () => {
  const environment = 'production';
  const started = (secret: string, secretKeys?: string) => {
    const config = configSchema.parse({ environment, secret, ...(secretKeys && { secretKeys }) });
    const secrets = new ClientSecrets(config, loadKeys(config));
    return new ApplicationsService(database(), secrets, { limitsOf: () => [] } as never).checkSecret(environment);
  };
  const [own, other] = ['a-secret-of-the-admin-tests-0123456789', 'another-secret-of-the-tests-0123456789'];
  await create(environment, 'Checked');
  await started(own, key(1));
  for (const secret of [other, `${own}\n`])
    await expect(started(secret, key(1))).rejects.toThrow('another FORECOURT_SECRET');
  await started(other);
  const derived = configSchema.parse({ environment, secret: own });
  const damaged = await new ApplicationAdmin(
    database(),
    environment,
    new ClientSecrets(derived, loadKeys(derived)),
    undefined,
  ).create({ name: 'Damaged', accountId: undefined, tier: 'demo', products: [] }, ACTOR);
  await database().rows(
    sql`update client_secrets set sealed = sealed || 'A' where application_id = ${damaged.applicationId}`,
  );
  await started(own, key(1));
});

it('a secret that was moved to an application of the other environment is neither shown nor accepted', async () => {
  const [live, mine] = [await create('production', 'Live'), await create('sandbox', 'Mine')];
  await database().rows(
    sql`update client_secrets set application_id = ${mine.applicationId} where id = ${live.secretId}`,
  );
  const { admin, secrets } = gatewayOf('sandbox');
  await expect(admin.show(mine.applicationId, ACTOR)).rejects.toThrow('cannot be decrypted');
  const isAccepted = async ({ clientSecret }: Credentials) => (await check(secrets, mine.clientId, clientSecret)).ok;
  expect([await isAccepted(live), await isAccepted(mine)]).toEqual([false, true]);
});

describe('the state of an application', () => {
  const person = (accountId: string) => ({ accountId, session: { generation: 0 } });
  const changes = async (id: string) =>
    (
      await database().rows<{ action: string }>(
        sql`select actor || ' ' || replace(action, 'application_', '') as action from audit_events where subject = ${id} order by id`,
      )
    ).map(({ action }) => action);

  it('is recorded only if it changes', async () => {
    const { admin } = gatewayOf('sandbox');
    const { applicationId: id, accountId } = await create('sandbox', 'Toggled');
    const owner = person(accountId);
    for (const state of ['active', 'suspended', 'suspended', 'suspended'] as const)
      await admin.setState(id, state, owner);
    await admin.resumeOwn(id, owner);
    await admin.resumeOwn(id, owner);
    expect(await changes(id)).toEqual(['ops created', `${accountId} suspended`, `${accountId} resumed`]);
  });

  claim(
    'API5',
    'An owner cannot resume what an operator suspended, regardless of who suspended it first or last.',
    async () => {
      const { admin } = gatewayOf('sandbox');
      for (const first of ['owner', 'ops']) {
        const { applicationId: id, accountId } = await create('sandbox', `Held ${first}`);
        const owner = person(accountId);
        if (first === 'owner') await admin.setState(id, 'suspended', owner);
        await admin.setState(id, 'suspended', 'ops');
        await admin.setState(id, 'suspended', owner);
        expect((await new OwnApplications(database()).find(accountId, id))?.isHeld).toBe(true);
        await expect(admin.resumeOwn(id, owner)).rejects.toThrow('An operator suspended this application.');
        await admin.setState(id, 'active', 'ops');
        await admin.setState(id, 'suspended', owner);
        await admin.resumeOwn(id, owner);
        expect((await new OwnApplications(database()).find(accountId, id))?.state).toBe('active');
      }
    },
  );
});

claim(
  'API4',
  'An account creates at most 50 applications per day, even if it deletes them; a 429 says when to try again.',
  async () => {
    const { admin } = gatewayOf('sandbox');
    const { accountId } = await create('sandbox', 'First');
    await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier, state, created_at)
    select 'app_day_' || n, ${accountId}, 'n', 'client_day_' || n, 'sandbox', 'demo', 'deleted', now() - interval '23 hours'
    from generate_series(1, 49) n`);
    const actor = { accountId, session: { generation: 0 } };
    const another = { name: 'Another', accountId, tier: 'demo', products: [] };
    const refused = await admin.create(another, actor).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^(3600|359\d)$/) } });
    expect(String(refused)).toContain(
      'An account can create at most 50 applications per day. Try again in 60 minutes.',
    );
    await database().rows(sql`update applications set created_at = now() - interval '25 hours' where id = 'app_day_1'`);
    await admin.create(another, actor);
  },
);

describe('the secrets of an application', () => {
  const secretsOf = (applicationId: string) =>
    database().rows<{ id: string }>(
      sql`select id from client_secrets where application_id = ${applicationId} order by id`,
    );

  it('are created at most 20 times per hour; the refusal says when to try again', async () => {
    const { admin } = gatewayOf('sandbox');
    const { applicationId } = await create('sandbox', 'Often');
    for (let count = 1; count < 20; count += 1) await admin.rotate(applicationId, new Date(), ACTOR);
    await database().rows(sql`update client_secrets set created_at = created_at - interval '10 minutes'
      where application_id = ${applicationId}`);
    const refused = await admin.rotate(applicationId, new Date(), ACTOR).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^(3000|29\d\d)$/) },
    });
    expect(String(refused)).toContain('An application can get at most 20 secrets per hour. Try again in 50 minutes.');
    expect(await secretsOf(applicationId)).toHaveLength(20);
    await database().rows(sql`update client_secrets set created_at = created_at - interval '1 hour'
      where application_id = ${applicationId}`);
    await admin.rotate(applicationId, new Date(), ACTOR);
  });

  it('are deleted with the next rotation if they ended more than a day ago, and their history stays', async () => {
    const { admin } = gatewayOf('sandbox');
    const { applicationId, secretId: expired } = await create('sandbox', 'Old');
    const { secretId: revoked } = await admin.rotate(applicationId, new Date(), ACTOR);
    await admin.revoke(revoked, ACTOR);
    const { secretId: recent } = await admin.rotate(applicationId, new Date(), ACTOR);
    await database().rows(
      sql`update client_secrets set expires_at = now() - interval '25 hours' where id = ${expired}`,
    );
    await database().rows(
      sql`update client_secrets set revoked_at = now() - interval '25 hours' where id = ${revoked}`,
    );
    const { secretId: newest } = await admin.rotate(applicationId, new Date(), ACTOR);
    expect((await secretsOf(applicationId)).map(({ id }) => id)).toEqual([recent, newest].sort());
    const events = await new OwnApplications(database()).events(applicationId, 10);
    expect(events.map(({ action }) => action)).toEqual([
      'secret_rotated',
      'secret_rotated',
      'secret_revoked',
      'secret_rotated',
      'application_created',
    ]);
    expect(events[2]?.after).toEqual({ secret_id: revoked });
  });

  it('are read by their HMAC: a token call gets no other secret of the application', async () => {
    const { admin, secrets } = gatewayOf('sandbox');
    const made = await create('sandbox', 'Many');
    const other = await admin.rotate(made.applicationId, new Date(Date.now() + 60_000), ACTOR);
    const read: string[] = [];
    const spied = {
      ...database(),
      rows: async (query: SQL) => {
        const rows = await database().rows<{ secrets?: { id: string }[] }>(query);
        read.push(...rows.flatMap((row) => row.secrets ?? []).map(({ id }) => id));
        return rows;
      },
    };
    expect(await check(secrets, made.clientId, made.clientSecret, spied as never)).toMatchObject({
      ok: true,
      secretId: made.secretId,
    });
    expect(await check(secrets, made.clientId, 'wrong', spied as never)).toEqual({ ok: false, why: 'wrong' });
    expect(read).toEqual([made.secretId]);
    expect(read).not.toContain(other.secretId);
  });
});

it('revoking all secrets of an account takes three statements, and each revocation is audited', async () => {
  const { admin } = gatewayOf('sandbox');
  const first = await create('sandbox', 'First');
  const { accountId, applicationId } = first;
  const later = await Promise.all([1, 2].map(() => admin.rotate(applicationId, new Date(Date.now() + 60_000), ACTOR)));
  const { change } = new AccountCredentials(new MemoryStore(1_000)).revocation(accountId);
  const count = async () =>
    (await metrics.getSingleMetric('forecourt_database_statements_total')?.get())?.values[0]?.value ?? 0;
  const before = await count();
  await database().tables.transaction(change);
  // The embedded database begins and commits transactions without statements of their own.
  expect((await count()) - before).toBe(hasSharedPostgres ? 5 : 3);
  const revoked = await database().rows<{ secret: string }>(
    sql`select after ->> 'secret_id' as secret from audit_events where subject = ${applicationId} and action = 'secret_revoked' order by id`,
  );
  expect(revoked.map(({ secret }) => secret).sort()).toEqual([first, ...later].map(({ secretId }) => secretId).sort());
});
