import { gcra, type LimitDecision, type LimitRate } from '../gcra.js';
import type { Admission, ApplicationPolicy, Store, TokenOwner, TokenRecord } from '../store.js';

interface ApplicationState {
  policy: ApplicationPolicy;
  /** digest → expiry, oldest first (a Map keeps insertion order and every token lives equally long). */
  readonly tokens: Map<string, number>;
  tatUs: number | undefined;
}

/** The store in this process: for the first minutes and tests; nothing survives a restart and nothing is shared. `now` in epoch ms. */
export class MemoryStore implements Store {
  readonly #applications = new Map<string, ApplicationState>();
  readonly #limits = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  async saveToken(token: TokenRecord, policy: ApplicationPolicy, maxLive: number): Promise<void> {
    const state = this.#applications.get(token.applicationId) ?? { policy, tokens: new Map<string, number>(), tatUs: undefined };
    state.policy = policy;
    this.#applications.set(token.applicationId, state);
    const now = this.now();
    for (const [digest, expiresAtMs] of state.tokens) if (expiresAtMs <= now) state.tokens.delete(digest);
    state.tokens.set(token.digest, now + token.lifetimeMs);
    for (const digest of state.tokens.keys()) {
      if (state.tokens.size <= maxLive) break;
      state.tokens.delete(digest);
    }
  }

  async savePolicy(policy: ApplicationPolicy): Promise<void> {
    const state = this.#applications.get(policy.applicationId);
    if (state) state.policy = policy;
  }

  async admit({ applicationId }: TokenOwner, digest: string, cost: number): Promise<Admission> {
    const state = this.#applications.get(applicationId);
    const expiresAtMs = state?.tokens.get(digest);
    const now = this.now();
    if (!state || expiresAtMs === undefined || expiresAtMs <= now) return { known: false };
    const { decision, tatUs } = gcra(state.tatUs, now * 1000, state.policy.limits.application, cost);
    state.tatUs = tatUs;
    return { known: true, policy: state.policy, expiresAtMs, decision };
  }

  async inspect({ applicationId }: TokenOwner, digest: string) {
    const state = this.#applications.get(applicationId);
    const expiresAtMs = state?.tokens.get(digest);
    return state && expiresAtMs !== undefined && expiresAtMs > this.now() ? { policy: state.policy, expiresAtMs } : undefined;
  }

  async revoke({ applicationId }: TokenOwner, digest: string): Promise<boolean> {
    return this.#applications.get(applicationId)?.tokens.delete(digest) ?? false;
  }

  async revokeAll({ applicationId }: TokenOwner): Promise<number> {
    const tokens = this.#applications.get(applicationId)?.tokens;
    const count = tokens?.size ?? 0;
    tokens?.clear();
    return count;
  }

  async take(key: string, rate: LimitRate, cost: number): Promise<LimitDecision> {
    const nowUs = this.now() * 1000;
    if (this.#limits.size >= 10_000) for (const [old, tatUs] of this.#limits) if (tatUs <= nowUs) this.#limits.delete(old);
    const { decision, tatUs } = gcra(this.#limits.get(key), nowUs, rate, cost);
    this.#limits.set(key, tatUs);
    return decision;
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {
    this.#applications.clear();
    this.#limits.clear();
  }
}
