#!/usr/bin/env node
import { Command } from 'commander';
import { configFolder } from '../boot.js';
import { loadConfig } from '../config/load-config.js';
import { rootOf } from '../config/plain-error.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { addAccountCommands } from './account-commands.js';
import { tryAdapter } from './adapter-try.js';
import { addApplicationCommands } from './application-commands.js';
import { addDoctorCommand } from './doctor.js';
import { addLaunchCommands } from './launch-commands.js';
import { addProductCommands } from './product-commands.js';
import { addReservationCommands } from './reservation-commands.js';
import { addSupplierCommands } from './supplier-commands.js';

/** The command line for adapter authors and ops: results on stdout, everything else on stderr, exit code 0 or 2. */
const gw = new Command('gw').description('Forecourt command line').showHelpAfterError();
addReservationCommands(gw);
addDoctorCommand(gw);
addProductCommands(gw);
addApplicationCommands(gw);
addAccountCommands(gw);
addLaunchCommands(gw);
addSupplierCommands(gw);
const adapter = gw.command('adapter').description('work on supplier adapters');

adapter
  .command('try <supplier> <operation>')
  .description('run one operation of an adapter: against a recorded answer (--response) or the supplier itself; prints our model as JSON')
  .requiredOption('--request <file>', 'JSON: what a caller of the API sends (location query or vehicles body)')
  .option('--response <file>', "the supplier's recorded answer; nothing is sent")
  .option('--status <code>', 'HTTP status of the recorded answer', '200')
  .option('--content-type <type>', 'Content-Type of the recorded answer; default by the file name')
  .action(
    async (supplier: string, operation: string, options: { request: string; response?: string; status: string; contentType?: string }) => {
      const { suppliers } = loadConfig(configFolder(process.env), process.env);
      const config = suppliers.find((row) => row.id === supplier);
      if (!config) return fail(`there is no supplier "${supplier}"; config/suppliers has ${suppliers.map((row) => row.id).join(', ')}`);
      await tryAdapter(config, operation, options);
    },
  );

adapter
  .command('validate [supplier]')
  .description('check config/suppliers/*.yaml and build every adapter')
  .action((supplier?: string) => {
    const { suppliers } = loadConfig(configFolder(process.env), process.env);
    const chosen = suppliers.filter((row) => supplier === undefined || row.id === supplier);
    if (chosen.length === 0) fail(`there is no supplier "${supplier}"; config/suppliers has ${suppliers.map((row) => row.id).join(', ')}`);
    for (const config of chosen) {
      createAdapter(config);
      console.log(`${config.id}: valid (${config.adapter}, ${config.state})`);
    }
  });

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

try {
  await gw.parseAsync();
} catch (error) {
  fail(error instanceof Error ? rootOf(error).message : String(error));
}
