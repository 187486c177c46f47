import { lookup } from 'node:dns/promises';
import { Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from '../../config/redis-url.js';

/**
 * The longest pause between two attempts to reach the master. Each attempt asks the next Sentinel: the one that leads a
 * failover knows the new master up to 2 s before the others.
 */
const PAUSE_MS = 100;
/** A Sentinel that can't be reached is tried again after this time. */
const SENTINEL_AGAIN_MS = 1_000;
const SWITCHED = '+switch-master';

/** A client for the server that Sentinels name, not connected yet. `common` are the options of any server. */
export function sentinelClient(
  address: Extract<RedisAddress, { kind: 'sentinel' }>,
  common: RedisOptions & { readonly commandTimeout: number },
): Redis {
  const { nodes, master, database, tls, username, password, sentinelUsername, sentinelPassword } = address;
  const client = new Redis({
    ...common,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    sentinels: nodes.map((node) => ({ ...node })),
    name: master,
    db: database,
    retryStrategy: (attempt) => Math.min(50 * attempt, PAUSE_MS),
    sentinelRetryStrategy: (attempt) => Math.min(50 * attempt, 500),
    sentinelCommandTimeout: Math.max(1_000, common.commandTimeout),
  });
  client.once('connecting', () => followSwitches(client, address));
  return client;
}

/**
 * Leaves the server that the client is connected or connecting to when a Sentinel names another master, for example because
 * the server hangs. Each Sentinel does so once per failover, some a second after the others, so the client often is where it
 * should be. ioredis's own detector closes that connection as well, and ends the client for good if it is just connecting.
 */
function followSwitches(client: Redis, { nodes, master, tls, ...address }: Parameters<typeof sentinelClient>[0]): void {
  const connections = nodes.map((node) => {
    const sentinel = new Redis({
      ...node,
      ...(address.sentinelUsername === undefined ? {} : { username: address.sentinelUsername }),
      ...(address.sentinelPassword === undefined ? {} : { password: address.sentinelPassword }),
      ...(tls ? { tls: {} } : {}),
      enableReadyCheck: false,
      maxRetriesPerRequest: null,
      retryStrategy: () => SENTINEL_AGAIN_MS,
    });
    // The client itself reports what it can't reach.
    sentinel.on('error', () => undefined);
    sentinel.subscribe(SWITCHED).catch(() => undefined);
    sentinel.on('message', (_channel: string, text: string) => {
      const [name, , , host, port] = text.split(' ');
      if (name === master) void leaveUnless(client, host ?? '', Number(port));
    });
    return sentinel;
  });
  client.once('closed', () => {
    for (const sentinel of connections) sentinel.disconnect();
  });
}

/** Leaves unless the connection is to `host`: an address or, with `announce-hostnames`, a name. If that can't be resolved, it leaves. */
async function leaveUnless(client: Redis, host: string, port: number): Promise<void> {
  const addresses = await lookup(host, { all: true }).catch(() => []);
  const { remoteAddress, remotePort } = client.stream ?? {};
  const isThere = remotePort === port && addresses.some(({ address }) => address === remoteAddress);
  if (!isThere) client.disconnect(true);
}
