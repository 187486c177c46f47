import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { loadConfig } from '../config/load-config.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { newAdapter } from './adapter-new.js';
import { type RecordOptions, recordAnswer } from './adapter-record.js';
import { type TestOptions, testAdapter } from './adapter-test.js';
import { type TryOptions, tryAdapter } from './adapter-try.js';
import { print, tell } from './terminal.js';

const REQUEST =
  "JSON file: for searches, a request of the API; for other operations, a request of the gateway's model (docs/adding-a-supplier.md)";

/** Adds `gw adapter …`, the commands for authors of adapters and supplier files. */
export function addAdapterCommands(gw: Command): void {
  const adapter = gw.command('adapter').description('develop and test suppliers and their adapters');

  adapter
    .command('new <supplier>')
    .description(
      'create a starter config/suppliers/<supplier>.yaml and, with --kind code, an adapter; never overwrites a file',
    )
    .requiredOption('--kind <kind>', 'ota-xml (configuration only), rest (a manifest) or code (a custom adapter)')
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
      "run one operation of an adapter against a recorded answer (--response) or the supplier itself; prints the gateway's model as JSON",
    )
    .requiredOption('--request <file>', REQUEST)
    .option(
      '--response <file...>',
      'recorded answers, one per call; the last one repeats for any further calls; nothing is sent to the supplier',
    )
    .option('--status <code>', 'HTTP status of the recorded answers', '200')
    .option('--content-type <type>', 'Content-Type of the recorded answers; default: from the file extension')
    .option('--for-real', 'allow book, modify and cancel to call a real supplier')
    .action((id: string, operation: string, options: TryOptions) => tryAdapter(supplierOf(id), operation, options));

  adapter
    .command('record <supplier> <operation>')
    .description(
      'call the supplier (or its simulator if it has no url) and save its answer as a fixture, without secrets and personal data',
    )
    .requiredOption('--request <file>', REQUEST)
    .requiredOption('--out <file>', 'file to write; several answers become <name>.1.<type>, <name>.2.<type>, …')
    .option('--for-real', 'allow book, modify and cancel to call a real supplier')
    .action((id: string, operation: string, options: RecordOptions) =>
      recordAnswer(supplierOf(id), operation, options),
    );

  adapter
    .command('test <supplier>')
    .description('run the contract kit against a supplier (docs/contract-kit.md); exits with 1 if the supplier fails')
    .option(
      '--url <url>',
      "base URL of the supplier's test system; default: its url, or a simulator started for this test",
    )
    .option('--level <level>', 'highest level to test: bronze (searches), silver (prices) or gold (bookings)')
    .option(
      '--simulator',
      'the URL is that of a simulator of this project on another machine; on this machine, it is recognized',
    )
    .option('--book', 'allow bookings, changes and cancellations at a real supplier')
    .option('--json', 'print the verdict as JSON instead of a table')
    .option('--badge <file>', 'also write the level as an SVG badge')
    .action((id: string, options: TestOptions) => testAdapter(supplierOf(id), options));
}

/** Prints whether a file is valid. Errors go to stderr and set exit code 2, but don't stop the remaining files. */
function validate(config: SupplierConfig): void {
  try {
    createAdapter(config);
    print(`${config.id}: valid (${config.adapter}, ${config.state})`);
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}

/** `secretsOf`: ids of the suppliers whose secrets must be present; absent = all. */
function suppliers(secretsOf?: readonly string[]): readonly SupplierConfig[] {
  return loadConfig(configFolder(process.env), process.env, secretsOf).suppliers;
}

/**
 * The supplier with its secrets; those of others may be missing. Throws an Error that lists the configured suppliers if
 * the id is unknown.
 */
export function supplierOf(id: string): SupplierConfig {
  const known = suppliers([id]);
  const found = known.find((row) => row.id === id);
  if (found) return found;
  throw new Error(`there is no supplier "${id}"; config/suppliers has ${known.map((row) => row.id).join(', ')}`);
}
