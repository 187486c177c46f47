import type { Command } from 'commander';
import { TierChanges } from '../auth/tier-changes.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { policiesOf } from './gateway-policies.js';

const ACTOR = 'ops';

/** Adds `gw apps tier`, which sets the limits of an application. */
export function addApplicationTier(apps: Command, run: CommandRun): void {
  changing(apps.command('tier <application> <tier>'))
    .description('set the limits of an application and of its tokens: a tier of config/tiers.yaml')
    .action((id: string, tier: string) =>
      run.gateway(async (gateway) => {
        await tiersOf(gateway).ofApplication(id, tier, ACTOR);
        run.print(`${id}: tier ${tier}`);
      }),
    );
}

/** Adds `gw accounts tier`, which sets the limits that all applications of an account share. */
export function addAccountTier(accounts: Command, run: CommandRun): void {
  changing(accounts.command('tier <account> <tier>'))
    .description(
      'set the limits that all applications of an account share: a tier of config/tiers.yaml; takes an id or email address',
    )
    .action((account: string, tier: string) =>
      run.gateway(async (gateway) => {
        const id = await tiersOf(gateway).ofAccount(account, tier, ACTOR);
        run.print(`${id}: tier ${tier}`);
      }),
    );
}

function tiersOf(gateway: OpenedGateway): TierChanges {
  const { products, policies } = policiesOf(gateway);
  return new TierChanges(gateway.database, gateway.config, products, policies);
}
