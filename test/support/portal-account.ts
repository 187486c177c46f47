import { createHash, randomBytes } from 'node:crypto';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import type { PostgresServer } from './postgres.js';
import type { RedisServer } from './redis.js';

/** What a page answered. */
export interface PageAnswer {
  readonly status: number;
  readonly text: string;
  /** Path that it leads to; empty = it stays. */
  readonly location: string;
}

/** A person with a verified account who is logged in. */
export interface PortalPerson {
  readonly accountId: string;
  readonly email: string;
  /** Name and value of the session's cookie. */
  readonly cookie: { readonly name: string; readonly value: string };
  get(baseUrl: string, path: string): Promise<PageAnswer>;
  /** Sends a form as a browser does from a page of ours; `headers` replace what it says of itself. */
  post(
    baseUrl: string,
    path: string,
    form?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PageAnswer>;
}

/** Makes one straight in database and store. `passwordMinutesAgo`: when the password was last given. */
export async function portalPerson(
  { postgres, redis }: { readonly postgres: PostgresServer; readonly redis: RedisServer },
  { role = 'developer', passwordMinutesAgo = 0 }: { readonly role?: 'developer' | 'ops'; readonly passwordMinutesAgo?: number } = {},
): Promise<PortalPerson> {
  const suffix = randomBytes(8).toString('hex');
  const accountId = `acc_${suffix}`;
  const email = `ada.${suffix}@example.com`;
  await postgres.query('insert into accounts (id, name, tier, email, verified_at, role) values ($1, $2, $3, $4, now(), $5)', [
    accountId,
    'Ada Sample',
    'standard',
    email,
    role,
  ]);
  const secret = randomBytes(32).toString('base64url');
  const store = new RedisStore(redis.url, { commandTimeoutMs: 2_000, leaseMs: 0, onError: () => undefined });
  await store.connect();
  const session = { accountId, createdAtMs: Date.now(), confirmedAtMs: Date.now() - passwordMinutesAgo * 60_000 };
  await store.saveSession(createHash('sha256').update(secret).digest('base64url'), session, 3_600_000);
  await store.close();
  const cookie = { name: '__Host-forecourt', value: `${suffix}.${secret}` };
  const send = async (url: string, init: RequestInit): Promise<PageAnswer> => {
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { cookie: `${cookie.name}=${cookie.value}`, ...(init.headers as Record<string, string> | undefined) },
    });
    return { status: response.status, text: await response.text(), location: response.headers.get('location') ?? '' };
  };
  return {
    accountId,
    email,
    cookie,
    get: (baseUrl, path) => send(`${baseUrl}${path}`, {}),
    post: (baseUrl, path, form = {}, headers = { origin: baseUrl }) =>
      send(`${baseUrl}${path}`, { method: 'POST', body: new URLSearchParams(form), headers }),
  };
}
