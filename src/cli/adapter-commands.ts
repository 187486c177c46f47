import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { loadConfig } from '../config/load-config.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { tryAdapter } from './adapter-try.js';

/** Adds `gw adapter …`: work on supplier adapters, without a gateway. */
export function addAdapterCommands(gw: Command): void {
  const adapter = gw.command('adapter').description('work on supplier adapters');

  adapter
    .command('try <supplier> <operation>')
    .description('run one operation of an adapter: against a recorded answer (--response) or the supplier itself; prints our model as JSON')
    .requiredOption('--request <file>', 'JSON: what a caller of the API sends (location query or vehicles body)')
    .option('--response <file>', "the supplier's recorded answer; nothing is sent")
    .option('--status <code>', 'HTTP status of the recorded answer', '200')
    .option('--content-type <type>', 'Content-Type of the recorded answer; default by the file name')
    .action(
      async (
        supplier: string,
        operation: string,
        options: { request: string; response?: string; status: string; contentType?: string },
      ) => {
        const { suppliers } = loadConfig(configFolder(process.env), process.env);
        const config = suppliers.find((row) => row.id === supplier);
        if (!config) throw unknown(supplier, suppliers);
        await tryAdapter(config, operation, options);
      },
    );

  adapter
    .command('validate [supplier]')
    .description('check config/suppliers/*.yaml and build every adapter')
    .action((supplier?: string) => {
      const { suppliers } = loadConfig(configFolder(process.env), process.env);
      const chosen = suppliers.filter((row) => supplier === undefined || row.id === supplier);
      if (supplier !== undefined && chosen.length === 0) throw unknown(supplier, suppliers);
      for (const config of chosen) {
        createAdapter(config);
        console.log(`${config.id}: valid (${config.adapter}, ${config.state})`);
      }
    });
}

function unknown(supplier: string, suppliers: readonly SupplierConfig[]): Error {
  return new Error(`there is no supplier "${supplier}"; config/suppliers has ${suppliers.map((row) => row.id).join(', ')}`);
}
