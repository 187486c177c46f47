import { and, eq, type SQL } from 'drizzle-orm';
import type { Config } from '../config/config.module.js';
import { accounts } from '../database/schema.js';

/** The environment whose accounts are read and changed: the gateway's own. */
type Scope = Pick<Config, 'environment'>;

/** Matches the account with this address (in lowercase) in this environment. An account of the other one doesn't exist (decision 0023). */
export function withEmail({ environment }: Scope, email: string): SQL | undefined {
  return and(eq(accounts.environment, environment), eq(accounts.email, email));
}

/** Like `withEmail`, by id. */
export function withId({ environment }: Scope, id: string): SQL | undefined {
  return and(eq(accounts.environment, environment), eq(accounts.id, id));
}
