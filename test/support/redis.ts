import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from './binaries.js';
import { type Child, freePort, startChild } from './child.js';

/** A Redis for one test, without persistence, on a port that stays the same over stop and start. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it for good and removes its folder. */
  dispose(): Promise<void>;
}

/** Starts redis-server on a free port. Rejects if the program is missing. */
export async function startRedis(): Promise<RedisServer> {
  const binary = findBinary('redis-server');
  if (binary === undefined) throw new Error('redis-server is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-redis-'));
  const port = await freePort();
  let child: Child | undefined;
  const start = async (): Promise<void> => {
    child = startChild(binary, [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      folder,
    ]);
    await child.printed('Ready to accept connections');
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
