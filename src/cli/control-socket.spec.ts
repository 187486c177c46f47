import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from '@jest/globals';
import { configSchema } from '../config/config.schema.js';
import { createLogger } from '../config/logger.js';
import type { OpenedGateway } from './command-run.js';
import { controlPath, dataDigest } from './control-protocol.js';
import { serveControl } from './control-socket.js';

const dataFolder = mkdtempSync(join(tmpdir(), 'forecourt-control-'));
afterAll(() => rmSync(dataFolder, { recursive: true }));
const config = configSchema.parse({ dataFolder });
const path = controlPath(dataFolder);
const serve = () => serveControl({ config } as OpenedGateway, createLogger('silent'));

/** Sends a command that no gateway has. */
async function answer(): Promise<string> {
  const socket = connect(path);
  const words = ['supplier', 'fly'];
  socket.write(
    `${JSON.stringify({ words, user: 'ada', workingFolder: dataFolder, dataDigest: dataDigest(config) })}\n`,
  );
  return await text(socket);
}

/** The socket that a killed process leaves. */
async function leaveSocket(): Promise<void> {
  const killed = createServer().listen(path);
  await once(killed, 'listening');
  renameSync(path, `${path}.kept`);
  killed.close();
  await once(killed, 'close');
  renameSync(`${path}.kept`, path);
}

it('answers commands in spite of the socket that a killed gateway has left', async () => {
  await leaveSocket();
  expect(existsSync(path)).toBe(true);
  const control = await serve();
  expect(await answer()).toContain('"exit":2');
  await control?.close();
});

it('leaves the socket to the gateway that serves it', async () => {
  const first = await serve();
  expect(await serve()).toBeUndefined();
  expect(await answer()).toContain('"exit":2');
  await first?.close();
});

it('is free again after connections that sent no complete command, and is closed without waiting for them', async () => {
  const control = await serve();
  const silent = Array.from({ length: 20 }, () => connect(path).resume());
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  const closed = Promise.all(silent.map((socket) => new Promise((resolve) => socket.on('close', resolve))));
  // Half of them send parts of a line again and again, which fails after the gateway has closed them.
  const slow = silent.slice(10);
  for (const socket of slow) socket.on('error', () => undefined);
  const dripping = setInterval(() => {
    for (const socket of slow) socket.write('x');
  }, 200);
  try {
    expect(await answer()).toContain('running 20 commands');
    await closed;
  } finally {
    clearInterval(dripping);
  }
  expect(await answer()).not.toContain('running 20 commands');
  const startedAt = performance.now();
  await control?.close();
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});
