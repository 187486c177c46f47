import type { Command } from 'commander';
import { readProductFile } from '../products/product-file.js';
import { MaintenanceSwitch, SERVICE } from '../system/maintenance-switch.js';
import { changing } from './changing.js';
import type { CommandRun } from './command-run.js';
import { endTime } from './end-time.js';
import { type PlannedOptions, planMaintenance } from './switch-command.js';
import { printRows } from './table.js';

const ACTOR = 'ops';

/** Adds `gw maintenance …`, with which operators put the service or a product into maintenance at run time. */
export function addMaintenanceCommands(gw: Command, run: CommandRun): void {
  const maintenance = gw
    .command('maintenance')
    .description('put the service or a product into maintenance on every gateway');
  const withSwitch = (work: (stored: MaintenanceSwitch, folder: string) => Promise<void>) =>
    run.gateway(({ database, config, folder }) => work(new MaintenanceSwitch(database, config.environment), folder));

  maintenance
    .command('list')
    .description('list what is in maintenance: "service" or a product, and until when ("-" if not announced)')
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      withSwitch(async (stored) => {
        const rows = (await stored.current()).map(({ subject, until }) => [subject, until?.toISOString() ?? '-']);
        printRows(run, ['subject', 'until'], rows, json);
      }),
    );

  changing(maintenance.command('on <subject>'))
    .description('answer calls with 503; <subject> is "service" or a product')
    .option('--until <time>', 'announced end: UTC time (ISO 8601) at which the maintenance ends automatically')
    .action((subject: string, { until }: { until?: string }) =>
      withSwitch(async (stored, folder) => {
        const subjects = [SERVICE, ...readProductFile(folder).products.map(({ id }) => id)];
        if (!subjects.includes(subject))
          throw new Error(`there is no product "${subject}"; use one of ${subjects.join(', ')}`);
        await stored.on(subject, endTime(until), ACTOR);
        run.print(`${subject}: in maintenance${until === undefined ? '' : ` until ${until}`}`);
      }),
    );

  changing(maintenance.command('plan <subject>'), 'own')
    .description('announce a maintenance, which begins and ends by itself; <subject> is "service" or a product')
    .requiredOption('--from <time>', 'UTC time (ISO 8601) at which it begins')
    .requiredOption('--until <time>', 'UTC time at which it ends')
    .requiredOption('--reason <text>', 'why; callers see it on the status page')
    .action((subject: string, options: PlannedOptions) =>
      run.gateway(async (gateway) =>
        run.print(await planMaintenance(gateway, subject === SERVICE ? 'service' : 'product', subject, options)),
      ),
    );

  changing(maintenance.command('off <subject>'))
    .description('end the maintenance')
    .action((subject: string) =>
      withSwitch(async (stored) => {
        const wasOn = await stored.off(subject, ACTOR);
        run.print(`${subject}: ${wasOn ? 'maintenance ended' : "wasn't in maintenance"}`);
      }),
    );
}
