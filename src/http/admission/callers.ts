import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkOf } from '../client-network.js';

/** Known tokens. Beyond that, the oldest is forgotten until its next call. */
const MOST_TOKENS = 10_000;

/** The names that Fastify accepts for ranges. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whom a request is from, as far as it shows before any work. */
export interface AdmittedCaller {
  /** The account whose token was accepted before; otherwise the network, which many callers may share. */
  readonly key: string;
  readonly isKnown: boolean;
}

/** Tells callers apart before authentication: by tokens that were accepted before, otherwise by network. */
export class Callers {
  /** Token → caller, in order of arrival. */
  readonly #known = new Map<string, AdmittedCaller>();
  readonly #proxies: BlockList | undefined;

  /** `trustedProxies` are addresses or CIDR ranges; or `loopback`, `linklocal`, `uniquelocal`. */
  constructor(trustedProxies: readonly string[]) {
    if (trustedProxies.length > 0) this.#proxies = blockList(trustedProxies);
  }

  /** Whom the request is from. */
  of(request: IncomingMessage): AdmittedCaller {
    const known = this.#known.get(tokenIn(request.headers.authorization ?? ''));
    return known ?? { key: `network ${networkOf(this.addressOf(request))}`, isKnown: false };
  }

  /** Forgets the token of a request that ended without being accepted: expired or revoked, or sent where no token is checked. */
  forget({ headers: { authorization = '' } }: IncomingMessage): void {
    this.#known.delete(tokenIn(authorization));
  }

  /** Notes that an access token was accepted. Any other text would let a stranger replace the known tokens. */
  learn(token: string, accountId: string): void {
    if (this.#known.has(token)) return;
    // A copy: the token may be a part of a header of 16 KB, which it would keep in memory.
    this.#known.set(Buffer.from(token).toString(), { key: `account ${accountId}`, isKnown: true });
    if (this.#known.size <= MOST_TOKENS) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }

  /** The address of the client, as far as it can be trusted. */
  addressOf({ socket, headers }: IncomingMessage): string {
    const address = socket.remoteAddress ?? '';
    if (!this.#proxies?.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return address;
    // What our own proxy appended; anything before it may be invented.
    const forwarded = String(headers['x-forwarded-for'] ?? '');
    return forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() || address;
  }
}

/** What follows the scheme, which has many spellings. */
function tokenIn(authorization: string): string {
  return authorization.slice(authorization.indexOf(' ') + 1).trimStart();
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges.flatMap((one) => NAMED[one] ?? [one])) {
    const [address = '', bits] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0) continue;
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
