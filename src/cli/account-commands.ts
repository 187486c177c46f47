import type { Command } from 'commander';
import { z } from 'zod';
import { AccountAdmin } from '../accounts/account-admin.js';
import { linkPath } from '../accounts/account-links.js';
import { configFolder } from '../boot.js';
import type { Config } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { loadConfig } from '../config/load-config.js';
import { siteUrl } from '../mail/site-address.js';
import { addAccountDataCommands } from './account-data-commands.js';
import { openGatewayDatabase } from './gateway-database.js';

/** Adds `gw accounts …`, which lists accounts and manages operators directly in the database. */
export function addAccountCommands(gw: Command): void {
  const accounts = gw
    .command('accounts')
    .description('manage accounts (with PGlite only while the gateway is stopped; with PostgreSQL at any time)');

  accounts
    .command('list')
    .description('list accounts, oldest first: id, email, name, role, active or not active')
    .action(() =>
      withAdmin(async (admin) => {
        for (const { id, email, name, role, verifiedAt } of await admin.list()) {
          console.log([id, email, name, role, verifiedAt === null ? 'not active' : 'active'].join('\t'));
        }
      }),
    );

  accounts
    .command('create-ops <email>')
    .description('create an operator account; prints a one-time link for setting its password')
    .option('--name <name>', 'display name', 'Ops')
    .action((email: string, { name }: { name: string }) =>
      withAdmin(async (admin, config) => {
        const address = z.email().max(254).safeParse(email.trim().toLowerCase());
        if (!address.success) throw new Error(`"${email}" is not a valid email address`);
        const { id, secret } = await admin.createOps(name, address.data);
        console.log(siteUrl(config, config.http.port, linkPath('reset', secret)));
        console.error(
          `${id}: created. The link expires in ${config.portal.resetMinutes} minutes; whoever opens it can set the password.`,
        );
        if (config.http.publicUrl === undefined)
          console.error("PUBLIC_URL isn't set. If the gateway has a different address, change it in the link.");
      }),
    );

  addAccountDataCommands(accounts);
  accounts
    .command('reset-factor <account>')
    .description(
      'turn off two-factor authentication for an account whose device and recovery codes are lost, and email its owner; takes an id or email address',
    )
    .action((account: string) =>
      withAdmin(async (admin) => {
        const row = await admin.resetFactor(account);
        console.log(`${row.id}: two-factor authentication is off`);
        if (row.role === 'ops')
          console.error('In production, this operator must set it up again to open the operator pages.');
      }),
    );

  for (const [name, role, what] of [
    ['promote', 'ops', 'make an active account an operator'],
    ['demote', 'developer', 'make an operator a developer again'],
  ] as const) {
    accounts
      .command(`${name} <account>`)
      .description(`${what}; takes an id or email address`)
      .action((account: string) =>
        withAdmin(async (admin) => {
          const row = await admin.setRole(account, role);
          console.log(`${row.id}: ${row.role}`);
        }),
      );
  }
}

async function withAdmin(work: (admin: AccountAdmin, config: Config) => Promise<void>): Promise<void> {
  const { config } = loadConfig(configFolder(process.env), process.env, []);
  const database = await openGatewayDatabase(config);
  try {
    await work(new AccountAdmin(database, config, loadKeys(config)), config);
  } finally {
    await database.close();
  }
}
