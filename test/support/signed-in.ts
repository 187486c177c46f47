import { createHash, randomBytes } from 'node:crypto';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import type { PostgresServer } from './postgres.js';

/** The account of the application `demo` (app_demo). */
export const DEMO_ACCOUNT = 'acc_demo';

/** Verifies an account (a new one where there is none of the id) and logs it in, straight in PostgreSQL and Redis; gives its Cookie header. */
export async function signIn(postgres: PostgresServer, redisUrl: string, accountId: string): Promise<string> {
  await postgres.query(
    `insert into accounts (id, name, tier, email, verified_at) values ($1, 'Ada Sample', 'demo', $2, now())
     on conflict (id) do update set email = excluded.email, verified_at = excluded.verified_at`,
    [accountId, `${accountId}@example.com`],
  );
  const secret = randomBytes(32).toString('base64url');
  const now = Date.now();
  const store = new RedisStore(redisUrl, { commandTimeoutMs: 2_000, leaseMs: 1_000, onError: () => undefined });
  await store.connect();
  await store.saveSession(
    createHash('sha256').update(secret).digest('base64url'),
    { accountId, createdAtMs: now, confirmedAtMs: now },
    3_600_000,
  );
  await store.close();
  return `__Host-forecourt=${accountId.replace(/^acc_/, '')}.${secret}`;
}
