import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { TokenOwner } from '../store/store.js';

/** Tokens that are remembered; beyond, the earliest is forgotten. */
const MOST_TOKENS = 5_000;
/** What certification reads of what follows the first 401 of a token, and as many calls as an honest client has under way. */
const RECOGNIZED_MS = 60_000;
const MOST_CALLS = 100;

interface Former {
  readonly owner: TokenOwner;
  readonly network: string;
  /** When the first call with it was refused, on the clock of performance.now; undefined = it is still valid, as far as is known. */
  refusedAt?: number;
  calls: number;
}

/**
 * Whose the tokens were that this gateway admitted, so that a request with one that expired or was revoked is kept for its application
 * (docs/certification.md). A token names an application, but anyone can write that: only one that was admitted proves it, and only
 * together with the network that it first came from, because a person who finds an old one must not write into the records of its
 * application. Nothing limits the calls of a token that is no longer valid otherwise, so few are recognized. Empty outside the sandbox. It grants nothing.
 */
@Injectable()
export class FormerTokens {
  readonly #tokens = new Map<string, Former>();
  readonly #isKept: boolean;

  constructor(@Inject(CONFIG) { environment }: Pick<Config, 'environment'>) {
    this.#isKept = environment === 'sandbox';
  }

  /** `digest`: SHA-256 of the token, base64url. */
  admitted(digest: string, { accountId, applicationId }: TokenOwner, network: string): void {
    if (!this.#isKept || this.#tokens.has(digest)) return;
    if (this.#tokens.size >= MOST_TOKENS)
      for (const earliest of this.#tokens.keys()) {
        this.#tokens.delete(earliest);
        break;
      }
    this.#tokens.set(digest, { owner: { accountId, applicationId }, network, calls: 0 });
  }

  /**
   * Whose call this is, which was refused because its token isn't valid any more. Undefined = this gateway admitted no such token, or no
   * longer knows, or it came from another network, or enough of its calls were recognized.
   */
  refused(digest: string, network: string): TokenOwner | undefined {
    const token = this.#tokens.get(digest);
    if (token?.network !== network) return undefined;
    token.refusedAt ??= performance.now();
    token.calls += 1;
    if (token.calls <= MOST_CALLS && performance.now() - token.refusedAt <= RECOGNIZED_MS) return token.owner;
    this.#tokens.delete(digest);
    return undefined;
  }
}
