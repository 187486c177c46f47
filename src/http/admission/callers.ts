import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkOf } from '../client-network.js';

/** Known tokens. Beyond that, the oldest is forgotten until its next call. */
const MOST_TOKENS = 10_000;
/** Longer headers hold no access token. */
const LONGEST_HEADER = 200;

/** Whom a request is from, as far as it shows before any work. */
export interface Caller {
  /** The account whose token was accepted before; otherwise the network, which many callers may share. */
  readonly key: string;
  readonly isKnown: boolean;
}

/** Tells callers apart before authentication: by tokens that were accepted before, otherwise by network. */
export class Callers {
  /** `Authorization` header → caller, in order of arrival. */
  readonly #known = new Map<string, Caller>();
  readonly #proxies: BlockList | undefined;

  /** `trustedProxies` are addresses or CIDR ranges; entries of other forms are ignored here. */
  constructor(trustedProxies: readonly string[]) {
    if (trustedProxies.length > 0) this.#proxies = blockList(trustedProxies);
  }

  /** Whom the request is from. */
  of(request: IncomingMessage): Caller {
    const known = this.#known.get(request.headers.authorization ?? '');
    return known ?? { key: `network ${networkOf(this.#addressOf(request))}`, isKnown: false };
  }

  /** Notes that a request of an account was authenticated with this `Authorization` header. */
  learn(authorization: string | undefined, accountId: string): void {
    if (authorization === undefined || authorization.length > LONGEST_HEADER || this.#known.has(authorization)) return;
    this.#known.set(authorization, { key: `account ${accountId}`, isKnown: true });
    if (this.#known.size <= MOST_TOKENS) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }

  #addressOf({ socket, headers }: IncomingMessage): string {
    const address = socket.remoteAddress ?? '';
    if (!this.#proxies?.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return address;
    // What our own proxy appended; anything before it may be invented.
    const forwarded = String(headers['x-forwarded-for'] ?? '');
    return forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() || address;
  }
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0) continue;
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
