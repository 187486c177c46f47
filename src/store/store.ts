import type { LimitRate, RateDecision } from './gcra.js';
import type { LimitDecision, PolicyLimits } from './limits.js';

/**
 * The account (`acc_…`) and application (`app_…`) of a token. All data of an account is in one hash slot, so that one
 * atomic step can use all of it.
 */
export interface TokenOwner {
  readonly accountId: string;
  readonly applicationId: string;
}

/**
 * What an application may do. Every gateway reads it on each request. It is written by each token call and when an
 * operator or developer changes the application.
 */
export interface ApplicationPolicy extends TokenOwner {
  readonly clientId: string;
  readonly environment: 'sandbox' | 'production';
  /** Every application's policy contains the limits of its account, so a change must be saved for all of them. */
  readonly limits: PolicyLimits;
  /** Ids of its subscribed products. */
  readonly products: readonly string[];
  /** Scenario of its sandbox calls that don't set one. */
  readonly defaultScenario?: string;
  /** Web origins whose pages may read answers, not empty. Absent = none. */
  readonly allowedOrigins?: readonly string[];
}

/** An active token: its application's policy and its expiry in epoch milliseconds. */
export interface LiveToken {
  readonly policy: ApplicationPolicy;
  readonly expiresAtMs: number;
}

/** The slot of one concurrent call, returned by `release`. */
export interface CallPlace extends TokenOwner {
  readonly digest: string;
  readonly callId: string;
}

/**
 * The result of one API call's check: the token is unknown, or its policy and the decision of the limits (already
 * charged if allowed).
 */
export type Admission =
  | { readonly known: false }
  | (LiveToken & {
      readonly known: true;
      readonly decision: LimitDecision;
      /** Only if the call was allowed and a limit has `concurrent`. */
      readonly place?: CallPlace;
    });

export interface TokenRecord extends TokenOwner {
  /** SHA-256 of the token, base64url. The token itself isn't stored. */
  readonly digest: string;
  readonly lifetimeMs: number;
  /** The client secret that it was issued for; absent = requested by the account's owner without one. */
  readonly secretId?: string;
}

/** A login to the portal. */
export interface Session {
  readonly accountId: string;
  readonly createdAtMs: number;
  /** When the password was last entered, for pages that require a recent password check. */
  readonly confirmedAtMs: number;
  /** Only the password was entered so far: the session grants nothing until the code of the second factor is entered. */
  readonly awaitsCode?: true;
  /** The account's `sessions_generation` when it began. If the account has another one, the session was revoked. */
  readonly generation: number;
}

/** A mark that all gateways see. */
export interface Mark {
  /** Epoch milliseconds by the store's clock, and therefore the same for all gateways. */
  readonly endsAtMs: number;
  readonly leftMs: number;
}

/** Sessions of an account at the same time. */
export const MOST_SESSIONS = 20;

/**
 * Tokens, limits and sessions, shared by all gateway processes. Each method is one atomic round trip and rejects with
 * StoreUnavailableError if the store doesn't answer in time. Both implementations pass one contract suite
 * (store.contract.ts).
 */
export interface Store {
  /**
   * Stores a token and the application's policy. If the application has more than `maxLive` active tokens, the oldest
   * are revoked.
   */
  saveToken(token: TokenRecord, policy: ApplicationPolicy, maxLive: number): Promise<void>;
  /**
   * Replaces the policy of an application, with immediate effect on its active tokens. Usage that was already charged
   * stays charged.
   */
  savePolicy(policy: ApplicationPolicy): Promise<void>;
  /**
   * Checks a token and all limits, and charges `cost` (an integer, at least 1) to all limits or to none. An unknown
   * token costs nothing.
   */
  admit(owner: TokenOwner, digest: string, cost: number): Promise<Admission>;
  /** Frees the slot of a call. A slot that is never released is freed when its lease expires. */
  release(place: CallPlace): Promise<void>;
  /** Reads an active token without charging anything; undefined = not active. */
  inspect(owner: TokenOwner, digest: string): Promise<LiveToken | undefined>;
  /** Revokes a token; false = it wasn't active. */
  revoke(owner: TokenOwner, digest: string): Promise<boolean>;
  /**
   * Revokes all tokens of an application and returns how many were active. With `secretId`, the tokens that were issued
   * for other secrets stay; those that were issued for a session, and so for no secret, are revoked.
   */
  revokeAll(owner: TokenOwner, secretId?: string): Promise<number>;
  /**
   * Charges a separate limit with this key, such as that of the token operation. With cost 0, only reads `remaining`; a negative cost
   * gives back what was charged. With `accountId`, it is a limit of that account and kept with its other data.
   */
  take(key: string, rate: LimitRate, cost: number, accountId?: string): Promise<RateDecision>;
  /**
   * Stores or replaces the session with this digest (SHA-256 of the cookie's secret) for `idleMs`. Beyond MOST_SESSIONS,
   * the other one of the account that would expire first ends.
   */
  saveSession(digest: string, session: Session, idleMs: number): Promise<void>;
  /** Reads a session, and renews its lifetime if `idleMs` is given; undefined if it expired or never existed. */
  readSession(accountId: string, digest: string, idleMs?: number): Promise<Session | undefined>;
  /** Whether there was such a session; of concurrent calls, one gets true. */
  endSession(accountId: string, digest: string): Promise<boolean>;
  /** Ends all sessions of an account. */
  endSessions(accountId: string): Promise<void>;
  /**
   * Sets marks on a board (name → lifetime in milliseconds; the later expiry applies) and returns all its active marks.
   */
  mark(board: string, marks: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Mark>>;
  /**
   * Does what a request does, with a token of its own and on every server that has a part of the data: resolves if a token
   * can be checked and a limit charged for every account.
   */
  ping(): Promise<void>;
  /** When a call last rejected with StoreUnavailableError, by performance.now(); -Infinity = never. */
  readonly failedMs: number;
  close(): Promise<void>;
}

/** The store did not answer, or could not be written; `cause` is its reply (ruling 26: the gateway fails closed with 503). */
export class StoreUnavailableError extends Error {
  constructor(options?: ErrorOptions) {
    super('the token store is unavailable', options);
    this.name = 'StoreUnavailableError';
  }
}
