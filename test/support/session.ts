import { createHash, randomBytes } from 'node:crypto';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import type { TestDatabase } from './database.js';

/** The account of the application `demo` (app_demo). */
export const DEMO_ACCOUNT = 'acc_demo';

/**
 * Creates a session for an account directly in Redis, without the login page; returns its Cookie header.
 * `confirmedAtMs`: when the password was last entered.
 */
export async function putSession(redisUrl: string, accountId: string, confirmedAtMs = Date.now()): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const store = new RedisStore(redisUrl, { commandTimeoutMs: 2_000, leaseMs: 0, onError: () => undefined });
  await store.connect();
  const digest = createHash('sha256').update(secret).digest('base64url');
  await store.saveSession(digest, { accountId, createdAtMs: Date.now(), confirmedAtMs }, 3_600_000);
  await store.close();
  return `__Host-forecourt=${accountId.replace(/^acc_/, '')}.${secret}`;
}

/** Gives an account (created if none has the id) a person with a verified address, without the sign-up. */
export async function putPerson(
  postgres: Pick<TestDatabase, 'query'>,
  accountId: string,
  {
    email = `${accountId}@example.com`,
    role = 'developer',
  }: { readonly email?: string; readonly role?: 'developer' | 'ops' } = {},
): Promise<void> {
  await postgres.query(
    `insert into accounts (id, name, tier, email, verified_at, role) values ($1, 'Ada Sample', 'standard', $2, now(), $3)
     on conflict (id) do update set name = excluded.name, email = excluded.email, verified_at = excluded.verified_at, role = excluded.role`,
    [accountId, email, role],
  );
}

/** Both: a logged-in person with a verified address; returns the Cookie header. */
export async function signIn(
  postgres: Pick<TestDatabase, 'query'>,
  redisUrl: string,
  accountId: string,
): Promise<string> {
  await putPerson(postgres, accountId);
  return putSession(redisUrl, accountId);
}

/** A Cookie header as a cookie of a browser window. */
export function browserCookie(cookie: string) {
  const [name = '', value = ''] = cookie.split('=', 2);
  return { name, value, domain: '127.0.0.1', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' as const };
}
