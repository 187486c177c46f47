import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from './binaries.js';
import { type Child, freePort, type Program, plainEnvironment, startChild } from './child.js';

/** A Redis for one test, without persistence, on a port that stays the same over stop and start. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it for good and removes its folder. */
  dispose(): Promise<void>;
}

export const REDIS_READY = 'Ready to accept connections';

/** How to start one in a folder. Throws if redis-server is not installed. */
export function redisProgram(port: number, folder: string): Program {
  const command = findBinary('redis-server');
  if (command === undefined) throw new Error('redis-server is not installed');
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  return { command, words, options: { cwd: folder, env: plainEnvironment() } };
}

/** Starts redis-server on a free port. Rejects if the program is missing. */
export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-redis-'));
  const port = await freePort();
  const { command, words, options } = redisProgram(port, folder);
  let child: Child | undefined;
  const start = async (): Promise<void> => {
    child = startChild(command, words, options);
    await child.printed(REDIS_READY);
  };
  const stop = async (): Promise<void> => {
    await child?.stop('SIGTERM');
    child = undefined;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    stop,
    dispose: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
