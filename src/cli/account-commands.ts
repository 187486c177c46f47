import type { Command } from 'commander';
import { z } from 'zod';
import { AccountAdmin } from '../accounts/account-admin.js';
import { linkPath } from '../accounts/account-links.js';
import type { Config } from '../config/config.schema.js';
import { siteUrl } from '../mail/site-address.js';
import { addAccountDataCommands } from './account-data-commands.js';
import { changing } from './changing.js';
import type { CommandRun } from './command-run.js';
import { printRows } from './table.js';
import { addAccountTier } from './tier-commands.js';

/** Adds `gw accounts …`, which lists accounts and manages operators. */
export function addAccountCommands(gw: Command, run: CommandRun): void {
  const accounts = gw.command('accounts').description('manage accounts');
  const withAdmin = (work: (admin: AccountAdmin, config: Config) => Promise<void>) =>
    run.gateway(({ database, config, keys }) => work(new AccountAdmin(database, config, keys), config));

  accounts
    .command('list')
    .description('list accounts, oldest first: id, email, name, role, active or not active')
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      withAdmin(async (admin) => {
        const rows = (await admin.list()).map(({ id, email, name, role, verifiedAt }) => {
          return [id, email, name, role, verifiedAt === null ? 'not active' : 'active'];
        });
        printRows(run, ['account', 'email', 'name', 'role', 'state'], rows, json);
      }),
    );

  changing(accounts.command('create-ops <email>'))
    .description('create an operator account; prints a one-time link for setting its password')
    .option('--name <name>', 'display name', 'Ops')
    .action((email: string, { name }: { name: string }) =>
      withAdmin(async (admin, config) => {
        refuseKeys(run);
        const address = z.email().max(254).safeParse(email.trim().toLowerCase());
        if (!address.success) throw new Error(`"${email}" is not a valid email address`);
        const { id, secret } = await admin.createOps(name, address.data);
        run.print(siteUrl(config, config.http.port, linkPath('reset', secret)));
        run.tell(
          `${id}: created. The link expires in ${config.portal.resetMinutes} minutes; anyone who opens it can set the password.`,
        );
        if (config.http.publicUrl === undefined)
          run.tell("PUBLIC_URL isn't set. If the gateway has a different address, change it in the link.");
      }),
    );

  addAccountDataCommands(accounts, run);
  addAccountTier(accounts, run);
  changing(accounts.command('reset-factor <account>'))
    .description(
      'turn off two-factor authentication for an account whose device and recovery codes are lost, and email its owner; takes an id or email address',
    )
    .action((account: string) =>
      withAdmin(async (admin) => {
        const row = await admin.resetFactor(account, run.origin?.channel === 'admin_api' ? 'developer' : undefined);
        run.print(`${row.id}: two-factor authentication is off`);
        if (row.role === 'ops')
          run.tell('In production, this operator must set it up again to open the operator pages.');
      }),
    );

  for (const [name, role, what] of [
    ['promote', 'ops', 'make an active account an operator'],
    ['demote', 'developer', 'make an operator a developer again'],
  ] as const) {
    changing(accounts.command(`${name} <account>`))
      .description(`${what}; takes an id or email address`)
      .action((account: string) =>
        withAdmin(async (admin) => {
          if (role === 'ops') refuseKeys(run);
          const row = await admin.setRole(account, role);
          run.print(`${row.id}: ${row.role}`);
        }),
      );
  }
}

/** Why a key of the admin API makes no account an operator. */
export const NO_OPERATORS =
  "A key of the admin API can't make an account an operator, because its holder could outlast its revocation. Do it at /ops/commands, or with gw on the machine of a gateway.";

function refuseKeys({ origin }: CommandRun): void {
  if (origin?.channel === 'admin_api') throw new Error(NO_OPERATORS);
}
