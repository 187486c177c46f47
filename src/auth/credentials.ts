import type { KeyObject } from 'node:crypto';
import { createHmac, hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { TokenOwner } from '../store/store.js';

/** Credentials and their tokens work in one environment only (spec §5.7). */
export type Environment = 'sandbox' | 'production';

/**
 * Access tokens: `fc_<s|p>_<account>_<application>_<43 random>_<6 checksum>`, ids without their prefix (ruling 11). 256
 * random bits; the store keeps only their digest. With the owner in the token, one store call finds the token and its
 * limits. The checksum (CRC-32 in base 62 of everything before it) detects mistyped or invented tokens without a store
 * call and lets secret scanners recognize tokens.
 */
export interface ParsedToken extends TokenOwner {
  readonly environment: Environment;
  /** SHA-256 of the complete token, base64url. */
  readonly digest: string;
}

const TOKEN = /^(fc_([sp])_([a-z0-9]{1,40})_([a-z0-9]{1,40})_[\w-]{43})_([0-9A-Za-z]{6})$/;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Creates a token for an application (`app_…`) of an account (`acc_…`). */
export function mintToken(owner: TokenOwner, environment: Environment): string {
  const letter = environment === 'sandbox' ? 's' : 'p';
  const head = `fc_${letter}_${owner.accountId.slice(4)}_${owner.applicationId.slice(4)}_${randomBytes(32).toString('base64url')}`;
  return `${head}_${checksum(head)}`;
}

/** The parts of a token; undefined if the text is not a token of this gateway. */
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

/** SHA-256 of a token, base64url; the store keeps only this digest. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Creates a client secret of 256 random bits; the prefix is for secret scanners. */
export function newClientSecret(): string {
  return `fcs_${randomBytes(32).toString('base64url')}`;
}

/** HMAC of a client secret with the key `client_secret`, base64url, as stored in the database. */
export function secretHmac(key: KeyObject, secret: string): string {
  return createHmac('sha256', key).update(secret).digest('base64url');
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
