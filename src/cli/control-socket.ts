import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { controlPath, dataDigest, fromCommand, LONGEST_PATH, messages, send } from './control-protocol.js';
import { isOperatorCommand, runCommand } from './run-command.js';

/** Commands that run concurrently: a script that starts more gets an error. */
const MOST_COMMANDS = 20;

/** How long a connection may take to send its command. */
const MOST_SILENT_MS = 2_000;

/** How long a gateway that stops waits for commands, for example for one that asked a question. */
const MOST_CLOSING_MS = 5_000;

/** A running control socket. */
export interface ControlSocket {
  /** Refuses further commands, and waits for those in progress, for five seconds at most. */
  close(): Promise<void>;
}

/**
 * Runs the operators' commands of `gw` for processes on this machine, with the database and the store of this gateway, so
 * that they work while it runs, with any database, and take effect immediately (docs/running.md). Only the user of the
 * gateway can connect: the socket has mode 0600, in a folder with mode 0700. Resolves with undefined, after a warning, if
 * another gateway listens there or the path is too long for a socket.
 */
export async function serveControl(gateway: OpenedGateway, logger: Logger): Promise<ControlSocket | undefined> {
  const path = controlPath(gateway.config.dataFolder);
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    logger.warn(
      { path },
      `gw can't reach this gateway: use a DATA_DIR whose control.sock has at most ${LONGEST_PATH} bytes`,
    );
    return undefined;
  }
  if (await answers(path)) {
    logger.warn({ path }, 'another gateway runs the commands of gw for this data folder');
    return undefined;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
  const running = new Map<Socket, Promise<void>>();
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    const command = serveCommand(socket, gateway, running.size >= MOST_COMMANDS);
    running.set(socket, command);
    void command.finally(() => {
      running.delete(socket);
      socket.end();
    });
  });
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o600);
  return {
    close: async () => {
      server.close();
      await Promise.race([Promise.all(running.values()), wait(MOST_CLOSING_MS, undefined, { ref: false })]);
      for (const socket of running.keys()) socket.destroy();
    },
  };
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Runs the command that a connection sends. What ends the connection doesn't end the command. Never rejects. */
async function serveCommand(socket: Socket, gateway: OpenedGateway, isBusy: boolean): Promise<void> {
  const received = messages(socket, fromCommand);
  // Until the complete command is there: parts of it don't prolong the time.
  const late = setTimeout(() => socket.destroy(), MOST_SILENT_MS);
  try {
    const first = (await received.next()).value;
    if (!first || !('words' in first)) return;
    clearTimeout(late);
    if (first.dataDigest !== dataDigest(gateway.config)) {
      await send(socket, { other: true });
      return;
    }
    const tell = (line: string) => void send(socket, { tell: line });
    if (isBusy || !isOperatorCommand(first.words[0])) {
      tell(isBusy ? `the gateway is running ${MOST_COMMANDS} commands: try again` : 'the gateway has no such command');
      await send(socket, { exit: 2 });
      return;
    }
    const run: CommandRun = {
      user: first.user,
      workingFolder: first.workingFolder,
      print: (line) => void send(socket, { print: line }),
      tell,
      write: async (chunks) => {
        for await (const text of chunks) await send(socket, { write: text });
      },
      confirm: async (question) => {
        await send(socket, { ask: question });
        const reply = (await received.next()).value;
        return reply !== undefined && 'answer' in reply && reply.answer;
      },
      fail: () => undefined,
      gateway: (work) => work(gateway),
    };
    await send(socket, { exit: await runCommand(first.words, run) });
  } catch {
    // What was sent is not a command.
    socket.destroy();
  } finally {
    clearTimeout(late);
  }
}
