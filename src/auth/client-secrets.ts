import type { KeyObject } from 'node:crypto';
import { Envelopes } from '../config/envelope.js';
import type { Keys } from '../config/keys.js';
import { SealedTexts, type SealingConfig } from '../config/sealed-text.js';
import { type Environment, sameDigest, secretHmac } from './credentials.js';

/** The application that a client secret belongs to. Only with this owner can the sealed secret be decrypted. */
export interface SecretHolder {
  readonly applicationId: string;
  readonly environment: Environment;
}

/** A stored secret, as read to check credentials. */
export interface StoredSecret {
  readonly id: string;
  /** HMAC-SHA-256, base64url. */
  readonly hmac: string;
}

/**
 * Stores client secrets as an HMAC for checks and an encrypted envelope that allows the owner to see them again (spec
 * §1.3).
 */
export class ClientSecrets {
  readonly #hmacKey: KeyObject;
  /** Of secrets created before decision 0023, when both environments had the same keys. */
  readonly #olderHmacKey: KeyObject;
  readonly #envelopes: Envelopes;

  /** Throws if the setting `secretKeys` is malformed. */
  constructor(config: SealingConfig, keys: Keys) {
    this.#hmacKey = keys('client_secret');
    this.#olderHmacKey = keys('client_secret', 'any');
    this.#envelopes = new Envelopes(new SealedTexts(config, keys, 'CLIENT_SECRET_KEYS'));
  }

  /** Version of the current wrapping key: the part of a newly sealed secret before its first dot. */
  get newestKey(): string {
    return this.#envelopes.newest;
  }

  /** The columns `hmac` and `sealed` of a new secret. */
  keep(secret: string, holder: SecretHolder): { hmac: string; sealed: string } {
    return { hmac: secretHmac(this.#hmacKey, secret), sealed: this.#envelopes.seal(secret, placeOf(holder)) };
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

  /** Rewraps a stored secret with the newest key. */
  rewrap(sealed: string, holder: SecretHolder): string {
    return this.#envelopes.rewrap(sealed, placeOf(holder));
  }

  /**
   * The entry of `stored` that matches `secret`. Takes constant time: compares with every entry, or with a dummy if
   * there are none.
   */
  find<T extends StoredSecret>(secret: string, stored: readonly T[]): T | undefined {
    let found: T | undefined;
    for (const given of [this.#hmacKey, this.#olderHmacKey].map((key) => secretHmac(key, secret))) {
      for (const candidate of stored) if (sameDigest(given, candidate.hmac)) found = candidate;
      if (stored.length === 0) sameDigest(given, NOBODY);
    }
    return found;
  }
}

/** A dummy digest that matches no secret. */
const NOBODY = 'A'.repeat(43);

function placeOf({ applicationId, environment }: SecretHolder): string {
  return `client_secret:${environment}:${applicationId}`;
}
