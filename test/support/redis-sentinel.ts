import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findBinary } from './binaries.js';
import { type Child, freePort, plainEnvironment, startChild } from './child.js';
import { type RedisProcess, startRedisProcess, until } from './redis-cluster.js';

const REPLICAS = 2;
const SENTINELS = 3;
const MASTER = 'forecourt';

/** A master with two replicas and the three Sentinels that watch it, each a real redis-server. */
export interface RedisSentinels {
  readonly url: string;
  readonly nodes: readonly RedisProcess[];
  /** The current master, as the Sentinels name it. */
  master(): Promise<RedisProcess>;
  /** Waits until the Sentinels know both replicas and these are in sync. Rejects after 30 s. */
  settled(): Promise<void>;
  dispose(): Promise<void>;
}

/** Starts them; a master counts as failed after `downAfterMs`. Rejects if redis-server is missing. */
export async function startRedisSentinels(downAfterMs: number): Promise<RedisSentinels> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-sentinel-'));
  const fast = ['--repl-diskless-sync-delay', '0'];
  const first = await startRedisProcess(folder, ...fast);
  const nodes = [first];
  for (let at = 0; at < REPLICAS; at += 1)
    nodes.push(await startRedisProcess(folder, ...fast, '--replicaof', `127.0.0.1 ${first.port}`));
  const sentinels: { readonly port: number; readonly child: Child }[] = [];
  for (let at = 0; at < SENTINELS; at += 1) {
    const port = await freePort();
    const file = join(folder, `sentinel${at}.conf`);
    writeFileSync(
      file,
      `port ${port}\nbind 127.0.0.1\ndir ${folder}\nsentinel monitor ${MASTER} 127.0.0.1 ${first.port} 2\n` +
        `sentinel down-after-milliseconds ${MASTER} ${downAfterMs}\nsentinel failover-timeout ${MASTER} ${downAfterMs * 3}\n`,
    );
    const command = findBinary('redis-server') ?? 'redis-server';
    const child = startChild(command, [file, '--sentinel'], { cwd: folder, env: plainEnvironment() });
    await child.printed('+monitor');
    sentinels.push({ port, child });
  }
  const ask = async (port: number, ...words: string[]): Promise<unknown> => {
    const redis = new Redis({ port, commandTimeout: 2_000 });
    redis.on('error', () => undefined);
    return await redis.call('SENTINEL', ...words).finally(() => redis.disconnect());
  };
  const master = async (): Promise<RedisProcess> => {
    const ports = await Promise.all(sentinels.map(({ port }) => ask(port, 'get-master-addr-by-name', MASTER)));
    const named = nodes.find(({ port }) => ports.every((answer) => (answer as string[])[1] === String(port)));
    if (!named) throw new Error("the Sentinels don't agree on the master");
    return named;
  };
  const isSettled = async (): Promise<boolean> => {
    try {
      const info = String(await (await master()).ask('INFO', 'replication'));
      const known = await Promise.all(sentinels.map(({ port }) => ask(port, 'ckquorum', MASTER)));
      const replicas = await Promise.all(sentinels.map(({ port }) => ask(port, 'replicas', MASTER)));
      const areKnown = replicas.every((list) => {
        const flags = (list as string[][]).map((facts) => facts[facts.indexOf('flags') + 1]);
        return flags.length === REPLICAS && flags.every((flag) => flag === 'slave');
      });
      return (
        (info.match(/state=online/g) ?? []).length === REPLICAS &&
        areKnown &&
        known.every((text) => String(text).includes('3 usable'))
      );
    } catch {
      return false;
    }
  };
  const settled = (): Promise<void> => until(isSettled);
  await settled();
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${MASTER}`,
    nodes,
    master,
    settled,
    dispose: async () => {
      await Promise.all([...sentinels.map(({ child }) => child.stop('SIGKILL')), ...nodes.map((node) => node.kill())]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
