import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Config } from './config.schema.js';
import { derivedKey, type Keys } from './keys.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Version of the key derived from the master secret, which seals if no other key is configured before it. */
const DERIVED = '0';

/** The setting with the keys, by its variable, and the purpose of the derived key. */
const SOURCES = {
  PERSONAL_DATA_KEYS: { setting: 'personalDataKeys', purpose: 'personal_data' },
  CLIENT_SECRET_KEYS: { setting: 'secretKeys', purpose: 'client_secret_wrapping' },
} as const;

/** The variable with a list of keys. */
type KeyVariable = keyof typeof SOURCES;

/** Part of a list: the derived key, or the version and bytes of another one. */
const KEY = /^(?:(0)|([1-9]\d{0,5}):([A-Za-z0-9+/_-]{43}=?))$/;

/**
 * A text can't be opened, because it was sealed with a key of this environment that this gateway doesn't have, although
 * another gateway may. The message has no key and no text.
 */
export class MissingKeyError extends Error {
  constructor(
    readonly variable: KeyVariable,
    /** Such as `2s`. */
    readonly keyVersion: string,
  ) {
    super(`a text is sealed with key version ${keyVersion}, which is not configured (${variable})`);
    this.name = 'MissingKeyError';
  }
}

/** The MissingKeyError that an error is or was caused by; undefined = none. */
export function missingKeyOf(error: unknown): MissingKeyError | undefined {
  let current = error;
  while (current instanceof Error && !(current instanceof MissingKeyError)) current = current.cause;
  return current instanceof MissingKeyError ? current : undefined;
}

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
  /** Version of the key used for sealing: the first of the list, which need not be the highest. */
  readonly newest: string;

  /**
   * The keys of the setting behind `variable`, each derived for the environment. The first one seals, and all of them open. `0` is the key
   * derived from the master secret, which seals if there are no keys and always opens what it sealed. So a new key can first be made known
   * to all gateways (`0,2:…`) and then seal (`2:…`). Throws if a key is not 32 bytes of base64 or a version occurs twice.
   */
  constructor(
    config: SealingConfig,
    keys: Keys,
    private readonly variable: KeyVariable,
  ) {
    const { setting, purpose } = SOURCES[variable];
    const letter = config.environment === 'sandbox' ? 's' : 'p';
    const versions: string[] = [];
    const all = new Map([
      [DERIVED, keys(purpose, 'any')],
      [`${DERIVED}${letter}`, keys(purpose)],
    ]);
    for (const part of config[setting]?.split(',') ?? []) {
      const [, derived, version = derived ?? '', text = ''] = KEY.exec(part.trim()) ?? [];
      const bytes = Buffer.from(text, 'base64');
      if (versions.includes(version) || (derived === undefined && bytes.length !== KEY_BYTES)) {
        throw new Error(
          `${variable}: must be "<version>:<32 bytes as base64>", first the key that encrypts, with a different version number (1 or greater) for each key; "0" is the key derived from FORECOURT_SECRET`,
        );
      }
      versions.push(version);
      if (derived !== undefined) continue;
      all.set(version, createSecretKey(bytes)).set(`${version}${letter}`, derivedKey(bytes, config.environment));
    }
    this.newest = `${versions[0] ?? DERIVED}${letter}`;
    this.#keys = all;
  }

  /** Which keys seal and open: `encrypts with 2s, also decrypts 0s`. Those from before decision 0023 are left out. */
  get summary(): string {
    const others = [...this.#keys.keys()].filter((version) => /[sp]$/.test(version) && version !== this.newest);
    return `encrypts with ${this.newest}${others.length === 0 ? '' : `, also decrypts ${others.join(', ')}`}`;
  }

  /** Seals a text for its place, with the first key of the list. */
  seal(text: string, place: string): string {
    return `${this.newest}.${encrypt(this.#key(this.newest), Buffer.from(text, 'utf8'), place).toString('base64url')}`;
  }

  /**
   * Opens a sealed text. Throws MissingKeyError if its key is not configured, and Error if it was altered or belongs to another place or
   * environment.
   */
  open(sealed: string, place: string): string {
    const [, version, text] = /^(\d{1,6}[sp]?)\.([\w-]+)$/.exec(sealed) ?? [];
    if (version === undefined || text === undefined) throw new Error('not a sealed text');
    return decrypt(this.#key(version), Buffer.from(text, 'base64url'), place).toString('utf8');
  }

  #key(version: string): KeyObject {
    const key = this.#keys.get(version);
    if (key) return key;
    if (/[sp]$/.test(version) && !this.newest.endsWith(version.slice(-1)))
      throw new Error(`a text is sealed with key version ${version}, of the other environment (${this.variable})`);
    throw new MissingKeyError(this.variable, version);
  }
}

/** The summary of each list of keys, by its variable: an operator compares them between gateways (docs/authentication.md#rotate-a-key). */
export function keySummaries(config: SealingConfig, keys: Keys): Readonly<Record<string, string>> {
  const variables = Object.keys(SOURCES) as KeyVariable[];
  return Object.fromEntries(variables.map((variable) => [variable, new SealedTexts(config, keys, variable).summary]));
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
