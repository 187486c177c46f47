import { createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { SECRET } from './booking.js';
import type { TestDatabase } from './database.js';

/** The account of the application `demo` (app_demo). */
export const DEMO_ACCOUNT = 'acc_demo';

/** The variable of the gateways that accept the sessions made here; the shared gateway has it. Not guessable, as production requires. */
export const FORECOURT_SECRET = SECRET;

type Environment = Config['environment'];

/**
 * Creates a session for an account (whose sessions were never revoked) directly in Redis, without the login page; returns
 * its Cookie header.
 * `confirmedAtMs`: when the password was last entered. `keyOf`: the environment whose key the digest has.
 */
export async function putSession(
  redisUrl: string,
  accountId: string,
  {
    environment = 'sandbox',
    keyOf = environment,
    confirmedAtMs = Date.now(),
  }: { readonly environment?: Environment; readonly keyOf?: Environment; readonly confirmedAtMs?: number } = {},
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const options = { environment, commandTimeoutMs: 2_000, leaseMs: 0, onError: () => undefined };
  const store = new RedisStore(redisUrl, options);
  await store.connect();
  const key = loadKeys({ environment: keyOf, secret: FORECOURT_SECRET } as Config)('session_digest');
  const digest = createHmac('sha256', key).update(secret).digest('base64url');
  await store.saveSession(digest, { accountId, createdAtMs: Date.now(), confirmedAtMs, generation: 0 }, 3_600_000);
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
    environment = 'sandbox',
  }: { readonly email?: string; readonly role?: 'developer' | 'ops'; readonly environment?: Environment } = {},
): Promise<void> {
  await postgres.query(
    `insert into accounts (id, environment, name, tier, email, verified_at, role) values ($1, $4, 'Ada Sample', 'standard', $2, now(), $3)
     on conflict (id) do update set name = excluded.name, email = excluded.email, verified_at = excluded.verified_at, role = excluded.role`,
    [accountId, email, role, environment],
  );
  // Operators need a second factor; no test logs in with this one.
  if (role === 'ops')
    await postgres.query(
      "insert into second_factors (account_id, sealed, last_step, recovery_codes) values ($1, 'none', 0, '{}') on conflict do nothing",
      [accountId],
    );
}

/** Both: a logged-in person with a verified address; returns the Cookie header. */
export async function signIn(
  postgres: Pick<TestDatabase, 'query'>,
  redisUrl: string,
  accountId: string,
  environment: Environment = 'sandbox',
): Promise<string> {
  await putPerson(postgres, accountId, { environment });
  return putSession(redisUrl, accountId, { environment });
}

/** A Cookie header as a cookie of a browser window. */
export function browserCookie(cookie: string) {
  const [name = '', value = ''] = cookie.split('=', 2);
  return { name, value, domain: '127.0.0.1', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' as const };
}
