import { callIds } from '../call-ids.js';
import { gcra, type LimitRate, type RateDecision, rateDecision, windowUs } from '../gcra.js';
import { charge, holdsPlace, LIMIT_NAMES, type LimitName, type Usage, unused } from '../limits.js';
import {
  type Admission,
  type ApplicationPolicy,
  type CallPlace,
  type LiveToken,
  type Mark,
  MOST_SESSIONS,
  type Session,
  type Store,
  type TokenOwner,
  type TokenRecord,
} from '../store.js';

interface Account {
  readonly usage: Usage;
  readonly applications: Map<string, Application>;
}

interface Application {
  policy: ApplicationPolicy;
  readonly usage: Usage;
  /** By digest, oldest first: a Map keeps insertion order, and all tokens have the same lifetime. */
  readonly tokens: Map<string, Token>;
}

interface Token {
  readonly expiresAtMs: number;
  readonly secretId: string | undefined;
  readonly usage: Usage;
}

interface KeptSession {
  readonly session: Session;
  readonly endsAtMs: number;
}

/** An active token with its application and account. */
interface Found {
  readonly application: Application;
  readonly expiresAtMs: number;
  readonly usages: Readonly<Record<LimitName, Usage>>;
}

/**
 * The store in the memory of this process, for trying the gateway out and for tests. Nothing survives a restart or is
 * shared. `leaseMs`: after this time a call counts as finished. `now` returns epoch milliseconds.
 */
export class MemoryStore implements Store {
  readonly #accounts = new Map<string, Account>();
  readonly #limits = new Map<string, number>();
  /** Account → digest → session and its expiry. */
  readonly #sessions = new Map<string, Map<string, KeptSession>>();
  /** Board → mark → its expiry. */
  readonly #boards = new Map<string, Map<string, number>>();
  readonly #nextCallId = callIds();

