import type { Command } from 'commander';
import { z } from 'zod';
import { AccountAdmin } from '../accounts/account-admin.js';
import { configFolder } from '../boot.js';
import type { Config } from '../config/config.schema.js';
import { loadConfig } from '../config/load-config.js';
import { siteUrl } from '../mail/site-address.js';
import { openGatewayDatabase } from './gateway-database.js';

/** Adds `gw accounts …`: who may log in, and who is of ops, on the database itself. */
export function addAccountCommands(gw: Command): void {
  const accounts = gw
    .command('accounts')
    .description('accounts of people (with PGlite, while the gateway is stopped; with PostgreSQL at any time)');

  accounts
    .command('list')
    .description('list accounts that people log in with, oldest first: id, e-mail, name, role, active or not')
    .action(() =>
      withAdmin(async (admin) => {
        for (const { id, email, name, role, verifiedAt } of await admin.list()) {
          console.log([id, email, name, role, verifiedAt === null ? 'not active' : 'active'].join('\t'));
        }
      }),
    );

  accounts
    .command('create-ops <email>')
    .description('make an account of ops; prints a link that works once, to set its password')
    .option('--name <name>', 'as it is shown', 'Ops')
    .action((email: string, { name }: { name: string }) =>
      withAdmin(async (admin, config) => {
        const address = z.email().max(254).safeParse(email.trim().toLowerCase());
        if (!address.success) throw new Error(`"${email}" is no e-mail address`);
        const { id, secret } = await admin.createOps(name, address.data);
        console.log(siteUrl(config, config.http.port, `/reset/${secret}`));
        console.error(
          `${id}: made. Whoever opens the link within ${config.portal.resetMinutes} minutes sets the password.`,
        );
        if (config.http.publicUrl === undefined)
          console.error('PUBLIC_URL is not set: put the address of the gateway into the link if it is another.');
      }),
    );

  for (const [name, role, what] of [
    ['promote', 'ops', 'let an active account do what ops may do'],
    ['demote', 'developer', 'make an account of ops one of a developer'],
  ] as const) {
    accounts
      .command(`${name} <account>`)
      .description(`${what}; by its id or e-mail address`)
      .action((account: string) =>
        withAdmin(async (admin) => {
          const row = await admin.setRole(account, role);
          console.log(`${row.id}: ${row.role}`);
        }),
      );
  }
}

async function withAdmin(work: (admin: AccountAdmin, config: Config) => Promise<void>): Promise<void> {
  const { config } = loadConfig(configFolder(process.env), process.env);
  const database = await openGatewayDatabase(config);
  try {
    await work(new AccountAdmin(database, config), config);
  } finally {
    await database.close();
  }
}
