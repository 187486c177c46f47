import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { MOST_SESSIONS } from '../store/store.js';
import { AccountService } from './account.service.js';
import { AccountLinks } from './account-links.js';
import type { BackgroundTasks } from './background-tasks.js';
import type { Passwords } from './passwords.js';
import { SecondFactors } from './second-factors.service.js';
import { SessionsService } from './sessions.service.js';

const config = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-session-tests-0123456789' });
const database = migratedDatabase();
let now = 0;
const store = new MemoryStore(0, () => now);
let sessions: SessionsService;
beforeAll(async () => {
  await database().rows(sql`insert into accounts (id, environment, name, tier, email, verified_at)
    values ('acc_a', 'sandbox', 'Ada Sample', 'demo', 'ada@example.com', now())`);
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
    values ('app_a', 'acc_a', 'A', 'client-a', 'sandbox', 'demo')`);
  sessions = new SessionsService(store, database(), config, loadKeys(config));
}, 30_000);

const cookieOf = (header: string) => header.split(';', 1)[0];

claim(
  ['portal', 'V7.2'],
  "A session that waits for a code is not prolonged when its cookie is used: however many there are, they don't end a session that is logged in.",
  async () => {
    const owner = cookieOf(await sessions.begin('acc_a', 0));
    for (let count = 0; count < MOST_SESSIONS + 1; count += 1) {
      const waiting = cookieOf(await sessions.beginAwaitingCode('acc_a', 0));
      now += 1_000;
      expect(await sessions.visitor(waiting)).toBeUndefined();
      expect(await sessions.awaitingCode(waiting)).toBe('acc_a');
    }
    // One that is logged in is prolonged.
    for (let times = 0; times < 3; times += 1) {
      now += (config.portal.sessionIdleMinutes - 1) * 60_000;
      expect(await sessions.visitor(owner)).toMatchObject({ accountId: 'acc_a' });
    }
  },
);

it('a session and a link stay valid after a change of the secret, as long as the previous one is accepted', async () => {
  const [secret, otherSecret] = ['another-secret-of-the-session-tests-0123456789', config.secret];
  const changed = { ...config, secret, otherSecret };
  const [made, link] = [cookieOf(await sessions.begin('acc_a', 0)), await links().make('acc_a', 'reset')];
  const after = new SessionsService(store, database(), config, loadKeys(changed));
  const removed = new SessionsService(store, database(), config, loadKeys({ ...config, secret }));
  expect([await removed.visitor(made), await removed.take(made)]).toEqual([undefined, false]);
  expect(await after.visitor(made)).toMatchObject({ accountId: 'acc_a' });
  const begun = cookieOf(await after.begin('acc_a', 0));
  expect(await removed.visitor(begun)).toMatchObject({ accountId: 'acc_a' });
  expect([await after.take(made), await after.take(made), await sessions.visitor(made)]).toEqual([
    true,
    false,
    undefined,
  ]);
  const linksOf = (of: typeof changed) => new AccountLinks(database(), config, loadKeys(of));
  expect(await linksOf(changed).look(link, 'reset')).toMatchObject({ state: 'live' });
  expect(await linksOf({ ...changed, otherSecret: undefined }).look(link, 'reset')).toEqual({ state: 'unknown' });
  expect(await linksOf(changed).use(link, 'reset', 'acc_a', database().tables)).toBe(true);
});

describe('whether a visitor is still in', () => {
  const visiting = async () => {
    const cookie = await begun();
    const visitor = await sessions.visitor(cookie);
    if (!visitor) throw new Error('there is no session');
    return { cookie, visitor };
  };

  it('does not depend on the session, which may be replaced, and prolongs none', async () => {
    const { cookie, visitor } = await visiting();
    now += (config.portal.sessionIdleMinutes - 1) * 60_000;
    expect(await sessions.isStillIn(visitor)).toBe(true);
    now += 120_000;
    expect(await sessions.visitor(cookie)).toBeUndefined();
    const other = await begun();
    expect(await sessions.take(other)).toBe(true);
    expect(await sessions.isStillIn(visitor)).toBe(true);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['logged out everywhere', () => database().tables.transaction((tx) => sessions.endAll('acc_a', tx))],
    ['got another role', () => database().rows(sql`update accounts set role = 'ops' where id = 'acc_a'`)],
    ['was deleted', () => database().rows(sql`update accounts set email = null where id = 'acc_a'`)],
  ])('is false if the account %s', async (_what, change) => {
    const { visitor } = await visiting();
    expect(await sessions.isStillIn(visitor)).toBe(true);
    await change();
    expect(await sessions.isStillIn(visitor)).toBe(false);
    await database().rows(sql`update accounts set role = 'developer', email = 'ada@example.com' where id = 'acc_a'`);
  });
});

const unused = undefined as never;
const background = { run: () => undefined } as unknown as BackgroundTasks;

it('a recovery code stays valid after a change of the secret, as long as the previous one is accepted', async () => {
  const [secret, otherSecret] = ['another-secret-of-the-session-tests-0123456789', config.secret];
  const key = loadKeys(config)('recovery_code');
  const digest = createHmac('sha256', key).update('acc_a\nabcdefghjk').digest('base64url');
  await database().rows(sql`insert into second_factors (account_id, sealed, last_step, recovery_codes)
    values ('acc_a', 'x', 0, array[${digest}, 'another'])`);
  const used = (settings: object) =>
    new SecondFactors(database(), config, loadKeys({ ...config, ...settings }), sessions, unused, background).check(
      { accountId: 'acc_a', name: 'Ada Sample', email: 'ada@example.com' },
      'abcde-fghjk',
    );
  expect(await used({ secret })).toBe('wrong');
  expect(await used({ secret, otherSecret })).toBe('right');
  expect(await used({ secret, otherSecret })).toBe('wrong');
  expect(await database().rows(sql`select recovery_codes from second_factors`)).toEqual([
    { recovery_codes: ['another'] },
  ]);
  await database().rows(sql`delete from second_factors`);
});

const links = () => new AccountLinks(database(), config, loadKeys(config));
/** The service that sets passwords, without what hashes them and sends emails. */
const service = () => {
  const passwords = { hash: async () => 'a-new-hash' } as unknown as Passwords;
  return new AccountService(database(), config, passwords, sessions, links(), unused, background);
};
const begun = async (): Promise<string> => {
  const [account] = await database().rows<{ generation: number }>(
    sql`select sessions_generation as generation from accounts where id = 'acc_a'`,
  );
  return cookieOf(await sessions.begin('acc_a', account?.generation ?? 0)) ?? '';
};

claim.each<[string, (cookie: string) => Promise<unknown>]>([
  ['ended', () => database().tables.transaction((tx) => sessions.endAll('acc_a', tx))],
  [
    'a changed password',
    async (cookie) => {
      const visitor = await sessions.visitor(cookie);
      if (!visitor) throw new Error('there is no session');
      return await service().changePassword(visitor, 'a new password', cookie, undefined);
    },
  ],
  [
    'a reset password',
    async () => {
      const owner = { accountId: 'acc_a', name: 'Ada Sample', email: 'ada@example.com', hasPassword: true };
      const secret = await links().make('acc_a', 'reset');
      expect(await service().resetPassword(secret, owner, 'a new password', undefined)).toBe(true);
    },
  ],
])(
  ['portal', 'V7.2'],
  'Ending all sessions of an account, including by setting a new password, revokes the access tokens that the console issued for them, and no token of a client secret.',
  '%s',
  async (_how, end) => {
    const policy = { accountId: 'acc_a', applicationId: 'app_a', clientId: 'client-a' };
    const kept = {
      ...policy,
      environment: 'sandbox',
      products: [],
      limits: { application: { perMinute: 60, burst: 10 } },
    } as const;
    const token = { ...policy, lifetimeMs: 60_000 };
    await store.saveToken({ ...token, digest: 'of the console' }, kept, 10);
    await store.saveToken({ ...token, digest: 'of a secret', secretId: 'sec_1' }, kept, 10);
    const [own, other] = [await begun(), await begun()];
    await end(own);
    for (const cookie of [own, other]) expect(await sessions.visitor(cookie)).toBeUndefined();
    expect(await store.inspect(policy, 'of the console')).toBeUndefined();
    expect(await store.inspect(policy, 'of a secret')).toBeDefined();
  },
);
