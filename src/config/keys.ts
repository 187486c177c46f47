import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.schema.js';

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
 * Derives keys (HKDF-SHA-256) from the setting `secret`, or from `<data folder>/secret`, created with 32 random bytes
 * (mode 0600) on the first start. Gateways that share a database or Redis need the same FORECOURT_SECRET.
 */
export function loadKeys(config: Config): Keys {
  const secret = config.secret ?? generatedSecret(config.dataFolder);
  const cache = new Map<KeyPurpose, KeyObject>();
  return (purpose) => {
    const known = cache.get(purpose);
    if (known) return known;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'forecourt', purpose, 32)));
    cache.set(purpose, key);
    return key;
  };
}

function generatedSecret(folder: string): string {
  const file = join(folder, 'secret');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  mkdirSync(folder, { recursive: true });
  const secret = randomBytes(32).toString('base64url');
  writeFileSync(file, secret, { mode: 0o600, flag: 'wx' });
  return secret;
}
