import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { type LimitDecision, type LimitRate, limitDecision } from '../gcra.js';
import { type Admission, type ApplicationPolicy, type Store, StoreUnavailableError, type TokenOwner, type TokenRecord } from '../store.js';
import { ADMIT, INSPECT, REVOKE, REVOKE_ALL, SAVE_POLICY, SAVE_TOKEN, TAKE } from './scripts.js';

const PREFIX = 'forecourt';
const sha1 = new Map(
  [ADMIT, TAKE, SAVE_TOKEN, SAVE_POLICY, INSPECT, REVOKE, REVOKE_ALL].map((script) => [
    script,
    createHash('sha1').update(script).digest('hex'),
  ]),
);

/**
 * The store on Redis: one EVALSHA a call, calls of one event-loop tick go out in one write (ioredis auto-pipelining). It reconnects by
 * itself; while Redis is away every call rejects at once with StoreUnavailableError.
 */
export class RedisStore implements Store {
  readonly #redis: Redis;
  /** Policy JSON → parsed, so that an unchanged policy is parsed once; emptied when it grows over 10,000. */
  readonly #policies = new Map<string, ApplicationPolicy>();

  constructor(url: string, { commandTimeoutMs, onError }: { commandTimeoutMs: number; leaseMs: number; onError: (error: Error) => void }) {
    this.#redis = new Redis(url, {
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: commandTimeoutMs,
      connectTimeout: Math.max(1_000, commandTimeoutMs),
      retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
      lazyConnect: true,
    });
    this.#redis.on('error', onError);
  }

  /** Connects once; a Redis that is away at the start is not fatal: the error goes to `onError`, calls reject until ioredis has reached it. */
  async connect(): Promise<void> {
    await this.#redis.connect().catch(() => undefined);
  }

  async saveToken(token: TokenRecord, policy: ApplicationPolicy, maxLive: number): Promise<void> {
    const tag = tagOf(token);
    const { perMinute, burst } = policy.limits.application;
    const keys = [`${tag}:token:${token.digest}`, `${tag}:policy`, `${tag}:live`];
    await this.#run(SAVE_TOKEN, keys, [token.lifetimeMs, JSON.stringify(policy), perMinute, burst, maxLive, `${tag}:token:`, token.digest]);
  }

  async savePolicy(policy: ApplicationPolicy): Promise<void> {
    const { perMinute, burst } = policy.limits.application;
    await this.#run(SAVE_POLICY, [`${tagOf(policy)}:policy`], [JSON.stringify(policy), perMinute, burst]);
  }

  async admit(owner: TokenOwner, digest: string, cost: number): Promise<Admission> {
    const tag = tagOf(owner);
    const reply = (await this.#run(ADMIT, [`${tag}:token:${digest}`, `${tag}:policy`, `${tag}:limit`], [cost])) as
      | [number, string, string, string, string]
      | null;
    if (reply === null) return { known: false };
    const policy = this.#policy(reply[2]);
    const decision = limitDecision(policy.limits.application, reply[0] === 1, Number(reply[3]), Number(reply[4]));
    return { known: true, policy, expiresAtMs: Number(reply[1]), decision };
  }

  async inspect(owner: TokenOwner, digest: string) {
    const tag = tagOf(owner);
    const reply = (await this.#run(INSPECT, [`${tag}:token:${digest}`, `${tag}:policy`], [])) as [string, string] | null;
    return reply === null ? undefined : { policy: this.#policy(reply[1]), expiresAtMs: Number(reply[0]) };
  }

  async revoke(owner: TokenOwner, digest: string): Promise<boolean> {
    const tag = tagOf(owner);
    return (await this.#run(REVOKE, [`${tag}:token:${digest}`, `${tag}:live`], [digest])) === 1;
  }

  async revokeAll(owner: TokenOwner): Promise<number> {
    const tag = tagOf(owner);
    return Number(await this.#run(REVOKE_ALL, [`${tag}:live`], [`${tag}:token:`]));
  }

  async take(key: string, rate: LimitRate, cost: number): Promise<LimitDecision> {
    const reply = (await this.#run(TAKE, [`${PREFIX}:{${key}}:limit`], [rate.perMinute, rate.burst, cost])) as [number, string, string];
    return limitDecision(rate, reply[0] === 1, Number(reply[1]), Number(reply[2]));
  }

  async ping(): Promise<void> {
    await this.#redis.ping().catch(unavailable);
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  async #run(script: string, keys: string[], values: (string | number)[]): Promise<unknown> {
    try {
      return await this.#redis.evalsha(sha1.get(script) ?? '', keys.length, ...keys, ...values);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) return unavailable(error);
      return await this.#redis.eval(script, keys.length, ...keys, ...values).catch(unavailable);
    }
  }

  #policy(json: string): ApplicationPolicy {
    const known = this.#policies.get(json);
    if (known) return known;
    if (this.#policies.size >= 10_000) this.#policies.clear();
    const policy = JSON.parse(json) as ApplicationPolicy;
    this.#policies.set(json, policy);
    return policy;
  }
}

function tagOf({ accountId, applicationId }: TokenOwner): string {
  return `${PREFIX}:{${accountId}}:${applicationId}`;
}

function unavailable(error: unknown): never {
  throw new StoreUnavailableError({ cause: error });
}
