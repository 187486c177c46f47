import { Envelopes } from '../config/envelope.js';
import { type AcceptedKeys, acceptedKeys, type Keys } from '../config/keys.js';
import { SealedTexts, type SealingConfig } from '../config/sealed-text.js';
import { type Environment, secretHmac } from './credentials.js';

/** The application that a client secret belongs to. Only with this owner can the sealed secret be decrypted. */
export interface SecretHolder {
  readonly applicationId: string;
  readonly environment: Environment;
}

/**
 * Stores client secrets as an HMAC for checks and an encrypted envelope that allows the owner to see them again (spec
 * §1.3).
 */
export class ClientSecrets {
  readonly #hmacKeys: AcceptedKeys;
  /** For secrets created before decision 0023, when both environments had the same keys. */
  readonly #olderHmacKeys: AcceptedKeys;
  readonly #envelopes: Envelopes;

  /** Throws if the setting `secretKeys` is malformed. */
  constructor(config: SealingConfig, keys: Keys) {
    this.#hmacKeys = acceptedKeys(keys, 'client_secret');
    this.#olderHmacKeys = acceptedKeys(keys, 'client_secret', 'any');
    this.#envelopes = new Envelopes(new SealedTexts(config, keys, 'CLIENT_SECRET_KEYS'));
  }

  /** Version of the current wrapping key: the part of a newly sealed secret before its first dot. */
  get newestKey(): string {
    return this.#envelopes.newest;
  }

  /** The columns `hmac` and `sealed` of a new secret. */
  keep(secret: string, holder: SecretHolder): { hmac: string; sealed: string } {
    return { hmac: secretHmac(this.#hmacKeys[0], secret), sealed: this.#envelopes.seal(secret, placeOf(holder)) };
  }

  /**
   * Decrypts a stored secret. Throws if it was moved from another application or environment, or if its key is missing.
   */
  open(sealed: string, holder: SecretHolder): string {
    try {
      return this.#envelopes.open(sealed, placeOf(holder));
    } catch (error) {
      const why =
        'FORECOURT_SECRET or CLIENT_SECRET_KEYS differ from those that it was sealed with, or it was moved here from another application';
      throw new Error(`a client secret cannot be decrypted: ${why}`, { cause: error });
    }
  }

  /**
   * Whether a stored secret was stored with a secret of this gateway (FORECOURT_SECRET, FORECOURT_OTHER_SECRET): otherwise no client's secret is accepted. Undefined if that can't be known,
   * because a key of CLIENT_SECRET_KEYS is missing.
   */
  isOwn(
    { hmac, sealed }: { readonly hmac: string; readonly sealed: string },
    holder: SecretHolder,
  ): boolean | undefined {
    try {
      return this.hmacsOf(this.open(sealed, holder)).includes(hmac);
    } catch {
      return isDerived(sealed) ? false : undefined;
    }
  }

  /** The HMAC from FORECOURT_SECRET of a stored secret. Throws like `open`. */
  hmacOf(sealed: string, holder: SecretHolder): string {
    return secretHmac(this.#hmacKeys[0], this.open(sealed, holder));
  }

  /** Rewraps a stored secret with the newest key. */
  rewrap(sealed: string, holder: SecretHolder): string {
    return this.#envelopes.rewrap(sealed, placeOf(holder));
  }

  /**
   * The HMACs that a stored secret may have, to look it up by them. How long a comparison of HMACs takes reveals nothing
   * about the secret, because callers can't choose them.
   */
  hmacsOf(secret: string): readonly string[] {
    return [...this.#hmacKeys, ...this.#olderHmacKeys].map((key) => secretHmac(key, secret));
  }
}

function placeOf({ applicationId, environment }: SecretHolder): string {
  return `client_secret:${environment}:${applicationId}`;
}

/** Whether the key that it was sealed with is derived from FORECOURT_SECRET (config/sealed-text.ts). */
function isDerived(sealed: string): boolean {
  return /^0[sp]?\./.test(sealed);
}
