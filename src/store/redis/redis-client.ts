import { Cluster, Command, Redis } from 'ioredis';
import { parseRedisUrl, type RedisAddress } from '../../config/redis-url.js';
import { sentinelClient } from './sentinel-client.js';

/** How a cluster is followed: every second, and whenever a command fails on the way. */
const SLOTS_REFRESH_MS = 1_000;
const SLOTS_TIMEOUT_MS = 500;
/** A command of a cluster is sent again so often, after so long, before it fails: docs/cluster.md#redis. */
const MOST_REDIRECTIONS = 6;
const RETRY_MS = 50;
/** Errors are reported at most this often, because each command may meet a node that is down. */
const REPORT_MS = 1_000;
/** What a server answers that is the primary no more: the URL may lead to another one by now. The rightful one can answer NOREPLICAS. */
const FORMER_PRIMARY = /\b(?:READONLY|MASTERDOWN)\b/;
/** Such a server is left at most this often: the URL may still lead to it, and then its answer says more than no connection. */
const LEAVE_MS = 1_000;

/** Settings of a connection to Redis. */
export interface RedisClientOptions {
  /** If a command takes longer, it rejects. */
  readonly commandTimeoutMs: number;
  /** Called when a connection fails, at most once per second. */
  readonly onError: (error: Error) => void;
}

/** The commands that the store uses, on one server or a cluster. */
export type RedisClient = Redis | Cluster;

/**
 * A client for any form of `REDIS_URL`, not connected yet. Commands fail instead of waiting for a connection. Throws for a
 * malformed URL.
 *
 * A server (also one found by Sentinels) gets all commands of one event-loop tick in one write. A cluster gets them one by
 * one: ioredis follows MOVED and ASK for single commands, but for a mixed pipeline it neither follows them nor updates its
 * slots (docs/decisions/0041-redis-cluster.md).
 */
export function redisClient(url: string, options: RedisClientOptions): RedisClient {
  const address = parseRedisUrl(url);
  const client = address.kind === 'cluster' ? clusterOf(address, options) : serverOf(address, options);
  const isReportDue = atMostEvery(REPORT_MS);
  const report = (error: Error): void => {
    if (isReportDue()) options.onError(error);
  };
  client.on('error', report);
  client.on('node error', report);
  client.on('end', () => revive(client));
  return client;
}

const closed = new WeakSet<RedisClient>();

/** Ends the connections of a client for good. */
export function closeRedis(client: RedisClient): void {
  closed.add(client);
  client.disconnect();
  client.emit('closed');
}

/** A client that the gateway has not closed goes on: ioredis ends one for good that has to leave a server while it is connecting. */
function revive(client: RedisClient): void {
  const again = (): void => {
    // If this fails, `end` or the client's own attempts follow.
    if (!closed.has(client)) void client.connect().catch(() => undefined);
  };
  if (!closed.has(client)) setTimeout(again, RETRY_MS);
}

function serverOf(
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  { commandTimeoutMs }: RedisClientOptions,
): Redis {
  const isLeavingDue = atMostEvery(LEAVE_MS);
  const common = {
    ...connectionOptions(commandTimeoutMs),
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt: number) => Math.min(50 * attempt, 1_000),
    // The connection itself stays open and answers, so nothing else would replace it.
    reconnectOnError: ({ message }: Error) => FORMER_PRIMARY.test(message) && isLeavingDue(),
    lazyConnect: true,
  };
  return address.kind === 'single' ? new Redis(address.url, common) : sentinelClient(address, common);
}

function clusterOf(
  { nodes, tls, username, password }: Extract<RedisAddress, { kind: 'cluster' }>,
  { commandTimeoutMs }: RedisClientOptions,
): Cluster {
  return new Cluster(
    nodes.map((node) => ({ ...node })),
    {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRedirections: MOST_REDIRECTIONS,
      retryDelayOnFailover: RETRY_MS,
      retryDelayOnTryAgain: RETRY_MS,
      // The slots of a node that is down: the caller gets 503 without waiting.
      retryDelayOnClusterDown: 0,
      slotsRefreshInterval: SLOTS_REFRESH_MS,
      slotsRefreshTimeout: SLOTS_TIMEOUT_MS,
      clusterRetryStrategy: (attempt) => Math.min(50 * attempt, 500),
      redisOptions: { ...connectionOptions(commandTimeoutMs), ...loginOptions({ username, password, tls }) },
    },
  );
}

function connectionOptions(commandTimeoutMs: number) {
  return {
    commandTimeout: commandTimeoutMs,
    connectTimeout: Math.max(1_000, commandTimeoutMs),
    // Without a word for so long while commands wait, the connection is replaced: its other end may be gone.
    socketTimeout: Math.max(2_000, 2 * commandTimeoutMs),
  };
}

function loginOptions(login: { username?: string | undefined; password?: string | undefined; tls: boolean }) {
  const { username, password, tls } = login;
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  };
}

function atMostEvery(ms: number): () => boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - lastMs < ms) return false;
    lastMs = performance.now();
    return true;
  };
}

/** How many tags are tried for a master with few slots. With so many, a slot is missed once in a million. */
const MOST_TAGS = 250_000;
/** Slot → a hash tag in it. Grows as tags are tried. */
const tagsBySlot = new Map<number, string>();
let tagsTried = 0;

/**
 * Hash tags of which each master of the cluster has at least one, by the slots that the client knows; on one server, one.
 * Throws if a slot has no master.
 */
export function tagsOfMasters(client: RedisClient): readonly string[] {
  if (client instanceof Redis) return ['ping_0'];
  const slotOf = new Map<string, number>();
  for (let slot = 0; slot < 16_384; slot += 1) {
    const master = client.slots[slot]?.[0];
    if (master === undefined) throw new Error(`slot ${slot} of the Redis Cluster has no master`);
    if (!slotOf.has(master) || (!tagsBySlot.has(slotOf.get(master) ?? -1) && tagsBySlot.has(slot)))
      slotOf.set(master, slot);
  }
  const known = (slot: number): boolean => tagsBySlot.has(slot);
  while (tagsTried < MOST_TAGS && ![...slotOf.values()].every(known)) {
    const tag = `ping_${tagsTried}`;
    const slot = new Command('get', [tag]).getSlot() ?? 0;
    if (!tagsBySlot.has(slot)) tagsBySlot.set(slot, tag);
    tagsTried += 1;
    const master = client.slots[slot]?.[0];
    if (master !== undefined && !known(slotOf.get(master) ?? -1)) slotOf.set(master, slot);
  }
  return [...slotOf.values()].flatMap((slot) => tagsBySlot.get(slot) ?? []);
}
