#!/usr/bin/env node
import { runInGateway } from './control-client.js';
import { ownProcess } from './own-process.js';
import { isOperatorCommand, runCommand } from './run-command.js';

/**
 * The command line for adapter authors and operators. Results go to stdout, everything else to stderr. Exit codes: 0
 * success, 1 failed check or verdict, 2 error. If a gateway runs on the data folder, it runs the operators' commands
 * itself (control-socket.ts).
 */
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
const code =
  (isOperatorCommand(words[0]) ? await runInGateway(words, own) : undefined) ?? (await runCommand(words, own));
// What an error left open must not keep the process.
if (code === 2) process.exit(2);
if (code !== 0) process.exitCode = code;
