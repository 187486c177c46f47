import { type KeyScope, pageKeysOf, totalPagesKeys } from '../redis/keys.js';
import { closeRedis, type RedisClient, type RedisClientOptions, redisClient } from '../redis/redis-client.js';
import { StoreUnavailableError } from '../store.js';
import { COUNT_PAGES, DROP_PAGES, FORGET_PAGES, RELIEVE_PAGES, SAVE_PAGES } from './page-scripts.js';
import { bytesOf, type KeptName, type PageBudgets, type PageStore } from './page-store.js';

/** Enough for the default budget of an account full of the smallest searches, 200 of which are dropped in one step. */
const MOST_STEPS = 100;

/**
 * Kept searches in Redis: a hash of parts per search. Has a connection of its own, opened by the first search that is kept: on that of
 * the tokens, every request would wait behind these parts.
 */
export class RedisPages implements PageStore {
  readonly #redis: RedisClient;
  readonly #scope: KeyScope;
  #connecting: Promise<void> | undefined;

  /** Throws if the URL is malformed. */
  constructor(
    url: string,
    private readonly budgets: PageBudgets,
    { environment, ...client }: RedisClientOptions & { readonly environment: KeyScope },
  ) {
    this.#scope = environment;
    this.#redis = redisClient(url, client);
  }

  async save({ owner, searchId }: KeptName, parts: readonly Buffer[], lifetimeMs: number): Promise<boolean> {
    const bytes = bytesOf(parts);
    const { accountBytes, totalBytes } = this.budgets;
    if (bytes > accountBytes || lifetimeMs <= 0) return false;
    const keys = pageKeysOf(this.#scope, owner.accountId);
    const key = keys.search(owner.applicationId, searchId);
    const member = `${key} ${bytes}`;
    const fields = parts.flatMap((part, index) => [String(index), part]);
    const limits = [member, bytes, Math.ceil(lifetimeMs), accountBytes];
    const dropped = await this.#keep([key, keys.list, keys.bytes], limits, fields);
    if (!dropped) return false;
    const counted = [member, bytes, Math.ceil(lifetimeMs), totalBytes];
    if (await this.#count(counted, dropped)) return true;
    await this.#run(DROP_PAGES, [key, keys.list, keys.bytes], [member, bytes]);
    return false;
  }

  async read({ owner, searchId }: KeptName, indices: readonly number[]): Promise<readonly Buffer[] | undefined> {
    await this.#connect();
    const found = await this.#redis
      .hmgetBuffer(
        pageKeysOf(this.#scope, owner.accountId).search(owner.applicationId, searchId),
        ...indices.map(String),
      )
      .catch((cause: unknown) => {
        throw new StoreUnavailableError({ cause });
      });
    const parts = found.flatMap((part) => part ?? []);
    return parts.length === indices.length ? parts : undefined;
  }

  /** Returns the members of those last dropped for it. Undefined: there is no room after all steps. */
  async #keep(
    keys: string[],
    limits: (string | number)[],
    fields: (string | Buffer)[],
  ): Promise<readonly string[] | undefined> {
    let isRoom = true;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      // Parts are sent again only when there is room.
      const isSent = isRoom;
      const answer = await this.#run(SAVE_PAGES, keys, isSent ? [...limits, ...fields] : limits);
      const [fits, dropped] = answer as [number, string[]];
      isRoom = fits === 1;
      if (isRoom && isSent) return dropped;
      if (dropped.length > 0) await this.#run(FORGET_PAGES, totalPagesKeys(this.#scope), dropped);
    }
    return undefined;
  }

  /** Counts a search with those of all accounts, for which those that keep the most may have to drop some. Returns false if there is no room for it. */
  async #count(counted: readonly (string | number)[], dropped: readonly string[]): Promise<boolean> {
    let left = dropped;
    let nothingOf = '';
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const values = [...counted, nothingOf, ...left];
      const answer = await this.#run(COUNT_PAGES, totalPagesKeys(this.#scope), values);
      const [account, bytes] = answer as [account?: string, bytes?: string];
      if (account === undefined || bytes === undefined) return true;
      const keys = pageKeysOf(this.#scope, account);
      left = (await this.#run(RELIEVE_PAGES, [keys.list, keys.bytes], [bytes])) as string[];
      nothingOf = left.length === 0 ? account : '';
      // The search itself was the first to expire.
      if (left.includes(String(counted[0]))) break;
    }
    await this.#run(FORGET_PAGES, totalPagesKeys(this.#scope), [...left]);
    return false;
  }

  async close(): Promise<void> {
    closeRedis(this.#redis);
  }

  async #run(script: string, keys: string[], values: (string | number | Buffer)[]): Promise<unknown> {
    await this.#connect();
    try {
      // Not by its digest: the script is small beside the parts.
      return await this.#redis.eval(script, keys.length, ...keys, ...values);
    } catch (cause) {
      throw new StoreUnavailableError({ cause });
    }
  }

  /** Connects with the first command. If that fails, ioredis goes on trying, and commands reject meanwhile. */
  async #connect(): Promise<void> {
    this.#connecting ??= this.#redis.connect().catch(() => undefined);
    await this.#connecting;
  }
}
