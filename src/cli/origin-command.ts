import type { Command } from 'commander';
import { ApplicationSettings } from '../auth/application-settings.js';
import { ApplicationsService } from '../auth/applications.service.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { PolicyUpdates } from '../auth/policy-updates.js';
import { checkOrigins } from '../auth/web-origin.js';
import { createLogger } from '../config/logger.js';
import { ProductsService } from '../products/products.service.js';
import { VersionRegistry } from '../products/version-registry.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';

const ACTOR = 'ops';

/** Adds `gw apps origins`, which sets the web origins of an application. */
export function addOriginCommand(apps: Command, run: CommandRun): void {
  changing(apps.command('origins <application> [origins...]'))
    .description('set the web origins whose pages may read answers, such as https://shop.example.com; none = no page')
    .action((id: string, texts: string[]) =>
      run.gateway(async (gateway) => {
        const check = checkOrigins(texts);
        if (!check.ok) throw new Error(check.why);
        await settingsOf(gateway).setAllowedOrigins(id, check.origins, ACTOR);
        run.print(`${id}: ${check.origins.join(' ') || 'no web origins'}`);
      }),
    );
}

function settingsOf({ folder, config, keys, database, store }: OpenedGateway): ApplicationSettings {
  const versions = new VersionRegistry(folder, database, createLogger('silent'));
  const products = new ProductsService(folder, database, versions, config);
  const applications = new ApplicationsService(database, new ClientSecrets(config, keys), products);
  // Without the store, tokens of a running gateway get the change when the application requests its next one.
  const policies = store ? new PolicyUpdates(applications, store) : { publish: async () => undefined };
  return new ApplicationSettings(database, config, policies);
}
