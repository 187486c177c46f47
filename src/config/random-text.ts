import { randomFillSync } from 'node:crypto';

/** 96 bits, so that no two texts are ever the same. */
const BYTES = 12;
const pool = Buffer.allocUnsafeSlow(256 * BYTES);
let used = pool.length;

/**
 * 16 random characters of base64url for the id of something. Random bytes are fetched for many texts in advance, so don't use it
 * for secrets.
 */
export function randomText(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return pool.toString('base64url', used - BYTES, used);
}
