import type { KeyObject } from 'node:crypto';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TokenOwner } from '../store/store.js';

/**
 * Access tokens: `fc_<s|p>_<account>_<application>_<43 random characters>_<6 checksum characters>` (ruling 11), ids without their prefix.
 * 256 random bits; the store keeps only their digest. The ids let one store call find token and limits.
 */
export interface ParsedToken extends TokenOwner {
  readonly environment: 'sandbox' | 'production';
  /** SHA-256 of the whole token, base64url. */
  readonly digest: string;
}

const TOKEN = /^(fc_([sp])_([a-z0-9]{1,40})_([a-z0-9]{1,40})_[A-Za-z0-9-_]{43})_([A-Za-z0-9-_]{6})$/;

/** A fresh token for an application (`app_…`) of an account (`acc_…`). */
export function mintToken({ accountId, applicationId }: TokenOwner, environment: 'sandbox' | 'production'): string {
  const ids = `${accountId.slice(4)}_${applicationId.slice(4)}`;
  const body = `fc_${environment === 'sandbox' ? 's' : 'p'}_${ids}_${randomBytes(32).toString('base64url')}`;
  return `${body}_${checksum(body)}`;
}

/** The parts of a token, or undefined when the text cannot be one of ours. */
export function parseToken(token: string): ParsedToken | undefined {
  const match = TOKEN.exec(token);
  if (!match || checksum(match[1] ?? '') !== match[5]) return undefined;
  const environment = match[2] === 's' ? 'sandbox' : 'production';
  return { accountId: `acc_${match[3]}`, applicationId: `app_${match[4]}`, environment, digest: tokenDigest(token) };
}

function checksum(body: string): string {
  return tokenDigest(body).slice(0, 6);
}

/** SHA-256 of a token, base64url: what the store keeps. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** HMAC of a client secret under the key `client_secret`, base64url: what the database keeps. */
export function secretHmac(key: KeyObject, secret: string): string {
  return createHmac('sha256', key).update(secret).digest('base64url');
}

/** Compares two digests of equal length in constant time. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
