import type { Command } from 'commander';
import { AccountData } from '../auth/account-data.js';
import { ApplicationAdmin } from '../auth/application-admin.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { changing } from './changing.js';
import type { CommandRun } from './command-run.js';

const ACTOR = 'ops';

/** Adds `gw accounts export` and `gw accounts delete`, for people who ask the operators for it. */
export function addAccountDataCommands(accounts: Command, run: CommandRun): void {
  /** `isShared`: sessions and tokens are reached, so that they end immediately. */
  const withData = (work: (data: AccountData, isShared: boolean) => Promise<void>) =>
    run.gateway(({ database, config, keys, store }) => {
      const admin = new ApplicationAdmin(database, config.environment, new ClientSecrets(config, keys), store);
      return work(new AccountData(database, admin, store, config.environment), store !== undefined);
    });

  changing(accounts.command('export <account>'))
    .description(
      'print everything that is kept about an account as JSON, without secrets and renters; takes an id or email address; recorded in the audit log',
    )
    .action((idOrEmail: string) =>
      withData(async (data) => {
        const account = await data.find(idOrEmail);
        await run.write(data.export(account, ACTOR));
      }),
    );

  changing(accounts.command('delete <account>'))
    .description('permanently delete an account with its applications; takes an id or email address')
    .option('--yes', 'skip the confirmation; it cannot be undone')
    .action((idOrEmail: string, { yes }: { yes?: boolean }) =>
      withData(async (data, isShared) => {
        const account = await data.find(idOrEmail);
        run.tell(`${account.accountId} (${account.email}) will be deleted permanently, with its applications.`);
        if (!yes && !(await run.confirm('Continue?'))) throw new Error('nothing was changed');
        await data.delete(account, ACTOR);
        run.print(`${account.accountId}: deleted`);
        if (!isShared)
          run.tell('Tokens are kept in the memory of the gateway because REDIS_URL is not set: restart the gateway.');
      }),
    );
}
