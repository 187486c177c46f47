import { isLoopback } from './loopback.js';

/** Why a URL cannot be used. Undefined = it is valid. The URL is not quoted because it may contain a password. */
export function faultOfUrl(text: string, environment: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL';
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://';
  // Credentials and renters' data would cross the network in clear.
  if (protocol === 'http:' && environment === 'production' && !isLoopback(hostname))
    return 'must begin with https:// in production; http:// is allowed for loopback hosts';
  if (username !== '' || password !== '') return 'must not contain a user or password; use "credentials" instead';
  return search === '' && hash === '' ? undefined : 'must not have a query or fragment';
}
