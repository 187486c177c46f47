import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Config } from '../config/config.schema.js';

/** The longest path of a socket that every system accepts, in bytes. */
export const LONGEST_PATH = 103;

/** Where a gateway listens for commands; only its user can connect (docs/running.md). */
export function controlPath(dataFolder: string): string {
  return join(dataFolder, 'control.sock');
}

/** What a command sends: its words once, then an answer per question. One JSON object per line. */
export const fromCommand = z.union([
  z.strictObject({
    words: z.array(z.string().max(4_096)).max(100),
    user: z.string().max(100),
    workingFolder: z.string().max(4_096),
    dataDigest: z.string().max(100),
  }),
  z.strictObject({ answer: z.boolean() }),
]);

/** A digest of which data a command means: the environment and the database. */
export function dataDigest({ environment, databaseUrl }: Config): string {
  return createHash('sha256')
    .update(JSON.stringify([environment, databaseUrl ?? null]))
    .digest('base64url');
}

/** What the gateway sends: that it has other data, or lines of both outputs, results as they are, questions, and the exit code as the last one. */
export const fromGateway = z.union([
  z.strictObject({ other: z.literal(true) }),
  z.strictObject({ print: z.string() }),
  z.strictObject({ tell: z.string() }),
  z.strictObject({ write: z.string() }),
  z.strictObject({ ask: z.string(), digest: z.string().optional() }),
  z.strictObject({ exit: z.number().int() }),
]);

/** The messages that arrive on a connection, until it ends. Throws an Error for one that `schema` doesn't describe. */
export async function* messages<T>(socket: Socket, schema: z.ZodType<T>): AsyncGenerator<T> {
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  // A socket that is destroyed closes without an end.
  socket.once('close', () => lines.close());
  for await (const line of lines) yield schema.parse(JSON.parse(line));
}

/** Sends a message and resolves when more can be sent. On a closed connection, it has no effect. */
export function send(
  socket: Socket,
  message: z.infer<typeof fromCommand> | z.infer<typeof fromGateway>,
): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.write(`${JSON.stringify(message)}\n`, () => resolve());
  });
}
