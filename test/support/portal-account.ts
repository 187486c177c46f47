import { randomBytes } from 'node:crypto';
import type { TestDatabase } from './database.js';
import type { RedisServer } from './redis.js';
import { putPerson, putSession } from './session.js';

/** The answer of a page. */
export interface PageAnswer {
  readonly status: number;
  readonly text: string;
  /** The redirect's path; empty = no redirect. */
  readonly location: string;
}

/** A logged-in person with a verified account. */
export interface PortalPerson {
  readonly accountId: string;
  readonly email: string;
  /** The Cookie header. */
  readonly cookie: string;
  get(baseUrl: string, path: string): Promise<PageAnswer>;
  /** Sends a form as a browser does from a page of the portal; `headers` override the browser's headers. */
  post(
    baseUrl: string,
    path: string,
    form?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PageAnswer>;
}

/** Creates one directly in the database and store. `passwordMinutesAgo`: when the password was last entered. */
export async function portalPerson(
  { postgres, redis }: { readonly postgres: Pick<TestDatabase, 'query'>; readonly redis: Pick<RedisServer, 'url'> },
  {
    role = 'developer',
    passwordMinutesAgo = 0,
  }: { readonly role?: 'developer' | 'ops'; readonly passwordMinutesAgo?: number } = {},
): Promise<PortalPerson> {
  const suffix = randomBytes(8).toString('hex');
  const accountId = `acc_${suffix}`;
  const email = `ada.${suffix}@example.com`;
  await putPerson(postgres, accountId, { email, role });
  const cookie = await putSession(redis.url, accountId, Date.now() - passwordMinutesAgo * 60_000);
  const send = async (url: string, init: RequestInit): Promise<PageAnswer> => {
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { cookie, ...(init.headers as Record<string, string> | undefined) },
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
