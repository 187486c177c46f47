import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { loadConfig } from '../config/load-config.js';
import { readProductFile } from '../products/product-file.js';
import { MaintenanceSwitch, SERVICE } from '../system/maintenance-switch.js';
import { endTime } from './end-time.js';
import { openGatewayDatabase } from './gateway-database.js';

const ACTOR = 'ops';

/** Adds `gw maintenance …`, with which operators put the service or a product into maintenance at run time. */
export function addMaintenanceCommands(gw: Command): void {
  const maintenance = gw
    .command('maintenance')
    .description(
      'put the service or a product into maintenance on every gateway (with PGlite only while the gateway is stopped; with PostgreSQL at any time)',
    );

  maintenance
    .command('list')
    .description('list what is in maintenance: "service" or a product, and until when ("-" if not announced)')
    .action(() =>
      withSwitch(async (stored) => {
        for (const { subject, until } of await stored.current())
          console.log([subject, until?.toISOString() ?? '-'].join('\t'));
      }),
    );

  maintenance
    .command('on <subject>')
    .description('answer calls with 503; <subject> is "service" or a product')
    .option('--until <time>', 'announced end: UTC time (ISO 8601) at which the maintenance ends automatically')
    .action((subject: string, { until }: { until?: string }) =>
      withSwitch(async (stored) => {
        const subjects = [SERVICE, ...readProductFile(configFolder(process.env)).products.map(({ id }) => id)];
        if (!subjects.includes(subject))
          throw new Error(`there is no product "${subject}"; use one of ${subjects.join(', ')}`);
        await stored.on(subject, endTime(until), ACTOR);
        console.log(`${subject}: in maintenance${until === undefined ? '' : ` until ${until}`}`);
      }),
    );

  maintenance
    .command('off <subject>')
    .description('end the maintenance')
    .action((subject: string) =>
      withSwitch(async (stored) => {
        const wasOn = await stored.off(subject, ACTOR);
        console.log(`${subject}: ${wasOn ? 'maintenance ended' : "wasn't in maintenance"}`);
      }),
    );
}

async function withSwitch(work: (stored: MaintenanceSwitch) => Promise<void>): Promise<void> {
  const { config } = loadConfig(configFolder(process.env), process.env, []);
  const database = await openGatewayDatabase(config);
  try {
    await work(new MaintenanceSwitch(database, config.environment));
  } finally {
    await database.close();
  }
}
