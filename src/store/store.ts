import type { LimitDecision, LimitRate } from './gcra.js';

/** Whose a token is: `acc_…` and `app_…`. */
export interface TokenOwner {
  readonly accountId: string;
  readonly applicationId: string;
}

/** A limit of config/tiers.yaml. */
export interface TierLimit extends LimitRate {
  readonly perDay?: number;
  readonly concurrent?: number;
}

/** What an application may do, as every gateway process reads it on each request. Written at each token call and by changes of ops. */
export interface ApplicationPolicy extends TokenOwner {
  readonly clientId: string;
  readonly environment: 'sandbox' | 'production';
  readonly limits: { readonly application: TierLimit; readonly account?: TierLimit; readonly token?: TierLimit };
  /** Ids of the products it has subscribed to. */
  readonly products: readonly string[];
  /** Scenario applied to its sandbox calls when the call names none. */
  readonly defaultScenario?: string;
}

/** Answer to one API call: unknown token, or its application with the limit's decision (already counted when allowed). */
export type Admission =
  | { readonly known: false }
  | { readonly known: true; readonly policy: ApplicationPolicy; readonly expiresAtMs: number; readonly decision: LimitDecision };

export interface TokenRecord extends TokenOwner {
  /** SHA-256 of the token, base64url: the token itself is nowhere kept. */
  readonly digest: string;
  readonly lifetimeMs: number;
}

/**
 * Tokens and limits, shared by all gateway processes. Each method is one atomic round trip. Every method rejects with
 * StoreUnavailableError when the store cannot answer in time. Two implementations, one contract suite (store.contract.ts).
 */
export interface Store {
  /** Keeps a token and the application's policy; beyond `maxLive` live tokens the oldest are revoked. */
  saveToken(token: TokenRecord, policy: ApplicationPolicy, maxLive: number): Promise<void>;
  /** Replaces the policy of an application; its live tokens obey at once. */
  savePolicy(policy: ApplicationPolicy): Promise<void>;
  /** Token check and limit in one: an unknown or expired token costs nothing. */
  admit(owner: TokenOwner, digest: string, cost: number): Promise<Admission>;
  /** A live token and its policy, without counting; undefined = not live. */
  inspect(owner: TokenOwner, digest: string): Promise<{ policy: ApplicationPolicy; expiresAtMs: number } | undefined>;
  /** Ends a token; false = it was not live. */
  revoke(owner: TokenOwner, digest: string): Promise<boolean>;
  /** Ends all tokens of an application; says how many. */
  revokeAll(owner: TokenOwner): Promise<number>;
  /** A limit of its own under `key` (the token operation). */
  take(key: string, rate: LimitRate, cost: number): Promise<LimitDecision>;
  /** Resolves when the store answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The store did not answer (ruling 26: the gateway fails closed with 503). */
export class StoreUnavailableError extends Error {
  constructor(options?: ErrorOptions) {
    super('the token store does not answer', options);
    this.name = 'StoreUnavailableError';
  }
}
