import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { loadConfig } from '../config/load-config.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { newAdapter } from './adapter-new.js';
import { type RecordOptions, recordAnswer } from './adapter-record.js';
import { type TestOptions, testAdapter } from './adapter-test.js';
import { type TryOptions, tryAdapter } from './adapter-try.js';

const REQUEST =
  'JSON: what a caller of the API sends to search; from the price check on the request of our model (docs/adding-a-supplier.md)';

/** Adds `gw adapter …`: everything that the author of an adapter or of a supplier's file needs. */
export function addAdapterCommands(gw: Command): void {
  const adapter = gw.command('adapter').description('work on suppliers and their adapters');

  adapter
    .command('new <supplier>')
    .description(
      'write config/suppliers/<supplier>.yaml to begin with, for --kind code an adapter as well; overwrites nothing',
    )
    .requiredOption('--kind <kind>', 'ota-xml (configuration only), rest (a manifest) or code (an adapter of its own)')
    .action((id: string, { kind }: { kind: string }) => newAdapter(configFolder(process.env), id, kind));

  adapter
    .command('validate [supplier]')
    .description('check config/suppliers/*.yaml and build every adapter')
    .action((id?: string) => {
      for (const config of id === undefined ? suppliers() : [supplierOf(id)]) validate(config);
    });

  adapter
    .command('try <supplier> <operation>')
    .description(
      'run one operation of an adapter: against a recorded answer (--response) or the supplier itself; prints our model as JSON',
    )
    .requiredOption('--request <file>', REQUEST)
    .option(
      '--response <file...>',
      "the supplier's recorded answers, one for each call it takes, the last one for all further; nothing is sent",
    )
    .option('--status <code>', 'HTTP status of the recorded answers', '200')
    .option('--content-type <type>', 'Content-Type of the recorded answers; default by the file name')
    .option('--for-real', 'let book, modify and cancel call the supplier')
    .action((id: string, operation: string, options: TryOptions) => tryAdapter(supplierOf(id), operation, options));

  adapter
    .command('record <supplier> <operation>')
    .description(
      'call the supplier (its simulator where it has no url) and keep its answer as a fixture without secrets and personal data',
    )
    .requiredOption('--request <file>', REQUEST)
    .requiredOption('--out <file>', 'where to write the answer; with several calls <name>.1.<type>, <name>.2.<type>, …')
    .option('--for-real', 'let book, modify and cancel call the supplier')
    .action((id: string, operation: string, options: RecordOptions) =>
      recordAnswer(supplierOf(id), operation, options),
    );

  adapter
    .command('test <supplier>')
    .description(
      'judge a supplier by the contract kit (docs/contract-kit.md); exit code 1 when it does not keep the contract',
    )
    .option(
      '--url <url>',
      'base URL of its test system; default: its url, else its simulator, started for the test alone',
    )
    .option('--level <level>', 'judge only up to bronze (searches), silver (prices) or gold (bookings)')
    .option('--book', 'book, change and cancel although the supplier is real')
    .option('--json', 'print the verdict as JSON instead of a table')
    .option('--badge <file>', 'also write the level as an SVG badge')
    .action((id: string, options: TestOptions) => testAdapter(supplierOf(id), options));
}

/** Says what a file is or what is wrong with it, on stderr and with exit code 2: one faulty file does not hide the next. */
function validate(config: SupplierConfig): void {
  try {
    createAdapter(config);
    console.log(`${config.id}: valid (${config.adapter}, ${config.state})`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}

function suppliers(): readonly SupplierConfig[] {
  return loadConfig(configFolder(process.env), process.env).suppliers;
}

/** Throws an Error that names those there are. */
export function supplierOf(id: string): SupplierConfig {
  const known = suppliers();
  const found = known.find((row) => row.id === id);
  if (found) return found;
  throw new Error(`there is no supplier "${id}"; config/suppliers has ${known.map((row) => row.id).join(', ')}`);
}
