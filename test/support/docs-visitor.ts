import type { BrowserContext } from 'playwright-core';
import type { Running } from './run-gateway.js';
import { browserCookie, DEMO_ACCOUNT, signIn } from './session.js';
import { sharedGateway } from './shared-gateway.js';

/** A gateway on PostgreSQL and Redis, and the Cookie header of a logged-in person who owns the application `demo`. */
export interface Visited extends Running {
  readonly cookie: string;
  /** Logs in another account; returns its Cookie header. */
  signIn(accountId: string): Promise<string>;
}

/** A visitor of the gateway that specs share. */
export function visitSharedGateway(): () => Visited {
  const running = sharedGateway();
  let cookie = '';
  beforeAll(async () => {
    cookie = await signIn(running().postgres, running().redis.url, DEMO_ACCOUNT);
  });
  return () => ({
    ...running(),
    cookie,
    signIn: (accountId) => signIn(running().postgres, running().redis.url, accountId),
  });
}

/** Logs the visitor in to a browser window. */
export async function carry(context: BrowserContext, { cookie }: Visited): Promise<void> {
  await context.addCookies([browserCookie(cookie)]);
}
