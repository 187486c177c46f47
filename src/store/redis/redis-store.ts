import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { callIds } from '../call-ids.js';
import { type LimitRate, type RateDecision, rateDecision } from '../gcra.js';
import { decide, holdsPlace, LIMIT_KINDS, LIMIT_NAMES, type TierLimit } from '../limits.js';
import {
  type Admission,
  type ApplicationPolicy,
  type CallPlace,
  type LiveToken,
  type Mark,
  type Session,
  type Store,
  StoreUnavailableError,
  type TokenOwner,
  type TokenRecord,
} from '../store.js';
import { boardKey, type KeyScope, keysOf, ownLimitKey, sessionKeysOf } from './keys.js';
import { LostPlaces } from './lost-places.js';
import { closeRedis, type RedisClient, type RedisClientOptions, redisClient, tagsOfMasters } from './redis-client.js';
import {
  ADMIT,
  INSPECT,
  KEEP_SESSION,
  MARK,
  RELEASE,
  REVOKE,
  REVOKE_ALL,
  SAVE_POLICY,
  SAVE_TOKEN,
  TAKE,
} from './scripts.js';

const SCRIPTS = [ADMIT, RELEASE, TAKE, INSPECT, SAVE_TOKEN, SAVE_POLICY, REVOKE, REVOKE_ALL, KEEP_SESSION, MARK];
const sha1 = new Map(SCRIPTS.map((script) => [script, createHash('sha1').update(script).digest('hex')]));

/** The token of a ping. No caller can have it: the digest of a token has 43 characters. */
const PING = { applicationId: 'app_ping', digest: 'ping', lifetimeMs: 60_000 };
const PING_LIMITS = { application: { perMinute: 60_000, burst: 1_000 } };

const NODE_OF_CLUSTER = 'REDIS_URL points to one node of a Redis Cluster: set redis+cluster://host:port instead';

export interface RedisStoreOptions extends RedisClientOptions {
  /** The environment whose data it reads and writes. */
  readonly environment: KeyScope;
  /** The lease of a call: if its gateway crashes, the call counts as ended after this time. */
  readonly leaseMs: number;
}

/**
 * The store on Redis: one EVALSHA per call. The URL names one server, Sentinels or a Redis Cluster (config/redis-url.ts).
 * It reconnects automatically. While the server or the master of a key is unavailable, every call rejects with
 * StoreUnavailableError. If Redis has lost its scripts, they are sent again.
 */
export class RedisStore implements Store {
  readonly #redis: RedisClient;
  readonly #scope: KeyScope;
  readonly #leaseMs: number;
  readonly #lost: LostPlaces;
  readonly #nextCallId = callIds();
  /** Policy JSON → parsed policy, so that an unchanged policy is parsed once. Cleared beyond 10,000 entries. */
  readonly #policies = new Map<string, ApplicationPolicy>();

  /** Whether the URL names one server, and that is a node of a cluster: most keys would be refused. */
  #isNodeOfCluster = false;
  #failedMs = Number.NEGATIVE_INFINITY;

