import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Command, Redis } from 'ioredis';
import { findBinary } from './binaries.js';
import { type Child, freePort, startChild } from './child.js';
import { REDIS_READY, redisProgram } from './redis.js';

const run = promisify(execFile);
const SLOTS = 16_384;
const MASTERS = 3;
const WITHIN_MS = 90_000;

/** A redis-server that can be killed and started again on its port. */
export interface RedisProcess {
  readonly port: number;
  start(): Promise<void>;
  /** SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>;
  ask(...words: (string | number)[]): Promise<unknown>;
}

/** Three masters and three replicas, each a real redis-server. */
export interface RedisCluster {
  readonly url: string;
  readonly nodes: readonly RedisProcess[];
  /** The node that serves a slot, once most of the running nodes agree on it. Rejects after 90 s. */
  masterOf(slot: number): Promise<RedisProcess>;
  /** Moves slots from one master to another with redis-cli. */
  reshard(from: RedisProcess, to: RedisProcess, slots: number): Promise<void>;
  /** Waits until all six nodes run, agree, and every master has a replica in sync. Rejects after 90 s. */
  settled(): Promise<void>;
  dispose(): Promise<void>;
}

/** The slot of a key. */
export function slotOf(key: string): number {
  return new Command('get', [key]).getSlot();
}

/** Starts a redis-server with further options. */
export async function startRedisProcess(folder: string, ...options: readonly string[]): Promise<RedisProcess> {
  const port = await freePort();
  const own = join(folder, String(port));
  mkdirSync(own);
  const { command, words, options: spawned } = redisProgram(port, own);
  let child: Child | undefined;
  const start = async (): Promise<void> => {
    child = startChild(command, [...words, ...options], spawned);
    await child.printed(REDIS_READY);
  };
  await start();
  return {
    port,
    start,
    kill: async () => {
      await child?.stop('SIGKILL');
    },
    ask: async (name, ...words) => {
      const redis = new Redis({ port, lazyConnect: true, retryStrategy: () => null, commandTimeout: 2_000 });
      redis.on('error', () => undefined);
      try {
        return await redis.call(String(name), ...words);
      } finally {
        redis.disconnect();
      }
    },
  };
}

/** Starts a cluster in which a node counts as failed after `nodeTimeoutMs`. Rejects if redis-server is missing. */
export async function startRedisCluster(nodeTimeoutMs: number): Promise<RedisCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-cluster-'));
  const bus = new Map<RedisProcess, number>();
  const nodes: RedisProcess[] = [];
  for (let at = 0; at < 2 * MASTERS; at += 1) {
    const busPort = await freePort();
    const node = await startRedisProcess(
      folder,
      ...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
      ...['--cluster-node-timeout', String(nodeTimeoutMs), '--cluster-require-full-coverage', 'no'],
      ...['--cluster-allow-replica-migration', 'no', '--repl-diskless-sync-delay', '0'],
    );
    bus.set(node, busPort);
    nodes.push(node);
  }
  const cluster: RedisCluster = {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    masterOf: async (slot) => {
      const owners: RedisProcess[] = [];
      await until(async () => {
        const ports = await Promise.all(nodes.map((node) => masterPort(node, slot).catch(() => undefined)));
        owners.push(...nodes.filter(({ port }) => ports.filter((seen) => seen === port).length > MASTERS));
        return owners.length > 0;
      });
      const [owner] = owners;
      if (!owner) throw new Error(`the nodes don't agree on the master of slot ${slot}`);
      return owner;
    },
    reshard: async (from, to, slots) => {
      const ids = await Promise.all([from, to].map((node) => node.ask('CLUSTER', 'MYID')));
      const [source, target] = ids.map(String) as [string, string];
      await run(findBinary('redis-cli') ?? 'redis-cli', [
        ...['--cluster', 'reshard', `127.0.0.1:${from.port}`, '--cluster-from', source, '--cluster-to', target],
        ...['--cluster-slots', String(slots), '--cluster-yes'],
      ]);
    },
    settled: () => until(async () => (await Promise.all(nodes.map(isSettled))).every(Boolean)),
    dispose: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await joinAll(nodes, bus);
  await cluster.settled();
  return cluster;
}

async function joinAll(nodes: readonly RedisProcess[], bus: ReadonlyMap<RedisProcess, number>): Promise<void> {
  const [first] = nodes;
  for (const [at, node] of nodes.entries()) {
    await node.ask('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
    const [from, to] = [at, at + 1].map((part) => Math.floor((part * SLOTS) / MASTERS)) as [number, number];
    if (at < MASTERS) await node.ask('CLUSTER', 'ADDSLOTSRANGE', from, to - 1);
    if (node !== first) await first?.ask('CLUSTER', 'MEET', '127.0.0.1', node.port, bus.get(node) ?? 0);
  }
  const knows = (node: RedisProcess) =>
    node.ask('CLUSTER', 'INFO').then((info) => /cluster_known_nodes:6/.test(String(info)));
  await until(async () => (await Promise.all(nodes.map(knows))).every(Boolean));
  for (const [at, node] of nodes.entries()) {
    const id = await nodes[at - MASTERS]?.ask('CLUSTER', 'MYID');
    if (id === undefined) continue;
    // The master may not be known as one yet.
    await until(() =>
      node.ask('CLUSTER', 'REPLICATE', String(id)).then(
        (answer) => answer === 'OK',
        () => false,
      ),
    );
  }
}

type SlotRange = [from: number, to: number, master: [host: string, port: number], ...replicas: unknown[]];

async function masterPort(node: RedisProcess, slot: number): Promise<number | undefined> {
  const ranges = (await node.ask('CLUSTER', 'SLOTS')) as SlotRange[];
  return ranges.find(([from, to]) => slot >= from && slot <= to)?.[2][1];
}

async function isSettled(node: RedisProcess): Promise<boolean> {
  try {
    const info = String(await node.ask('CLUSTER', 'INFO'));
    const replication = String(await node.ask('INFO', 'replication'));
    const isInSync = /role:master[\s\S]*slave0:.*state=online|role:slave[\s\S]*master_link_status:up/.test(replication);
    const failed = String(await node.ask('CLUSTER', 'NODES')).includes('fail');
    return info.includes('cluster_state:ok') && info.includes('cluster_slots_ok:16384') && isInSync && !failed;
  } catch {
    return false;
  }
}

/** Asks until the answer is true. Rejects after that time, by default 30 s. */
export async function until(isTrue: () => Promise<boolean>, withinMs = WITHIN_MS): Promise<void> {
  for (const endMs = performance.now() + withinMs; !(await isTrue()); await wait(50))
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms`);
}
