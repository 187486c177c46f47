import type { LimitRate, RateDecision } from './gcra.js';
import type { LimitDecision, PolicyLimits } from './limits.js';

/**
 * Whose a token is: `acc_…` and `app_…`. Everything of an account lies together, so that one atomic step may touch all
 * of it.
 */
export interface TokenOwner {
  readonly accountId: string;
  readonly applicationId: string;
}

/**
 * What an application may do, as every gateway process reads it on each request. Written at each token call and by
 * changes of ops.
 */
export interface ApplicationPolicy extends TokenOwner {
  readonly clientId: string;
  readonly environment: 'sandbox' | 'production';
  /** Every application's policy contains the limits of its account, so a change must be saved for all of them. */
  readonly limits: PolicyLimits;
  /** Ids of the products it has subscribed to. */
  readonly products: readonly string[];
  /** Scenario applied to its sandbox calls when the call names none. */
  readonly defaultScenario?: string;
}

/** A live token: its application's policy and when it ends, epoch milliseconds. */
export interface LiveToken {
  readonly policy: ApplicationPolicy;
  readonly expiresAtMs: number;
}

/** The place of one call among those under way, to be given back by `release`. */
export interface CallPlace extends TokenOwner {
  readonly digest: string;
  readonly callId: string;
}

/**
 * Answer to one API call: unknown token, or its application with the limits' decision (already counted when allowed).
 */
export type Admission =
  | { readonly known: false }
  | (LiveToken & {
      readonly known: true;
      readonly decision: LimitDecision;
      /** Only where the call was allowed and a limit has `concurrent`. */
      readonly place?: CallPlace;
    });

export interface TokenRecord extends TokenOwner {
  /** SHA-256 of the token, base64url: the token itself is nowhere kept. */
  readonly digest: string;
  readonly lifetimeMs: number;
}

/** A person who is logged in to the portal. */
export interface Session {
  readonly accountId: string;
  readonly createdAtMs: number;
  /** When the password was last given, for what wants a fresh one. */
  readonly confirmedAtMs: number;
}

/** A mark that all gateways see. */
export interface Mark {
  /** Epoch milliseconds by the store's clock: the same for all who ask. */
  readonly endsAtMs: number;
  readonly leftMs: number;
}

/**
 * Tokens, limits and sessions, shared by all gateway processes. Each method is one atomic round trip. Every method
 * rejects with StoreUnavailableError when the store cannot answer in time. Two implementations, one contract suite
 * (store.contract.ts).
 */
export interface Store {
  /**
   * Keeps a token and the application's policy; beyond `maxLive` live tokens of the application the oldest are revoked.
   */
  saveToken(token: TokenRecord, policy: ApplicationPolicy, maxLive: number): Promise<void>;
  /**
   * Replaces the policy of an application, with immediate effect on its active tokens. What was used of its limits
   * stays used.
   */
  savePolicy(policy: ApplicationPolicy): Promise<void>;
  /**
   * Checks a token and all limits: charges either every limit `cost` (an integer from 1) or none. An unknown token
   * costs nothing.
   */
  admit(owner: TokenOwner, digest: string, cost: number): Promise<Admission>;
  /** Ends a call. If it is never released, its place is freed when its lease expires. */
  release(place: CallPlace): Promise<void>;
  /** A live token, without counting anything; undefined = not live. */
  inspect(owner: TokenOwner, digest: string): Promise<LiveToken | undefined>;
  /** Ends a token; false = it was not live. */
  revoke(owner: TokenOwner, digest: string): Promise<boolean>;
  /** Ends all tokens of an application; how many were live. */
  revokeAll(owner: TokenOwner): Promise<number>;
  /**
   * Charges a separate limit under `key` (the token operation). With cost 0, only reads it: `remaining` is what is
   * left.
   */
  take(key: string, rate: LimitRate, cost: number): Promise<RateDecision>;
  /** Keeps or replaces the session of this digest (SHA-256 of the cookie's secret) for `idleMs`. */
  saveSession(digest: string, session: Session, idleMs: number): Promise<void>;
  /** Reads a session and renews its lifetime; undefined if it expired or never existed. */
  readSession(accountId: string, digest: string, idleMs: number): Promise<Session | undefined>;
  endSession(accountId: string, digest: string): Promise<void>;
  /** Ends all sessions of an account. */
  endSessions(accountId: string): Promise<void>;
  /**
   * Sets marks of a board (name → lifetime in milliseconds; the later end applies) and returns all active marks of it.
   */
  mark(board: string, marks: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Mark>>;
  /** Resolves when the store answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The store did not answer (ruling 26: the gateway fails closed with 503). */
export class StoreUnavailableError extends Error {
  constructor(options?: ErrorOptions) {
    super('the token store is unavailable', options);
    this.name = 'StoreUnavailableError';
  }
}
