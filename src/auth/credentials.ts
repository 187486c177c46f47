import type { KeyObject } from 'node:crypto';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Access tokens: `fc_<environment letter>_<application id without prefix>_<43 random characters>` (rulings 11). 256 random bits; the store
 * keeps only their digest. The application id in the token lets one store call find token and limit.
 */
export interface ParsedToken {
  readonly applicationId: string;
  readonly environment: 'sandbox' | 'production';
  /** SHA-256 of the whole token, base64url. */
  readonly digest: string;
}

const TOKEN = /^fc_([sp])_([a-z0-9]{1,40})_([A-Za-z0-9-_]{43})$/;

/** A fresh token for an application (`app_…`). */
export function mintToken(applicationId: string, environment: 'sandbox' | 'production'): string {
  return `fc_${environment === 'sandbox' ? 's' : 'p'}_${applicationId.slice(4)}_${randomBytes(32).toString('base64url')}`;
}

/** The parts of a token, or undefined when the text cannot be one of ours. */
export function parseToken(token: string): ParsedToken | undefined {
  const match = TOKEN.exec(token);
  if (!match) return undefined;
  return { applicationId: `app_${match[2]}`, environment: match[1] === 's' ? 'sandbox' : 'production', digest: tokenDigest(token) };
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
