import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findBinary } from './binaries.js';
import { type Child, freePort, type Program, plainEnvironment, startChild } from './child.js';
import { rawConnect } from './raw-socket.js';

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

const MONITORED = /^\+[\d.]+ \[\d+ (\S+)\] (.*)$/;

/**
 * Calls `onCommand` with each command that Redis runs from now on, escaped as it prints it to MONITOR, and its source: an address,
 * or "lua" for those of a script. Resolves with what ends it. ioredis can't be used: if Redis prints a command together with its
 * reply to MONITOR, ioredis fails ("Command queue state error").
 */
export async function monitorRedis(
  port: number,
  onCommand: (args: readonly string[], source: string) => void,
): Promise<() => void> {
  const socket = await rawConnect(port);
  const lines = createInterface({ input: socket });
  const begun = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      const [, source, words] = MONITORED.exec(line) ?? [];
      if (source === undefined || words === undefined) resolve();
      else
        onCommand(
          [...words.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word),
          source,
        );
    });
  });
  socket.write('MONITOR\r\n');
  await begun;
  return () => socket.destroy();
}
