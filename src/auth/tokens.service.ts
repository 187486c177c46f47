import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { ApplicationPolicy, Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { ApplicationsService } from './applications.service.js';
import { mintToken, type ParsedToken, parseToken, tokenDigest } from './credentials.js';
import { PolicyUpdates } from './policy-updates.js';

/** A newly issued token. */
export interface IssuedToken {
  readonly token: string;
  /** Remaining lifetime in seconds. */
  readonly expiresInSeconds: number;
}

/** The owner that a token names: `own` or `foreign`; `unknown` if it is not a token of this gateway and environment. */
export type TokenClaim =
  | { readonly kind: 'own'; readonly parsed: ParsedToken }
  | { readonly kind: 'foreign' | 'unknown' };

/**
 * Issues, revokes and looks up access tokens (ruling 11). Every method rejects with StoreUnavailableError if the store
 * is unavailable.
 */
@Injectable()
export class TokensService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
    private readonly applications: ApplicationsService,
    private readonly policies: PolicyUpdates,
  ) {}

  /**
   * Issues a token for the application and, beyond the cap, revokes its oldest one. The token is revoked with its secret
   * (absent = none was used). Undefined if the application was suspended or the secret was revoked in the meantime. The database is checked again after
   * the token is stored: an earlier change is seen here, and a later one revokes the token itself. So is the session
   * that asks for the token: `reauthorize` rejects if it was revoked.
   */
  async issue(
    policy: ApplicationPolicy,
    secretId?: string,
    reauthorize?: () => Promise<void>,
  ): Promise<IssuedToken | undefined> {
    const { accountId, applicationId, environment } = policy;
    const token = mintToken(policy, environment);
    const lifetimeMs = this.config.tokens.lifetimeSeconds * 1000;
    const mintedAt = performance.now();
    const origin = secretId === undefined ? {} : { secretId };
    const record = { accountId, applicationId, digest: tokenDigest(token), lifetimeMs, ...origin };
    await this.store.saveToken(record, policy, this.config.tokens.maxLivePerApplication);
    const revoke = () => this.store.revoke(policy, record.digest);
    try {
      await reauthorize?.();
    } catch (error) {
      await revoke();
      throw error;
    }
    const now = await this.applications.policyNow(policy.clientId, secretId);
    if (!now) {
      await revoke();
      return undefined;
    }
    if (!isDeepStrictEqual(now, policy)) await this.policies.publish(policy.applicationId);
    // The remaining lifetime at the time of the answer, rounded up but never more than the full lifetime.
    return { token, expiresInSeconds: Math.ceil((lifetimeMs - (performance.now() - mintedAt)) / 1000) };
  }

  /** The owner that a token names, relative to an application. Doesn't call the store. */
  claim(policy: ApplicationPolicy, token: string): TokenClaim {
    const parsed = parseToken(token);
    if (!parsed || parsed.environment !== policy.environment) return { kind: 'unknown' };
    return parsed.applicationId === policy.applicationId && parsed.accountId === policy.accountId
      ? { kind: 'own', parsed }
      : { kind: 'foreign' };
  }

  /** Revokes a token on every gateway. Does nothing if it is not active. */
  async revoke(parsed: ParsedToken): Promise<void> {
    await this.store.revoke(parsed, parsed.digest);
  }

  /** When a token expires, in epoch milliseconds; undefined if it is not active. */
  async expiry(parsed: ParsedToken): Promise<number | undefined> {
    return (await this.store.inspect(parsed, parsed.digest))?.expiresAtMs;
  }
}
