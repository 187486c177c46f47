import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Config } from './config.schema.js';
import { masterSecret } from './master-secret.js';

export type KeyPurpose =
  | 'offer_id'
  | 'client_secret'
  | 'client_secret_wrapping'
  | 'demo_credentials'
  | 'personal_data'
  | 'simulator_ledgers'
  | 'idempotency';

/**
 * Returns the 32-byte key for a purpose as a KeyObject (an HMAC with a plain Buffer takes 15 µs instead of 2). Each
 * purpose has its own key.
 */
export type Keys = (purpose: KeyPurpose) => KeyObject;

/**
 * Derives keys (HKDF-SHA-256) from the master secret, which is generated on the first start if none is set. Gateways
 * that share a database or Redis need the same FORECOURT_SECRET or FORECOURT_SECRET_FILE.
 */
export function loadKeys(config: Config): Keys {
  const secret = masterSecret(config);
  const cache = new Map<KeyPurpose, KeyObject>();
  return (purpose) => {
    const known = cache.get(purpose);
    if (known) return known;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'forecourt', purpose, 32)));
    cache.set(purpose, key);
    return key;
  };
}
