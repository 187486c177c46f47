import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { AccountLinks, type LinkOwner } from './account-links.js';
import { ownerOf, Passwords } from './passwords.js';
import { SignUpService } from './sign-up.service.js';

const OWNER: LinkOwner = { accountId: 'acc_a', name: 'Ada Sample', email: 'ada@example.com', hasPassword: false };
const ACTIVATION = { name: 'Ada Sample', password: 'three quiet herons' };

const database = migratedDatabase();
let passwords: Passwords;
let links: AccountLinks;
let signUps: SignUpService;
beforeAll(async () => {
  const config = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-sign-up-tests-0123456789' });
  passwords = new Passwords();
  links = new AccountLinks(database(), config, loadKeys(config));
  const unused = undefined as never;
  signUps = new SignUpService(database(), config, passwords, links, unused, unused);
}, 30_000);
beforeEach(async () => {
  await database().rows(sql`delete from accounts`);
  await database().rows(sql`insert into accounts (id, environment, name, tier, email)
    values ('acc_a', 'sandbox', 'Ada Sample', 'demo', 'ada@example.com')`);
});

it('links of one account sent many times concurrently activate it once and leave the hashing of passwords to others', async () => {
  const secrets = [await links.make('acc_a', 'verify'), await links.make('acc_a', 'verify')];
  const uses = Array.from({ length: 100 }, (_, index) =>
    signUps.activate(secrets[index % 2] ?? '', OWNER, ACTIVATION, undefined),
  );
  const logIn = passwords.verify(ownerOf('acc_a', undefined), 'another password', null);
  const results = await Promise.allSettled(uses);
  expect(await logIn).toBe(false);
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(1);
});

it('an expired link activates nothing, and no password is hashed for it', async () => {
  const secret = await links.make('acc_a', 'verify');
  await database().rows(sql`update account_links set expires_at = now()`);
  const isRun = links.whileLive(secret, 'verify', 'acc_a', () => Promise.reject(new Error('must not run')));
  expect(await isRun).toBe(false);
  expect(await signUps.activate(secret, OWNER, ACTIVATION, undefined)).toBe(false);
});

it('a use that fails leaves the link to the next one', async () => {
  const secret = await links.make('acc_a', 'verify');
  const failed = links.whileLive(secret, 'verify', 'acc_a', () => Promise.reject(new Error('the database stopped')));
  const next = signUps.activate(secret, OWNER, ACTIVATION, undefined);
  await expect(failed).rejects.toThrow('the database stopped');
  expect(await next).toBe(true);
});
