import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { TokenOwner } from '../store/store.js';

/** Tokens that are remembered; beyond, the earliest is forgotten. */
const MOST_TOKENS = 5_000;

/**
 * Whose the tokens were that this gateway admitted, so that a request with one that expired or was revoked is kept for its application
 * (docs/certification.md). A token names an application, but anyone can write that: only one that was admitted proves it.
 * Empty outside the sandbox. It grants nothing.
 */
@Injectable()
export class FormerTokens {
  readonly #owners = new Map<string, TokenOwner>();
  readonly #isKept: boolean;

  constructor(@Inject(CONFIG) { environment }: Pick<Config, 'environment'>) {
    this.#isKept = environment === 'sandbox';
  }

  /** `digest`: SHA-256 of the token, base64url. */
  admitted(digest: string, { accountId, applicationId }: TokenOwner): void {
    if (!this.#isKept || this.#owners.has(digest)) return;
    if (this.#owners.size >= MOST_TOKENS)
      for (const earliest of this.#owners.keys()) {
        this.#owners.delete(earliest);
        break;
      }
    this.#owners.set(digest, { accountId, applicationId });
  }

  /** Undefined = this gateway admitted no such token, or no longer knows. */
  ownerOf(digest: string): TokenOwner | undefined {
    return this.#owners.get(digest);
  }
}
