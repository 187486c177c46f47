import type { LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isLoopback } from '../../config/loopback.js';
import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { SupplierError } from '../../model/supplier.js';
import { hostLookup } from './host-lookup.js';

/**
 * Networks outside the public internet (RFC 6890): this host, private, shared, link-local (including cloud metadata
 * services), multicast, reserved, documentation, and IPv6 networks that can embed an IPv4 address (IPv4-compatible,
 * IPv4-translated, NAT64, Teredo, 6to4).
 */
const NOT_PUBLIC = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const;

const blocked = new BlockList();
for (const [network, bits] of NOT_PUBLIC) blocked.addSubnet(network, bits, familyOf(network));

/** Whether an IP address is on the public internet. An IPv4-mapped IPv6 address is checked as IPv4. */
export function isPublicAddress(address: string): boolean {
  return !blocked.check(address, familyOf(address));
}

/**
 * Whether to check the addresses of this supplier. Not if its configuration allows private networks, and not for
 * simulators and loopback addresses in the sandbox.
 */
export function isGuarded(
  { allowPrivateNetwork, isSimulated }: SupplierConfig,
  url: string,
  environment: 'sandbox' | 'production',
): boolean {
  if (allowPrivateNetwork) return false;
  return environment === 'production' || !(isSimulated || isLoopback(new URL(url).hostname));
}

/**
 * HTTP/1.1 only. In HTTP/2, which undici offers by default, the limit of raw bytes (raw-limit.ts) doesn't apply, a supplier
 * can send frames beside its answers, and undici may send a booking again.
 */
const PROTOCOL = { allowH2: false };

/** Connects to any address. */
export function openConnector(): buildConnector.connector {
  return buildConnector({ ...PROTOCOL, lookup: hostLookup() });
}

/**
 * Connects only to public addresses. Each connection checks the very address it connects to, so a host name that
 * changes its address (DNS rebinding) doesn't bypass it. Redirects are never followed.
 */
export function guardedConnector(): buildConnector.connector {
  const connect = buildConnector({ ...PROTOCOL, lookup: publicLookup(hostLookup()) });
  return (options, callback) => {
    // Node does no lookup if the host is already an address.
    if (isIP(options.hostname) !== 0 && !isPublicAddress(options.hostname)) callback(refused(options.hostname), null);
    else connect(options, callback);
  };
}

/** The addresses that `find` finds, without those that are not public. Refuses a name that has no public address. */
function publicLookup(find: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    find(hostname, { ...options, all: true }, (error, found) => {
      const allowed = (found as LookupAddress[]).filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (error) callback(error, []);
      else if (!first) callback(refused(hostname), []);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function refused(host: string): SupplierError {
  return new SupplierError(
    'unavailable',
    `${host} is in a private network; set allowPrivateNetwork to permit it`,
    false,
  );
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
