import type { Config } from './config.schema.js';
import { isLoopback } from './loopback.js';

/**
 * Why others could read the emails of a sandbox without a mail server, as part of a sentence; undefined = they can't, or it has one. It shows
 * its emails, with links that open its accounts, to everyone who can reach it (decision 0023).
 */
export function outboxRisk(config: Config): string | undefined {
  if (!isOpenSandbox(config)) return undefined;
  const { http, databaseUrl } = config;
  const reasons = [
    ...(isLoopback(http.host) ? [] : [`http.host is "${http.host}"`]),
    ...(databaseUrl === undefined ? [] : ['databaseUrl is set']),
    ...(http.trustedProxies.length === 0 ? [] : ['http.trustedProxies is set']),
    ...(http.publicUrl === undefined || isHere(http.publicUrl) ? [] : [`http.publicUrl is "${http.publicUrl}"`]),
  ];
  return reasons.length === 0 ? undefined : reasons.join(' and ');
}

/** Whether emails are shown on the outbox page. */
export function hasOutbox(config: Config): boolean {
  return isOpenSandbox(config) && outboxRisk(config) === undefined;
}

function isOpenSandbox({ environment, mail }: Config): boolean {
  return environment === 'sandbox' && mail.smtpUrl === undefined;
}

function isHere(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
