import { isIP } from 'node:net';
import { isLoopback } from '../config/loopback.js';
import { isPublicAddress } from '../suppliers/resilience/address-guard.js';

/** The longest URL of an endpoint. */
export const LONGEST_URL = 500;

/**
 * What is wrong with the URL of an endpoint, as the rest of a sentence; undefined = nothing. The address of its host is
 * checked whenever an event is sent, because it may change.
 */
export function urlProblem(text: string, allowsLoopback: boolean): string | undefined {
  if (text.length > LONGEST_URL) return `must have at most ${LONGEST_URL} characters.`;
  if (/[^\x21-\x7e]/.test(text) || !URL.canParse(text))
    return 'must be an absolute URL, such as https://example.com/webhooks.';
  const url = new URL(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password.';
  if (url.hash !== '') return 'must not contain a fragment (#).';
  const isHere = isLoopback(host);
  if (isHere && allowsLoopback && /^https?:$/.test(url.protocol)) return undefined;
  if (url.protocol !== 'https:')
    return allowsLoopback
      ? 'must begin with https://, or with http:// for a loopback address such as 127.0.0.1.'
      : 'must begin with https://.';
  if (isHere || (isIP(host) !== 0 && !isPublicAddress(host)) || (isIP(host) === 0 && !host.includes('.')))
    return 'must have a host on the public internet.';
  return undefined;
}

/** An endpoint's URL for the audit log, which is never erased: path and query may contain a secret and are left out. */
export function urlForAudit(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return `${origin}/${pathname === '/' && search === '' ? '' : '…'}`;
}
