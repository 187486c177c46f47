import { isIPv6 } from 'node:net';

/** What an IPv4 address has before it in IPv6 (RFC 4291), 96 bits, and zeros in place of the address. */
const MAPPED = 0xffff_0000_0000n;
const MAPPED_BITS = 96;

/**
 * An address or range as IPv4 if it is an IPv4-mapped one: `::ffff:10.0.0.0/104` is `10.0.0.0/8`, because addresses of callers
 * are compared with it in either form. Other texts stay as they are.
 */
export function plainRange(range: string): string {
  const { bits, address } = partsOf(range);
  if (address === undefined || address >> 32n !== MAPPED >> 32n || !(bits >= MAPPED_BITS)) return range;
  const octets = [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.');
  return range.includes('/') ? `${octets}/${bits - MAPPED_BITS}` : octets;
}

/** Whether an IPv6 range contains all IPv4-mapped addresses, and so every IPv4 address. */
export function hasAllOfIpv4(range: string): boolean {
  const { bits, address } = partsOf(range);
  if (address === undefined || !(bits <= MAPPED_BITS)) return false;
  const rest = BigInt(128 - bits);
  return address >> rest === MAPPED >> rest;
}

/** The IPv6 address of a range as a number, undefined for other texts; and the length of its prefix, NaN for other texts. */
function partsOf(range: string): { readonly address: bigint | undefined; readonly bits: number } {
  const [text = '', bits = '128'] = range.split('/');
  return { address: numberOf(text), bits: /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN };
}

/** Undefined for other texts, and for an address with a zone. */
function numberOf(text: string): bigint | undefined {
  const url = `http://[${text}]`;
  if (!isIPv6(text) || !URL.canParse(url)) return undefined;
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const groups = [...(first ?? []), ...(last ?? [])];
  const zeros = Array.from({ length: 8 - groups.length }, () => '0');
  return [...(first ?? []), ...zeros, ...(last ?? [])].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