  constructor(
    private readonly leaseMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  async saveToken(token: TokenRecord, policy: ApplicationPolicy, maxLive: number): Promise<void> {
    const { tokens } = this.#keep(policy);
    const now = this.now();
    for (const [digest, { expiresAtMs }] of tokens) if (expiresAtMs <= now) tokens.delete(digest);
    tokens.set(token.digest, { expiresAtMs: now + token.lifetimeMs, secretId: token.secretId, usage: unused() });
    for (const digest of tokens.keys()) {
      if (tokens.size <= maxLive) break;
      tokens.delete(digest);
    }
  }

  async savePolicy(policy: ApplicationPolicy): Promise<void> {
    const application = this.#application(policy);
    if (application) application.policy = policy;
  }

  async admit(owner: TokenOwner, digest: string, cost: number): Promise<Admission> {
    const found = this.#find(owner, digest);
    if (!found) return { known: false };
    const { application, expiresAtMs, usages } = found;
    const { policy } = application;
    const callId = this.#nextCallId();
    const decision = charge(policy.limits, usages, { nowUs: this.now() * 1000, cost, callId, leaseMs: this.leaseMs });
    const admission = { known: true, policy, expiresAtMs, decision } as const;
    if (!decision.allowed || !holdsPlace(policy.limits)) return admission;
    const { accountId, applicationId } = owner;
    return { ...admission, place: { accountId, applicationId, digest, callId } };
  }

  async release(place: CallPlace): Promise<void> {
    const usages = this.#find(place, place.digest)?.usages ?? this.#usagesAbove(place);
    for (const name of LIMIT_NAMES) usages[name]?.underWay.delete(place.callId);
  }

  async inspect(owner: TokenOwner, digest: string): Promise<LiveToken | undefined> {
    const found = this.#find(owner, digest);
    return found && { policy: found.application.policy, expiresAtMs: found.expiresAtMs };
  }

  async revoke(owner: TokenOwner, digest: string): Promise<boolean> {
    const isLive = this.#find(owner, digest) !== undefined;
    this.#application(owner)?.tokens.delete(digest);
    return isLive;
  }

  async revokeAll(owner: TokenOwner, secretId?: string): Promise<number> {
    const tokens = this.#application(owner)?.tokens ?? new Map<string, Token>();
    const now = this.now();
    let count = 0;
    for (const [digest, token] of tokens) {
      if (secretId !== undefined && token.secretId !== undefined && token.secretId !== secretId) continue;
      if (token.expiresAtMs > now) count += 1;
      tokens.delete(digest);
    }
    return count;
  }

  async take(name: string, rate: LimitRate, cost: number, accountId = ''): Promise<RateDecision> {
    const key = `${name} ${accountId}`;
    const nowUs = this.now() * 1000;
    if (this.#limits.size >= 10_000)
      for (const [old, tatUs] of this.#limits) if (tatUs <= nowUs) this.#limits.delete(old);
    // Usage never exceeds one burst, even if the clock was set back or the limit was lowered.
    const kept = Math.min(this.#limits.get(key) ?? 0, nowUs + windowUs(rate));
    const { allowed, tatUs, usedUs, waitUs } = gcra(kept, nowUs, rate, cost);
    this.#limits.set(key, tatUs);
    return rateDecision(rate, allowed, usedUs, waitUs);
  }

  async saveSession(digest: string, session: Session, idleMs: number): Promise<void> {
    const sessions = this.#sessions.get(session.accountId) ?? new Map<string, KeptSession>();
    this.#sessions.set(session.accountId, sessions);
    const now = this.now();
    for (const [other, { endsAtMs }] of sessions) if (endsAtMs <= now) sessions.delete(other);
    sessions.set(digest, { session, endsAtMs: now + idleMs });
    if (sessions.size <= MOST_SESSIONS) return;
    const others = [...sessions].filter(([other]) => other !== digest);
    const [first] = others.reduce((one, other) => (other[1].endsAtMs < one[1].endsAtMs ? other : one));
    sessions.delete(first);
  }

  async readSession(accountId: string, digest: string, idleMs?: number): Promise<Session | undefined> {
    const found = this.#sessions.get(accountId)?.get(digest);
    if (!found || found.endsAtMs <= this.now()) return undefined;
    if (idleMs !== undefined) await this.saveSession(digest, found.session, idleMs);
    return found.session;
  }

  async endSession(accountId: string, digest: string): Promise<boolean> {
    return this.#sessions.get(accountId)?.delete(digest) ?? false;
  }

  async endSessions(accountId: string): Promise<void> {
    this.#sessions.delete(accountId);
  }

  async mark(board: string, marks: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Mark>> {
    const now = this.now();
    const ends = this.#boards.get(board) ?? new Map<string, number>();
    this.#boards.set(board, ends);
    for (const [name, ms] of marks) ends.set(name, Math.max(ends.get(name) ?? 0, now + Math.ceil(ms)));
    for (const [name, endsAtMs] of ends) if (endsAtMs <= now) ends.delete(name);
    return new Map([...ends].map(([name, endsAtMs]) => [name, { endsAtMs, leftMs: endsAtMs - now }]));
  }

  get failedMs(): number {
    return Number.NEGATIVE_INFINITY;
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {
    this.#accounts.clear();
    this.#limits.clear();
    this.#sessions.clear();
    this.#boards.clear();
  }

  #keep(policy: ApplicationPolicy): Application {
    const account = this.#accounts.get(policy.accountId) ?? {
      usage: unused(),
      applications: new Map<string, Application>(),
    };
    this.#accounts.set(policy.accountId, account);
    const application = account.applications.get(policy.applicationId) ?? {
      policy,
      usage: unused(),
      tokens: new Map<string, Token>(),
    };
    account.applications.set(policy.applicationId, application);
    application.policy = policy;
    return application;
  }

  #application({ accountId, applicationId }: TokenOwner): Application | undefined {
    return this.#accounts.get(accountId)?.applications.get(applicationId);
  }

  #find(owner: TokenOwner, digest: string): Found | undefined {
    const account = this.#accounts.get(owner.accountId);
    const application = account?.applications.get(owner.applicationId);
    const token = application?.tokens.get(digest);
    if (!account || !application || !token || token.expiresAtMs <= this.now()) return undefined;
    const usages = { account: account.usage, application: application.usage, token: token.usage };
    return { application, expiresAtMs: token.expiresAtMs, usages };
  }

  /** The token may have been revoked while the call was in progress. */
  #usagesAbove(owner: TokenOwner): Partial<Record<LimitName, Usage>> {
    const account = this.#accounts.get(owner.accountId);
    const application = account?.applications.get(owner.applicationId);
    return { ...(account && { account: account.usage }), ...(application && { application: application.usage }) };
  }
}
