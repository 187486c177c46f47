#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { rootOf } from '../config/plain-error.js';
import { holdsCardNumber } from '../privacy/card-numbers.js';

type AddCommands = (gw: Command) => void;

const applications = async (): Promise<AddCommands> =>
  (await import('./application-commands.js')).addApplicationCommands;

/** Loaders by command. Only the called command is loaded; for help, all of them are. */
const commands = new Map<string, () => Promise<AddCommands>>(
  Object.entries({
    accounts: async () => (await import('./account-commands.js')).addAccountCommands,
    adapter: async () => (await import('./adapter-commands.js')).addAdapterCommands,
    apps: applications,
    doctor: async () => (await import('./doctor.js')).addDoctorCommand,
    keys: applications,
    'access-requests': async () => (await import('./access-request-commands.js')).addAccessRequestCommands,
    maintenance: async () => (await import('./maintenance-commands.js')).addMaintenanceCommands,
    migrate: async () => (await import('./migrate-commands.js')).addMigrateCommands,
    products: async () => (await import('./product-commands.js')).addProductCommands,
    reservation: async () => (await import('./reservation-commands.js')).addReservationCommands,
    secrets: applications,
    sim: async () => (await import('./sim-serve.js')).addSimCommand,
    supplier: async () => (await import('./supplier-commands.js')).addSupplierCommands,
  }),
);

// Data is for its user only. `gw adapter` writes files of the project.
if (process.argv[2] !== 'adapter') process.umask(0o077);

// A reader may stop early (`| head`). The command still runs to completion: it cancels its bookings and sets its exit
// code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/**
 * The command line for adapter authors and operators. Results go to stdout, everything else to stderr. Exit codes: 0
 * success, 1 failed check or verdict, 2 error.
 */
const gw = new Command('gw').description('Forecourt command line').showHelpAfterError().exitOverride();
const called = commands.get(process.argv[2] ?? '');

try {
  if (process.argv.slice(2).some(holdsCardNumber))
    throw new Error('an argument looks like a payment card number; no command takes one');
  for (const load of called ? [called] : new Set(commands.values())) (await load())(gw);
  await gw.parseAsync();
} catch (error) {
  // Commander has already printed the message, but would exit with 1.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  console.error(error instanceof Error ? rootOf(error).message : String(error));
  process.exit(2);
}
