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
export interface Keys {
  (purpose: KeyPurpose, scope?: 'any'): KeyObject;
  /** The keys from FORECOURT_OTHER_SECRET: what they made is accepted, and nothing is made with them. Undefined = there is none. */
  readonly other?: Keys | undefined;
}

/**
 * Derives keys (HKDF-SHA-256) from the master secret, which is generated on the first start if none is set. Gateways
 * of one environment that share a database or Redis need the same FORECOURT_SECRET or FORECOURT_SECRET_FILE.
 */
export function loadKeys(config: Config): Keys {
  const [secret, other] = [masterSecret(config), config.otherSecret];
  const keys = keysFrom(secret, config.environment);
  if (other === undefined || other === secret) return keys;
  return Object.assign(keys, { other: keysFrom(other, config.environment) });
}

function keysFrom(secret: string, environment: Config['environment']): Keys {
  const cache = new Map<string, KeyObject>();
  return (purpose, scope) => {
    const info = scope === 'any' ? purpose : `${environment}:${purpose}`;
    const key = cache.get(info) ?? derivedKey(secret, info);
    cache.set(info, key);
    return key;
  };
}

/** The keys for a purpose: the one that everything is made with, and the other one with which it may have been made, if any. */
export type AcceptedKeys = readonly [KeyObject, ...KeyObject[]];

/** AcceptedKeys for a purpose. */
export function acceptedKeys(keys: Keys, purpose: KeyPurpose, scope?: 'any'): AcceptedKeys {
  return [keys(purpose, scope), ...(keys.other === undefined ? [] : [keys.other(purpose, scope)])];
}

/** HKDF-SHA-256: 32 bytes for `info` from other key material. */
export function derivedKey(secret: string | Buffer, info: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'forecourt', info, 32)));
}
