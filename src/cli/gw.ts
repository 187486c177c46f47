#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { rootOf } from '../config/plain-error.js';

type AddCommands = (gw: Command) => void;

const applications = async (): Promise<AddCommands> =>
  (await import('./application-commands.js')).addApplicationCommands;

/** Where each command comes from: only the one that is called is loaded, all of them for the help. */
const commands = new Map<string, () => Promise<AddCommands>>(
  Object.entries({
    accounts: async () => (await import('./account-commands.js')).addAccountCommands,
    adapter: async () => (await import('./adapter-commands.js')).addAdapterCommands,
    apps: applications,
    doctor: async () => (await import('./doctor.js')).addDoctorCommand,
    keys: applications,
    'access-requests': async () => (await import('./access-request-commands.js')).addAccessRequestCommands,
    products: async () => (await import('./product-commands.js')).addProductCommands,
    reservation: async () => (await import('./reservation-commands.js')).addReservationCommands,
    secrets: applications,
    sim: async () => (await import('./sim-serve.js')).addSimCommand,
    supplier: async () => (await import('./supplier-commands.js')).addSupplierCommands,
  }),
);

// Whoever reads the first lines only (`| head`) has heard enough. The command is done to its end all the same: a booking it has made is cancelled, and its
// exit code says how it went.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** The command line for adapter authors and ops: results on stdout, everything else on stderr, exit code 0 or 2; 1 where a supplier is judged and found wanting. */
const gw = new Command('gw').description('Forecourt command line').showHelpAfterError().exitOverride();
const called = commands.get(process.argv[2] ?? '');

try {
  for (const load of called ? [called] : new Set(commands.values())) (await load())(gw);
  await gw.parseAsync();
} catch (error) {
  // Said by commander already, which would exit with 1.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  console.error(error instanceof Error ? rootOf(error).message : String(error));
  process.exit(2);
}
