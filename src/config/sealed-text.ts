import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Version of the key derived from the master secret, used when no keys are configured. */
const DERIVED = '0';

/**
 * Texts at rest, encrypted with AES-256-GCM and versioned keys, as `<version>.<base64url of iv, ciphertext, tag>`. The
 * place of a text (which column of which row) is authenticated with it: a sealed text moved elsewhere cannot be opened.
 */
export class SealedTexts {
  readonly #keys: ReadonlyMap<string, KeyObject>;
  /** Version of the key used for sealing. */
  readonly newest: string;

  /**
   * `configured` as in the settings personalDataKeys and secretKeys, newest first; undefined = only `derived`. The derived key always
   * opens what it sealed. `variable` names the setting in errors. Throws if a key is not 32 bytes of
   * base64 or a version occurs twice.
   */
  constructor(
    configured: string | undefined,
    derived: KeyObject,
    private readonly variable: 'PERSONAL_DATA_KEYS' | 'CLIENT_SECRET_KEYS',
  ) {
    const keys = new Map<string, KeyObject>();
    for (const part of configured?.split(',') ?? []) {
      const [, version = '', text = ''] = /^([1-9]\d{0,5}):([A-Za-z0-9+/_-]{43}=?)$/.exec(part.trim()) ?? [];
      const bytes = Buffer.from(text, 'base64');
      if (bytes.length !== KEY_BYTES || keys.has(version)) {
        throw new Error(
          `${variable}: must be "<version>:<32 bytes as base64>", newest first, with a different version number (1 or greater) for each key`,
        );
      }
      keys.set(version, createSecretKey(bytes));
    }
    this.newest = [...keys.keys()][0] ?? DERIVED;
    this.#keys = keys.set(DERIVED, derived);
  }

  /** Seals a text for its place, with the newest key. */
  seal(text: string, place: string): string {
    return `${this.newest}.${encrypt(this.#key(this.newest), Buffer.from(text, 'utf8'), place).toString('base64url')}`;
  }

  /**
   * Opens a sealed text. Throws if its key is no longer configured, or if it was altered or belongs to another place.
   */
  open(sealed: string, place: string): string {
    const [, version, text] = /^(\d{1,6})\.([\w-]+)$/.exec(sealed) ?? [];
    if (version === undefined || text === undefined) throw new Error('not a sealed text');
    return decrypt(this.#key(version), Buffer.from(text, 'base64url'), place).toString('utf8');
  }

  #key(version: string): KeyObject {
    const key = this.#keys.get(version);
    if (!key)
      throw new Error(`a text is sealed with key version ${version}, which is not configured (${this.variable})`);
    return key;
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
