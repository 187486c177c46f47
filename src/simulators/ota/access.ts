import { createHash } from 'node:crypto';
import type { SimulatedRequest } from '../world.js';
import { attribute, child, readXml, textOf, type XmlNode } from './wire.js';

/** What a supplier requires of the caller besides its requestor id; absent = nothing. */
export interface OtaAccess {
  /** HTTP Basic (RFC 7617). */
  readonly basic?: UserPassword | undefined;
  /** Headers with their exact values; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A UsernameToken in the SOAP header (WS-Security UsernameToken Profile 1.0). */
  readonly token?: (UserPassword & { readonly type: 'text' | 'digest' }) | undefined;
}

export interface UserPassword {
  readonly username: string;
  readonly password: string;
}

/** How a caller was refused: by the web server, or by the SOAP stack with this fault code. */
export type Refused = 'http' | 'wsse:InvalidSecurity' | 'wsse:FailedAuthentication' | 'wsse:MessageExpired';

const MOST_MINUTES = 5;
const MOST_NONCES = 10_000;

/**
 * Checks the callers of one supplier. Remembers nonces, because a digest is valid once. `now`: epoch milliseconds.
 * Undefined if a caller has access.
 */
export function createAccessCheck(
  { basic, headers = {}, token }: OtaAccess,
  now: () => number,
): (request: SimulatedRequest) => Refused | undefined {
  const seen = new Set<string>();

  function tokenFault(body: string): Refused | undefined {
    if (!token) return undefined;
    const envelope = readXml(body);
    const header = child(envelope, 'Header');
    const given = child(child(header, 'Security'), 'UsernameToken');
    const password = child(given, 'Password');
    if (!given || !password) return 'wsse:InvalidSecurity';
    if (textOf(child(given, 'Username')) !== token.username) return 'wsse:FailedAuthentication';
    const isDigest = attribute(password, 'Type')?.endsWith('#PasswordDigest') === true;
    if (isDigest !== (token.type === 'digest')) return 'wsse:InvalidSecurity';
    if (!isDigest) return textOf(password) === token.password ? undefined : 'wsse:FailedAuthentication';
    return digestFault(given, textOf(password), token.password);
  }

  function digestFault(given: XmlNode, digest: string | undefined, password: string): Refused | undefined {
    const nonce = textOf(child(given, 'Nonce'));
    const created = textOf(child(given, 'Created'));
    if (nonce === undefined || created === undefined) return 'wsse:InvalidSecurity';
    if (!(Math.abs(Date.parse(created) - now()) <= MOST_MINUTES * 60_000)) return 'wsse:MessageExpired';
    const expected = createHash('sha1')
      .update(Buffer.from(nonce, 'base64'))
      .update(created + password, 'utf8')
      .digest('base64');
    if (digest !== expected || seen.has(nonce)) return 'wsse:FailedAuthentication';
    if (seen.size >= MOST_NONCES) seen.clear();
    seen.add(nonce);
    return undefined;
  }

  return (request) => {
    const expected = { ...headers, ...(basic && { authorization: basicHeader(basic) }) };
    if (Object.entries(expected).some(([name, value]) => request.headers[name] !== value)) return 'http';
    return tokenFault(request.body);
  };
}

/** The access that a supplier's options and credentials describe (docs/ota-dialect.md). */
export function accessOf(
  { basicAuth, headers, wsSecurity }: AccessOptions,
  credentials: Readonly<Record<string, string>>,
): OtaAccess {
  const pair = ({ username, password }: UserPassword): UserPassword => ({
    username: credentials[username] ?? '',
    password: credentials[password] ?? '',
  });
  return {
    basic: basicAuth && pair(basicAuth),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [
        name.toLowerCase(),
        text.replace(/\{(\w+)\}/g, (_all, key: string) => credentials[key] ?? ''),
      ]),
    ),
    token: wsSecurity && { ...pair(wsSecurity), type: wsSecurity.type },
  };
}

/** The options of a supplier's file about access; the pairs are names of credentials. */
export interface AccessOptions {
  readonly basicAuth?: UserPassword | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly wsSecurity?: (UserPassword & { readonly type: 'text' | 'digest' }) | undefined;
}

function basicHeader({ username, password }: UserPassword): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
