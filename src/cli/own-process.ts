import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { configFolder } from '../boot.js';
import { loadKeys } from '../config/keys.js';
import { loadConfig } from '../config/load-config.js';
import { writeNotices } from '../system/change-notices.service.js';
import type { CommandRun } from './command-run.js';
import { openGatewayDatabase, openSharedStore, refuseNewDatabase } from './gateway-database.js';
import { print, shown, tell } from './terminal.js';

/** A run in this process, with its terminal and environment. Tokens and sessions are reached only if they are in Redis. */
export function ownProcess(): CommandRun {
  return {
    user: ownUser(),
    workingFolder: process.cwd(),
    print,
    tell,
    // A file gets the lines as they are, because some have digests.
    write: (chunks) =>
      pipeline(Readable.from(process.stdout.isTTY ? visible(chunks) : chunks), process.stdout, { end: false }),
    confirm: async (question) => {
      if (!process.stdin.isTTY) throw new Error('confirmation needs a terminal: repeat the command with --yes');
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      const answer = await terminal.question(`${shown(question)} [y/N] `);
      terminal.close();
      return /^y(es)?$/i.test(answer.trim());
    },
    fail: () => undefined,
    gateway: async (work) => {
      const folder = configFolder(process.env);
      const { config, suppliers } = loadConfig(folder, process.env, []);
      const suppliersToCall = () => loadConfig(folder, process.env).suppliers;
      refuseNewDatabase(config);
      const keys = loadKeys(config);
      const database = await openGatewayDatabase(config);
      const store = await openSharedStore(config);
      try {
        return await work({ folder, config, suppliers, suppliersToCall, keys, database, store, isServing: false });
      } finally {
        const changed = database.changes.takeOwn();
        if (store && changed.length > 0) await writeNotices(store, changed).catch(reportUnnoticed);
        await store?.close();
        await database.close();
      }
    },
  };
}

async function* visible(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield shown(chunk);
}

/** Gateways without the notice find out when they read the database next. */
function reportUnnoticed(error: unknown): void {
  tell(`gateways apply this within seconds: ${error instanceof Error ? error.message : String(error)}`);
}

/** `root (alice)` if alice typed it with sudo. */
function ownUser(): string {
  const { SUDO_USER: person } = process.env;
  const name = nameOfUser();
  return (person === undefined ? name : `${name} (${person})`).slice(0, 100);
}

/** A container's user may have no name. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}
