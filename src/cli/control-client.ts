import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { configFolder } from '../boot.js';
import type { Config } from '../config/config.schema.js';
import { loadConfig } from '../config/load-config.js';
import type { CommandRun } from './command-run.js';
import { controlPath, dataDigest, fromGateway, messages, send } from './control-protocol.js';

/**
 * Lets the gateway that runs on this configuration's data folder run a command, with the output and the terminal of this
 * process. Resolves with the exit code; undefined = no gateway runs there, or one with another environment or database than
 * this configuration's. Never rejects.
 */
export async function runInGateway(words: readonly string[], own: CommandRun): Promise<number | undefined> {
  const config = ownConfig();
  const socket = config && (await connected(config));
  if (!socket) return undefined;
  try {
    const { user, workingFolder } = own;
    await send(socket, { words: [...words], user, workingFolder, dataDigest: dataDigest(config) });
    for await (const message of messages(socket, fromGateway)) {
      if ('other' in message) return undefined;
      if ('exit' in message) return message.exit;
      if ('print' in message) own.print(message.print);
      else if ('tell' in message) own.tell(message.tell);
      else if ('write' in message) await own.write(chunk(message.write));
      else await send(socket, { answer: await own.confirm(message.ask) });
    }
    own.tell('the gateway stopped before the command ended: run it again, or check what it has changed');
  } catch (error) {
    own.tell(error instanceof Error ? error.message : String(error));
  } finally {
    socket.destroy();
  }
  return 2;
}

async function* chunk(text: string): AsyncGenerator<string> {
  yield text;
}

/** Undefined if it is invalid: the command itself says so. */
function ownConfig(): Config | undefined {
  try {
    return loadConfig(configFolder(process.env), process.env, []).config;
  } catch {
    return undefined;
  }
}

/** Undefined without a gateway. */
async function connected({ dataFolder }: Config): Promise<Socket | undefined> {
  try {
    const path = controlPath(dataFolder);
    if (!existsSync(path)) return undefined;
    const socket = connect(path);
    await once(socket, 'connect');
    return socket;
  } catch {
    return undefined;
  }
}
