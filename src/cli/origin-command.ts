import type { Command } from 'commander';
import { ApplicationSettings } from '../auth/application-settings.js';
import { checkOrigins } from '../auth/web-origin.js';
import { changing } from './changing.js';
import type { CommandRun } from './command-run.js';
import { policiesOf } from './gateway-policies.js';

const ACTOR = 'ops';

/** Adds `gw apps origins`, which sets the web origins of an application. */
export function addOriginCommand(apps: Command, run: CommandRun): void {
  changing(apps.command('origins <application> [origins...]'))
    .description('set the web origins whose pages may read answers, such as https://shop.example.com; none = no page')
    .action((id: string, texts: string[]) =>
      run.gateway(async (gateway) => {
        const check = checkOrigins(texts);
        if (!check.ok) throw new Error(check.why);
        const { database, config } = gateway;
        const settings = new ApplicationSettings(database, config, policiesOf(gateway).policies);
        await settings.setAllowedOrigins(id, check.origins, ACTOR);
        run.print(`${id}: ${check.origins.join(' ') || 'no web origins'}`);
      }),
    );
}
