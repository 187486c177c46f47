import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { AccountData } from '../auth/account-data.js';
import { ApplicationAdmin } from '../auth/application-admin.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { configFolder } from '../boot.js';
import { loadKeys } from '../config/keys.js';
import { loadConfig } from '../config/load-config.js';
import { openGatewayDatabase, openSharedStore, refuseNewDatabase } from './gateway-database.js';

const ACTOR = 'ops';

/** Adds `gw accounts export` and `gw accounts delete`, for people who ask the operators for it. */
export function addAccountDataCommands(accounts: Command): void {
  accounts
    .command('export <account>')
    .description(
      'print everything that is kept about an account as JSON, without secrets and renters; takes an id or email address; recorded in the audit log',
    )
    .action((idOrEmail: string) =>
      withData(async (data) => {
        const account = await data.find(idOrEmail);
        await pipeline(Readable.from(data.export(account, ACTOR)), process.stdout, { end: false });
      }),
    );

  accounts
    .command('delete <account>')
    .description('permanently delete an account with its applications; takes an id or email address')
    .option('--yes', 'required: it cannot be undone')
    .action((idOrEmail: string, { yes }: { yes?: boolean }) =>
      withData(async (data, isShared) => {
        const account = await data.find(idOrEmail);
        if (!yes) throw new Error(`${account.accountId} (${account.email}) would be deleted permanently: add --yes`);
        await data.delete(account, ACTOR);
        console.log(`${account.accountId}: deleted`);
        if (!isShared)
          console.error(
            'Tokens are kept in the memory of the gateway because REDIS_URL is not set: restart the gateway.',
          );
      }),
    );
}

/** `isShared`: sessions and tokens are in Redis, so that they end on all gateways. */
async function withData(work: (data: AccountData, isShared: boolean) => Promise<void>): Promise<void> {
  const { config } = loadConfig(configFolder(process.env), process.env, []);
  refuseNewDatabase(config);
  const secrets = new ClientSecrets(config, loadKeys(config));
  const database = await openGatewayDatabase(config);
  const store = await openSharedStore(config);
  try {
    const admin = new ApplicationAdmin(database, config.environment, secrets, store);
    await work(new AccountData(database, admin, store, config.environment), store !== undefined);
  } finally {
    await store?.close();
    await database.close();
  }
}
