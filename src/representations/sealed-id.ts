import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

const MAC_CHARACTERS = 22;

/**
 * An opaque id that carries its own content: prefix + base64url(text) + 22 characters of HMAC-SHA-256 over prefix and text. Callers cannot
 * forge or alter it, and no store is needed to read it back.
 */
export function seal(prefix: string, text: string, key: KeyObject): string {
  return `${prefix}${Buffer.from(text).toString('base64url')}${mac(prefix, text, key)}`;
}

/** The text of a sealed id, or undefined when it is not one of ours (other prefix, cut, altered, other key). */
export function unseal(prefix: string, id: string, key: KeyObject): string | undefined {
  if (!id.startsWith(prefix) || id.length < prefix.length + MAC_CHARACTERS || !/^[\w-]+$/.test(id)) return undefined;
  const text = Buffer.from(id.slice(prefix.length, -MAC_CHARACTERS), 'base64url').toString();
  const expected = Buffer.from(mac(prefix, text, key));
  const given = Buffer.from(id.slice(-MAC_CHARACTERS));
  return expected.length === given.length && timingSafeEqual(expected, given) ? text : undefined;
}

function mac(prefix: string, text: string, key: KeyObject): string {
  return createHmac('sha256', key)
    .update(prefix + text)
    .digest('base64url')
    .slice(0, MAC_CHARACTERS);
}
