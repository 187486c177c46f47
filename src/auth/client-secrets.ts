import type { KeyObject } from 'node:crypto';
import type { Config } from '../config/config.schema.js';
import { Envelopes } from '../config/envelope.js';
import type { Keys } from '../config/keys.js';
import { SealedTexts } from '../config/sealed-text.js';
import { type Environment, sameDigest, secretHmac } from './credentials.js';

/** The application that a client secret belongs to; the sealed secret opens for this one only. */
export interface SecretHolder {
  readonly applicationId: string;
  readonly environment: Environment;
}

/** What is known of one stored secret when a pair is checked. */
export interface StoredSecret {
  readonly id: string;
  /** HMAC-SHA-256, base64url. */
  readonly hmac: string;
}

/** How client secrets are kept: an HMAC to check against, and an envelope from which their owner may have them shown again (spec §1.3). */
export class ClientSecrets {
  readonly #hmacKey: KeyObject;
  readonly #envelopes: Envelopes;

  /** Throws when the setting `secretKeys` is not well-formed. */
  constructor(config: Pick<Config, 'secretKeys'>, keys: Keys) {
    this.#hmacKey = keys('client_secret');
    this.#envelopes = new Envelopes(
      new SealedTexts(config.secretKeys, keys('client_secret_wrapping'), 'CLIENT_SECRET_KEYS'),
    );
  }

  /** Version of the key that wraps now: what stands before the first dot of a secret sealed today. */
  get newestKey(): string {
    return this.#envelopes.newest;
  }

  /** The columns `hmac` and `sealed` of a secret. */
  keep(secret: string, holder: SecretHolder): { hmac: string; sealed: string } {
    return { hmac: secretHmac(this.#hmacKey, secret), sealed: this.#envelopes.seal(secret, placeOf(holder)) };
  }

  /** A kept secret in the clear. Throws when it was moved from another application or environment, or its key is gone. */
  open(sealed: string, holder: SecretHolder): string {
    try {
      return this.#envelopes.open(sealed, placeOf(holder));
    } catch (error) {
      const why =
        'FORECOURT_SECRET or CLIENT_SECRET_KEYS are not those it was sealed with, or it was moved here from another application';
      throw new Error(`a client secret cannot be opened: ${why}`, { cause: error });
    }
  }

  /** The same kept secret under the newest key. */
  rewrap(sealed: string, holder: SecretHolder): string {
    return this.#envelopes.rewrap(sealed, placeOf(holder));
  }

  /** The one of `stored` that `secret` is. It compares with every one to the end, and with a stand-in where there is none: time tells nothing. */
  find<T extends StoredSecret>(secret: string, stored: readonly T[]): T | undefined {
    const given = secretHmac(this.#hmacKey, secret);
    let found: T | undefined;
    for (const candidate of stored) if (sameDigest(given, candidate.hmac)) found = candidate;
    if (stored.length === 0) sameDigest(given, NOBODY);
    return found;
  }
}

/** As long as a digest, and the digest of nothing known. */
const NOBODY = 'A'.repeat(43);

function placeOf({ applicationId, environment }: SecretHolder): string {
  return `client_secret:${environment}:${applicationId}`;
}
