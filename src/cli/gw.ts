#!/usr/bin/env node
import { nameSourceLines } from '../config/source-lines.js';
import { runInGateway } from './control-client.js';
import { ownProcess } from './own-process.js';
import type { Remote } from './remote-client.js';
import { remoteWords } from './remote-words.js';
import { isOperatorCommand, runCommand } from './run-command.js';

/**
 * The command line for adapter authors and operators. Results go to stdout, everything else to stderr. Exit codes: 0
 * success, 1 failed check or verdict, 2 error. If a gateway runs on the data folder, it runs the operators' commands
 * itself (control-socket.ts). With `--remote`, a gateway on another machine does (remote-client.ts).
 */
nameSourceLines();
const words = process.argv.slice(2);

// Data is for its user only. `gw adapter` writes files of the project.
if (words[0] !== 'adapter') process.umask(0o077);

// A reader may stop early (`| head`). The command still runs to completion: it cancels its bookings and sets its exit
// code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const own = ownProcess();
const code = await run();
// What an error left open must not keep the process.
if (code === 2) process.exit(2);
if (code !== 0) process.exitCode = code;

async function run(): Promise<number> {
  try {
    const { remote, words: command } = remoteWords(words);
    if (remote) return await runElsewhere(command, remote);
  } catch (error) {
    own.tell(error instanceof Error ? error.message : String(error));
    return 2;
  }
  return (isOperatorCommand(words[0]) ? await runInGateway(words, own) : undefined) ?? (await runCommand(words, own));
}

async function runElsewhere(command: readonly string[], remote: Remote): Promise<number> {
  if (!isOperatorCommand(command[0]))
    throw new Error(
      `${command[0] ?? 'this'} can't run with --remote: the commands of operators can (docs/admin-api.md)`,
    );
  return await (await import('./remote-client.js')).runRemotely(command, remote, own);
}
