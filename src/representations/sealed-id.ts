import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

const MAC_CHARACTERS = 22;

/**
 * Creates an opaque id that contains its own data: prefix, base64url(text) and 22 characters of an HMAC-SHA-256 of
 * both. Callers can't forge or alter it, and reading it needs no store.
 */
export function seal(prefix: string, text: string, key: KeyObject): string {
  const bytes = Buffer.from(prefix + text);
  return encoded(prefix, bytes) + mac(bytes, key);
}

/** `bytes` are those of the prefix, which is ASCII, and the text. */
function encoded(prefix: string, bytes: Buffer): string {
  return prefix + bytes.toString('base64url', prefix.length);
}

/** The keys of which one must have sealed an id, or the only one. */
export type OpeningKeys = KeyObject | readonly KeyObject[];

/** Returns the text of a sealed id, or undefined if it has another prefix or key, or was truncated or altered. */
export function unseal(prefix: string, id: string, keys: OpeningKeys): string | undefined {
  if (!id.startsWith(prefix) || id.length < prefix.length + MAC_CHARACTERS || !/^[\w-]+$/.test(id)) return undefined;
  const text = Buffer.from(id.slice(prefix.length, -MAC_CHARACTERS), 'base64url').toString();
  const bytes = Buffer.from(prefix + text);
  // Decoding ignores the last bits: another spelling of the same text would be another id of the same thing.
  if (id.slice(0, -MAC_CHARACTERS) !== encoded(prefix, bytes)) return undefined;
  const given = Buffer.from(id.slice(-MAC_CHARACTERS));
  return [keys].flat().some((key) => isMac(given, bytes, key)) ? text : undefined;
}

function isMac(given: Buffer, bytes: Buffer, key: KeyObject): boolean {
  const expected = Buffer.from(mac(bytes, key));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function mac(bytes: Buffer, key: KeyObject): string {
  return createHmac('sha256', key).update(bytes).digest('base64url').slice(0, MAC_CHARACTERS);
}
