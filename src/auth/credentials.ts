import type { KeyObject } from 'node:crypto';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { TokenOwner } from '../store/store.js';

/** Credential set: a pair and its tokens work in one environment only (spec §5.7). */
export type Environment = 'sandbox' | 'production';

/**
 * Access tokens: `fc_<s|p>_<account>_<application>_<43 random>_<6 checksum>`, ids without their prefix (ruling 11). 256 random bits; the store
 * keeps only their digest. The owner in the token lets one store call find token and limits; the checksum (CRC-32 in base 62 over all before
 * it) tells a mistyped or invented token without a store call, and lets secret scanners know one when they see it.
 */
export interface ParsedToken extends TokenOwner {
  readonly environment: Environment;
  /** SHA-256 of the whole token, base64url. */
  readonly digest: string;
}

const TOKEN = /^(fc_([sp])_([a-z0-9]{1,40})_([a-z0-9]{1,40})_[\w-]{43})_([0-9A-Za-z]{6})$/;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A fresh token for an application of an account (`app_…` of `acc_…`). */
export function mintToken(owner: TokenOwner, environment: Environment): string {
  const letter = environment === 'sandbox' ? 's' : 'p';
  const head = `fc_${letter}_${owner.accountId.slice(4)}_${owner.applicationId.slice(4)}_${randomBytes(32).toString('base64url')}`;
  return `${head}_${checksum(head)}`;
}

/** The parts of a token, or undefined when the text cannot be one of ours. */
export function parseToken(token: string): ParsedToken | undefined {
  const [, head = '', letter, account, application, sum] = TOKEN.exec(token) ?? [];
  if (sum === undefined || sum !== checksum(head)) return undefined;
  return {
    accountId: `acc_${account}`,
    applicationId: `app_${application}`,
    environment: letter === 's' ? 'sandbox' : 'production',
    digest: tokenDigest(token),
  };
}

/** SHA-256 of a token, base64url: what the store keeps. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** A fresh client secret of 256 random bits; the prefix is for secret scanners. */
export function newClientSecret(): string {
  return `fcs_${randomBytes(32).toString('base64url')}`;
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

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
