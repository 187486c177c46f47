import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Config } from './config.schema.js';
import { derivedKey, type Keys } from './keys.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Version of the key derived from the master secret, used when no keys are configured. */
const DERIVED = '0';

/** The setting with the keys, by its variable, and the purpose of the derived key. */
const SOURCES = {
  PERSONAL_DATA_KEYS: { setting: 'personalDataKeys', purpose: 'personal_data' },
  CLIENT_SECRET_KEYS: { setting: 'secretKeys', purpose: 'client_secret_wrapping' },
} as const;

/** The settings that decide which keys seal and open texts. */
export type SealingConfig = Pick<Config, 'environment' | 'personalDataKeys' | 'secretKeys'>;

/**
 * Texts at rest, encrypted with AES-256-GCM and versioned keys, as `<version><s|p>.<base64url of iv, ciphertext, tag>`:
 * a key of the sandbox or of production. The place of a text (which column of which row) is authenticated with it: a
 * sealed text moved elsewhere cannot be opened. A version without a letter is from before decision 0023, when both
 * environments had the same keys; such texts can be opened and resealed.
 */
export class SealedTexts {
  readonly #keys: ReadonlyMap<string, KeyObject>;
  /** Version of the key used for sealing. */
  readonly newest: string;

  /**
   * The keys of the setting behind `variable`, newest first, each derived for the environment; without any, the derived key of the master
   * secret. With configured keys, the derived one still opens what it sealed. Throws if a key is not 32 bytes of base64 or a version occurs
   * twice.
   */
  constructor(
    config: SealingConfig,
    keys: Keys,
    private readonly variable: keyof typeof SOURCES,
  ) {
    const { setting, purpose } = SOURCES[variable];
    const letter = config.environment === 'sandbox' ? 's' : 'p';
    const versions: string[] = [];
    const all = new Map([
      [DERIVED, keys(purpose, 'any')],
      [`${DERIVED}${letter}`, keys(purpose)],
    ]);
    for (const part of config[setting]?.split(',') ?? []) {
      const [, version = '', text = ''] = /^([1-9]\d{0,5}):([A-Za-z0-9+/_-]{43}=?)$/.exec(part.trim()) ?? [];
      const bytes = Buffer.from(text, 'base64');
      if (bytes.length !== KEY_BYTES || all.has(version)) {
        throw new Error(
          `${variable}: must be "<version>:<32 bytes as base64>", newest first, with a different version number (1 or greater) for each key`,
        );
      }
      versions.push(version);
      all.set(version, createSecretKey(bytes)).set(`${version}${letter}`, derivedKey(bytes, config.environment));
    }
    this.newest = `${versions[0] ?? DERIVED}${letter}`;
    this.#keys = all;
  }

  /** Seals a text for its place, with the newest key. */
  seal(text: string, place: string): string {
    return `${this.newest}.${encrypt(this.#key(this.newest), Buffer.from(text, 'utf8'), place).toString('base64url')}`;
  }

  /**
   * Opens a sealed text. Throws if its key is no longer configured, or if it was altered or belongs to another place.
   */
  open(sealed: string, place: string): string {
    const [, version, text] = /^(\d{1,6}[sp]?)\.([\w-]+)$/.exec(sealed) ?? [];
    if (version === undefined || text === undefined) throw new Error('not a sealed text');
    return decrypt(this.#key(version), Buffer.from(text, 'base64url'), place).toString('utf8');
  }

  #key(version: string): KeyObject {
    const key = this.#keys.get(version);
    if (key) return key;
    const why =
      /[sp]$/.test(version) && !this.newest.endsWith(version.slice(-1))
        ? 'of the other environment'
        : 'which is not configured';
    throw new Error(`a text is sealed with key version ${version}, ${why} (${this.variable})`);
  }
}

/** AES-256-GCM: a random nonce, the ciphertext, the tag; `place` is authenticated with them. */
export function encrypt(key: KeyObject, plain: Buffer, place: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(place));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts the output of `encrypt`. Throws if the ciphertext, the key, or the place differs. */
export function decrypt(key: KeyObject, bytes: Buffer, place: string): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}
