import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Version of the key derived from the master secret: in use where no keys are configured. */
const DERIVED = '0';

/**
 * Personal data at rest: AES-256-GCM under versioned keys, as `<version>.<base64url of iv, ciphertext, tag>`. The place of a text (which column
 * of which row) is authenticated with it: a sealed text moved elsewhere cannot be opened.
 */
export class SealedTexts {
  readonly #keys: ReadonlyMap<string, KeyObject>;
  /** Version of the key that seals. */
  readonly newest: string;

  /**
   * `configured` as in the setting personalDataKeys, newest first; undefined → `derived` alone. With configured keys the derived one still opens
   * what it sealed. Throws when a key is not 32 bytes of base64 or a version stands twice.
   */
  constructor(configured: string | undefined, derived: KeyObject) {
    const keys = new Map<string, KeyObject>();
    for (const part of configured?.split(',') ?? []) {
      const [, version = '', text = ''] = /^([1-9]\d{0,5}):([A-Za-z0-9+/_-]{43}=?)$/.exec(part.trim()) ?? [];
      const bytes = Buffer.from(text, 'base64');
      if (bytes.length !== KEY_BYTES || keys.has(version)) {
        throw new Error(
          'PERSONAL_DATA_KEYS: write "<version>:<32 bytes as base64>", newest first, versions are different numbers from 1 up',
        );
      }
      keys.set(version, createSecretKey(bytes));
    }
    this.newest = [...keys.keys()][0] ?? DERIVED;
    this.#keys = keys.set(DERIVED, derived);
  }

  /** Seals a text for its place, with the newest key. */
  seal(text: string, place: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key(this.newest), iv).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.newest}.${sealed.toString('base64url')}`;
  }

  /** Opens a sealed text. Throws when its key is not configured any more, or when it was altered or belongs elsewhere. */
  open(sealed: string, place: string): string {
    const [, version, text] = /^(\d{1,6})\.([\w-]+)$/.exec(sealed) ?? [];
    if (version === undefined || text === undefined) throw new Error('this is no sealed text');
    const bytes = Buffer.from(text, 'base64url');
    const decipher = createDecipheriv(ALGORITHM, this.#key(version), bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  #key(version: string): KeyObject {
    const key = this.#keys.get(version);
    if (!key) throw new Error(`personal data are sealed with key version ${version}, which is not configured (PERSONAL_DATA_KEYS)`);
    return key;
  }
}
