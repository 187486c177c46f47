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
  /** Sends a form as a browser does from a page of the portal, and opens the new credentials that it leads to; `headers` override the browser's headers. */
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
    environment = 'sandbox',
    email = `ada.${randomBytes(8).toString('hex')}@example.com`,
  }: {
    readonly role?: 'developer' | 'ops';
    readonly passwordMinutesAgo?: number;
    readonly environment?: 'sandbox' | 'production';
    readonly email?: string;
  } = {},
): Promise<PortalPerson> {
  const accountId = `acc_${randomBytes(8).toString('hex')}`;
  await putPerson(postgres, accountId, { email, role, environment });
  const confirmedAtMs = Date.now() - passwordMinutesAgo * 60_000;
  const cookie = await putSession(redis.url, accountId, { environment, confirmedAtMs });
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
    post: async (baseUrl, path, form = {}, headers = { origin: baseUrl }) => {
      const answer = await send(`${baseUrl}${path}`, { method: 'POST', body: new URLSearchParams(form), headers });
      return /\/made$|\/credentials\?notice=/.test(answer.location) ? send(`${baseUrl}${answer.location}`, {}) : answer;
    },
  };
}
