#!/usr/bin/env node
import { Command } from 'commander';
import { rootOf } from '../config/plain-error.js';
import { addAccountCommands } from './account-commands.js';
import { addAdapterCommands } from './adapter-commands.js';
import { addApplicationCommands } from './application-commands.js';
import { addDoctorCommand } from './doctor.js';
import { addLaunchCommands } from './launch-commands.js';
import { addProductCommands } from './product-commands.js';
import { addReservationCommands } from './reservation-commands.js';
import { addSimCommand } from './sim-serve.js';
import { addSupplierCommands } from './supplier-commands.js';

/** The command line for adapter authors and ops: results on stdout, everything else on stderr, exit code 0 or 2; 1 where a supplier is judged and found wanting. */
const gw = new Command('gw').description('Forecourt command line').showHelpAfterError();
addReservationCommands(gw);
addDoctorCommand(gw);
addProductCommands(gw);
addApplicationCommands(gw);
addAccountCommands(gw);
addLaunchCommands(gw);
addSupplierCommands(gw);
addAdapterCommands(gw);
addSimCommand(gw);

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

try {
  await gw.parseAsync();
} catch (error) {
  fail(error instanceof Error ? rootOf(error).message : String(error));
}
