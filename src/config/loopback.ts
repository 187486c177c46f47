import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Whether only this machine can reach a host: `localhost`, or a loopback address (IPv6 with or without brackets,
 * IPv4-mapped as well). Other names aren't resolved, so they count as reachable.
 */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) === 0) return address.toLowerCase() === 'localhost';
  return loopback.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
