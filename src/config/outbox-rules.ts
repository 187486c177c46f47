import type { Config } from './config.schema.js';
import { reachableBecause } from './reachable.js';

/**
 * Why others could read the emails of a sandbox without a mail server, as part of a sentence; undefined = they can't, or it has one. It shows
 * its emails, with links that open its accounts, to everyone who can reach it (decision 0023).
 */
export function outboxRisk(config: Config): string | undefined {
  if (!isOpenSandbox(config)) return undefined;
  const reasons = [...reachableBecause(config), ...(config.databaseUrl === undefined ? [] : ['databaseUrl is set'])];
  return reasons.length === 0 ? undefined : reasons.join(' and ');
}

/** Whether emails are shown on the outbox page. */
export function hasOutbox(config: Config): boolean {
  return isOpenSandbox(config) && outboxRisk(config) === undefined;
}

function isOpenSandbox({ environment, mail }: Config): boolean {
  return environment === 'sandbox' && mail.smtpUrl === undefined;
}
