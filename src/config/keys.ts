import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Config } from './config.schema.js';
import { masterSecret } from './master-secret.js';

export type KeyPurpose =
  | 'audit_checkpoint'
  | 'offer_id'
  | 'client_secret'
  | 'client_secret_wrapping'
  | 'demo_credentials'
  | 'personal_data'
  | 'simulator_ledgers'
  | 'idempotency'
  | 'reservation_mark'
  | 'session_digest'
  | 'device_cookie'
  | 'recovery_code'
  | 'request_marks'
  | 'link_digest';

/**
 * Returns the 32-byte key for a purpose as a KeyObject (an HMAC with a plain Buffer takes 15 µs instead of 2). Each
 * purpose has its own key in each environment (decision 0023). `any`: the key of both environments, which data stored
 * before that decision still uses.
 */
export type Keys = (purpose: KeyPurpose, scope?: 'any') => KeyObject;

/**
 * Derives keys (HKDF-SHA-256) from the master secret, which is generated on the first start if none is set. Gateways
 * of one environment that share a database or Redis need the same FORECOURT_SECRET or FORECOURT_SECRET_FILE.
 */
export function loadKeys(config: Config): Keys {
  const secret = masterSecret(config);
  const cache = new Map<string, KeyObject>();
  return (purpose, scope) => {
    const info = scope === 'any' ? purpose : `${config.environment}:${purpose}`;
    const key = cache.get(info) ?? derivedKey(secret, info);
    cache.set(info, key);
    return key;
  };
}

/** HKDF-SHA-256: 32 bytes for `info` from other key material. */
export function derivedKey(secret: string | Buffer, info: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'forecourt', info, 32)));
}
