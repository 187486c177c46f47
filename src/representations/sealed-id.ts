import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

const MAC_CHARACTERS = 22;

/**
 * Creates an opaque id that contains its own data: prefix, base64url(text) and 22 characters of an HMAC-SHA-256 of
 * both. Callers can't forge or alter it, and reading it needs no store.
 */
export function seal(prefix: string, text: string, key: KeyObject): string {
  return encoded(prefix, text) + mac(prefix, text, key);
}

function encoded(prefix: string, text: string): string {
  return prefix + Buffer.from(text).toString('base64url');
}

/** Returns the text of a sealed id, or undefined if it has another prefix or key, or was truncated or altered. */
export function unseal(prefix: string, id: string, key: KeyObject): string | undefined {
  if (!id.startsWith(prefix) || id.length < prefix.length + MAC_CHARACTERS || !/^[\w-]+$/.test(id)) return undefined;
  const text = Buffer.from(id.slice(prefix.length, -MAC_CHARACTERS), 'base64url').toString();
  // Decoding ignores the last bits: another spelling of the same text would be another id of the same thing.
  if (id.slice(0, -MAC_CHARACTERS) !== encoded(prefix, text)) return undefined;
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