  /** Throws if the URL is malformed. */
  constructor(url: string, { environment, leaseMs, ...client }: RedisStoreOptions) {
    this.#scope = environment;
    this.#leaseMs = leaseMs;
    this.#lost = new LostPlaces((place) => this.#release(place), leaseMs);
    this.#redis = redisClient(url, client);
    if (this.#redis instanceof Redis) this.#redis.on('ready', () => this.#checkMode(client.onError));
  }

  get failedMs(): number {
    return this.#failedMs;
  }

  /**
   * Connects once. If Redis is unavailable at startup, the error goes to `onError` and calls reject until ioredis
   * connects.
   */
  async connect(): Promise<void> {
    await this.#redis.connect().catch(() => undefined);
  }

  async saveToken(token: TokenRecord, policy: ApplicationPolicy, maxLive: number): Promise<void> {
    const keys = keysOf(this.#scope, policy);
    const { lifetimeMs, digest, secretId = '' } = token;
    const values = [lifetimeMs, maxLive, keys.tokenPrefix, digest, secretId, ...policyFields(policy)];
    await this.#run(SAVE_TOKEN, [keys.token(digest), keys.policy, keys.live], values);
  }

  async savePolicy(policy: ApplicationPolicy): Promise<void> {
    await this.#run(SAVE_POLICY, [keysOf(this.#scope, policy).policy], policyFields(policy));
  }

  async admit(owner: TokenOwner, digest: string, cost: number): Promise<Admission> {
    const keys = keysOf(this.#scope, owner);
    const callId = this.#nextCallId();
    const names = [keys.token(digest), keys.policy, ...keys.used(digest), keys.live];
    const place = { accountId: owner.accountId, applicationId: owner.applicationId, digest, callId };
    const reply = (await this.#run(ADMIT, names, [cost, callId, this.#leaseMs, digest]).catch((error: unknown) => {
      this.#lost.add(place);
      throw error;
    })) as AdmitReply | null;
    if (reply === null) return { known: false };
    const [allowed, expires, json, limit, kind, used, waitUs] = reply;
    const policy = this.#policy(json);
    const name = LIMIT_NAMES[limit - 1] ?? 'application';
    const decision = decide(
      policy.limits,
      name,
      LIMIT_KINDS[kind - 1] ?? 'rate',
      allowed === 1,
      Number(used),
      Number(waitUs),
    );
    const admission = { known: true, policy, expiresAtMs: Number.parseInt(expires, 10), decision } as const;
    return decision.allowed && holdsPlace(policy.limits) ? { ...admission, place } : admission;
  }

  async release(place: CallPlace): Promise<void> {
    await this.#release(place).catch((error: unknown) => {
      this.#lost.add(place);
      throw error;
    });
  }

  async #release(place: CallPlace): Promise<void> {
    await this.#run(RELEASE, keysOf(this.#scope, place).underWay(place.digest), [place.callId]);
  }

  async inspect(owner: TokenOwner, digest: string): Promise<LiveToken | undefined> {
    const keys = keysOf(this.#scope, owner);
    const reply = (await this.#run(INSPECT, [keys.token(digest), keys.policy, keys.live], [digest])) as
      | [string, string]
      | null;
    return reply === null ? undefined : { policy: this.#policy(reply[1]), expiresAtMs: Number.parseInt(reply[0], 10) };
  }

  async revoke(owner: TokenOwner, digest: string): Promise<boolean> {
    const keys = keysOf(this.#scope, owner);
    return (await this.#run(REVOKE, [keys.token(digest), keys.live], [digest])) === 1;
  }

  async revokeAll(owner: TokenOwner, secretId = ''): Promise<number> {
    const keys = keysOf(this.#scope, owner);
    return Number(await this.#run(REVOKE_ALL, [keys.live], [keys.tokenPrefix, secretId]));
  }

  async take(key: string, rate: LimitRate, cost: number, accountId?: string): Promise<RateDecision> {
    const keys = [ownLimitKey(this.#scope, key, accountId)];
    const reply = (await this.#run(TAKE, keys, [rate.perMinute, rate.burst, cost])) as [number, string, string];
    return rateDecision(rate, reply[0] === 1, Number(reply[1]), Number(reply[2]));
  }

  async saveSession(digest: string, session: Session, idleMs: number): Promise<void> {
    const keys = sessionKeysOf(this.#scope, session.accountId);
    await this.#run(
      KEEP_SESSION,
      [keys.session(digest), keys.list],
      [JSON.stringify(session), digest, idleMs, keys.prefix],
    );
  }

  async readSession(accountId: string, digest: string, idleMs?: number): Promise<Session | undefined> {
    const keys = sessionKeysOf(this.#scope, accountId);
    const key = keys.session(digest);
    const json = (
      idleMs === undefined
        ? await this.#redis.get(key).catch((error: unknown) => this.#fail(error))
        : await this.#run(KEEP_SESSION, [key, keys.list], ['', digest, idleMs, keys.prefix])
    ) as string | null;
    return json === null ? undefined : (JSON.parse(json) as Session);
  }

  async endSession(accountId: string, digest: string): Promise<boolean> {
    const keys = sessionKeysOf(this.#scope, accountId);
    return (await this.#run(REVOKE, [keys.session(digest), keys.list], [digest])) === 1;
  }

  async endSessions(accountId: string): Promise<void> {
    const keys = sessionKeysOf(this.#scope, accountId);
    await this.#run(REVOKE_ALL, [keys.list], [keys.prefix, '']);
  }

  async mark(board: string, marks: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Mark>> {
    const reply = (await this.#run(MARK, [boardKey(this.#scope, board)], [...marks].flat())) as string[];
    const live = new Map<string, Mark>();
    for (let at = 0; at < reply.length; at += 3)
      live.set(String(reply[at]), { endsAtMs: Number(reply[at + 1]), leftMs: Number(reply[at + 2]) });
    return live;
  }

  async ping(): Promise<void> {
    if (this.#isNodeOfCluster) return this.#fail(new Error(NODE_OF_CLUSTER));
    await Promise.all(this.#tags().map((tag) => this.#admitPing(tag)));
  }

  async close(): Promise<void> {
    this.#lost.close();
    closeRedis(this.#redis);
  }

  #tags(): readonly string[] {
    try {
      return tagsOfMasters(this.#redis);
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** What a request does, with a token of its own. */
  async #admitPing(accountId: string): Promise<void> {
    const { applicationId, ...token } = PING;
    const owner = { accountId, applicationId };
    if ((await this.admit(owner, token.digest, 1)).known) return;
    const policy = { ...owner, clientId: 'ping', environment: this.#scope, limits: PING_LIMITS, products: [] };
    await this.saveToken({ ...owner, ...token }, policy, 1);
    await this.admit(owner, token.digest, 1);
  }

  #checkMode(onError: (error: Error) => void): void {
    if (!(this.#redis instanceof Redis)) return;
    // A user who may not read INFO is not checked.
    const answered = this.#redis.info('cluster').catch(() => '');
    void answered.then((info) => {
      this.#isNodeOfCluster = info.includes('cluster_enabled:1');
      if (this.#isNodeOfCluster) onError(new Error(NODE_OF_CLUSTER));
    });
  }

  async #run(script: string, keys: string[], values: (string | number)[]): Promise<unknown> {
    try {
      return await this.#redis.evalsha(sha1.get(script) ?? '', keys.length, ...keys, ...values);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) return this.#fail(error);
      return await this.#redis
        .eval(script, keys.length, ...keys, ...values)
        .catch((again: unknown) => this.#fail(again));
    }
  }

  #fail(error: unknown): never {
    this.#failedMs = performance.now();
    throw new StoreUnavailableError({ cause: error });
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

/** The reply of the script ADMIT for an active token. `expires` is the token's value (SAVE_TOKEN). */
type AdmitReply = [
  allowed: number,
  expires: string,
  json: string,
  limit: number,
  kind: number,
  used: string,
  waitUs: string,
];

/** The fields and values of a policy's hash: the limits for the scripts, and the complete policy as JSON. */
function policyFields(policy: ApplicationPolicy): string[] {
  return [...LIMIT_NAMES.flatMap((name) => [name, limitText(policy.limits[name])]), 'json', JSON.stringify(policy)];
}

function limitText(limit: TierLimit | undefined): string {
  return limit ? [limit.perMinute, limit.burst, limit.perDay ?? 0, limit.concurrent ?? 0].join(' ') : '';
}
