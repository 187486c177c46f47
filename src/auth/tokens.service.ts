import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { ApplicationPolicy, Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { ApplicationsService } from './applications.service.js';
import { mintToken, type ParsedToken, parseToken, tokenDigest } from './credentials.js';
import { PolicyUpdates } from './policy-updates.js';

/** A token just minted. */
export interface IssuedToken {
  readonly token: string;
  /** What is left of its life, whole seconds. */
  readonly expiresInSeconds: number;
}

/** What a client asks about a token: `own` and `foreign` by what stands in it, `unknown` when it is none of ours or of the other environment. */
export type TokenClaim =
  | { readonly kind: 'own'; readonly parsed: ParsedToken }
  | { readonly kind: 'foreign' | 'unknown' };

/** Mints, ends and looks up access tokens (ruling 11). Every method rejects with StoreUnavailableError when the store is away. */
@Injectable()
export class TokensService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
    private readonly applications: ApplicationsService,
    private readonly policies: PolicyUpdates,
  ) {}

  /**
   * A fresh token for the application; beyond the cap its oldest one ends. Undefined = the application or the secret (absent = none was used) was
   * ended meanwhile. Asked again after the token is stored: a change made before is seen here, one made after ends the token itself.
   */
  async issue(policy: ApplicationPolicy, secretId?: string): Promise<IssuedToken | undefined> {
    const { accountId, applicationId, environment } = policy;
    const token = mintToken(policy, environment);
    const lifetimeMs = this.config.tokens.lifetimeSeconds * 1000;
    const mintedAt = performance.now();
    const record = { accountId, applicationId, digest: tokenDigest(token), lifetimeMs };
    await this.store.saveToken(record, policy, this.config.tokens.maxLivePerApplication);
    const now = await this.applications.policyNow(policy.clientId, secretId);
    if (!now) {
      await this.store.revoke(policy, record.digest);
      return undefined;
    }
    if (!isDeepStrictEqual(now, policy)) await this.policies.publish(policy.applicationId);
    // What is left when answered: rounded up so that it is never more than the lifetime nor less by rounding alone.
    return { token, expiresInSeconds: Math.ceil((lifetimeMs - (performance.now() - mintedAt)) / 1000) };
  }

  /** Whose a token claims to be, seen from an application; asks no store. */
  claim(policy: ApplicationPolicy, token: string): TokenClaim {
    const parsed = parseToken(token);
    if (!parsed || parsed.environment !== policy.environment) return { kind: 'unknown' };
    return parsed.applicationId === policy.applicationId && parsed.accountId === policy.accountId
      ? { kind: 'own', parsed }
      : { kind: 'foreign' };
  }

  /** Ends a token on every gateway; one that is not live is no error. */
  async revoke(parsed: ParsedToken): Promise<void> {
    await this.store.revoke(parsed, parsed.digest);
  }

  /** When a token ends, epoch ms; undefined = it is not live. */
  async expiry(parsed: ParsedToken): Promise<number | undefined> {
    return (await this.store.inspect(parsed, parsed.digest))?.expiresAtMs;
  }
}
