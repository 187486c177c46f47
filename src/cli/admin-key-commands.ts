import type { Command } from 'commander';
import { ADMIN_ROLES, AdminKeys } from '../admin-keys/admin-keys.js';
import { UNSEEN } from '../http/fields.js';
import { changing } from './changing.js';
import type { CommandRun } from './command-run.js';
import { endTime } from './end-time.js';
import { printRows } from './table.js';

const ACTOR = 'ops';
const DAY_MS = 86_400_000;
const MOST_DAYS = 366;
const COLUMNS = ['key', 'name', 'role', 'state', 'created', 'expires', 'last_used'];

interface CreateOptions {
  readonly name: string;
  readonly role: string;
  readonly expires: string;
}

/** Adds `gw admin-keys …`, which manages the keys of the admin API (docs/admin-api.md). */
export function addAdminKeyCommands(gw: Command, run: CommandRun): void {
  const parent = gw.command('admin-keys').description('manage the keys with which operators call the admin API');
  const withKeys = (work: (keys: AdminKeys, environment: string) => Promise<void>) =>
    run.gateway(({ database, config: { environment } }) => work(new AdminKeys(database, environment), environment));

  changing(parent.command('create'))
    .description('create a key; prints it with its private key, which is shown only once, as JSON for --key-file')
    .requiredOption('--name <name>', 'whose key it is, or what uses it')
    .requiredOption('--role <role>', `${ADMIN_ROLES.join(' | ')}: a viewer only reads`)
    .requiredOption('--expires <time>', `UTC time (ISO 8601), at most ${MOST_DAYS} days from now`)
    .action((options: CreateOptions) =>
      withKeys(async (keys, environment) => {
        // The holder of a key could otherwise outlast its revocation.
        if (run.origin?.channel === 'admin_api') throw new Error('keys are created on the machine of a gateway only');
        const key = keyFrom(options);
        const { id, privateKey } = await keys.create(key, ACTOR);
        const expires = key.expiresAt.toISOString();
        run.print(JSON.stringify({ key_id: id, ...options, expires, environment, private_key: privateKey }, null, 2));
      }),
    );

  parent
    .command('list')
    .description('list keys, oldest first: id, name, role, active or revoked or expired, created, expires, last used')
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      withKeys(async (keys) => {
        const rows = (await keys.list()).map(({ id, name, role, createdAt, expiresAt, revokedAt, lastUsedAt }) => {
          const state = revokedAt ? 'revoked' : expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
          return [id, name, role, state, ...[createdAt, expiresAt, lastUsedAt].map((at) => at?.toISOString() ?? '-')];
        });
        printRows(run, COLUMNS, rows, json);
      }),
    );

  changing(parent.command('revoke <key>'))
    .description('refuse every further call that a key signs')
    .action((id: string) =>
      withKeys(async (keys) => {
        if (!(await keys.revoke(id, ACTOR))) throw new Error(`there is no key ${id} that isn't revoked`);
        run.print(`${id}: revoked`);
      }),
    );
}

function keyFrom({ name, role: word, expires }: CreateOptions) {
  if (name.trim() === '' || name.length > 100 || UNSEEN.test(name))
    throw new Error('--name must be 1 to 100 visible characters');
  const role = ADMIN_ROLES.find((one) => one === word);
  if (!role) throw new Error(`there is no role "${word}"; use ${ADMIN_ROLES.join(' or ')}`);
  const expiresAt = endTime(expires, '--expires');
  if (!expiresAt || expiresAt.getTime() > Date.now() + MOST_DAYS * DAY_MS)
    throw new Error(`--expires must be at most ${MOST_DAYS} days from now`);
  return { name, role, expiresAt };
}
