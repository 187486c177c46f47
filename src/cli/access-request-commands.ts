import type { Command } from 'commander';
import type { AccessRequestRow } from '../auth/access-request-list.js';
import { AccessRequests } from '../auth/access-requests.js';
import { ApplicationsService } from '../auth/applications.service.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { PolicyUpdates } from '../auth/policy-updates.js';
import { createLogger } from '../config/logger.js';
import { Outbox } from '../mail/outbox.js';
import { siteUrl } from '../mail/site-address.js';
import { emailDecision } from '../portal/applications/access-request-mail.js';
import { ProductsService } from '../products/products.service.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { printRows } from './table.js';
import { versionsOf } from './versions-of.js';

const ACTOR = 'ops';

const COLUMNS = ['request', 'state', 'application', 'name', 'account', 'products', 'message', 'copied'];
const STATES = { requested: 'requested', approved: 'approved', refused: 'rejected' } as const;

/** Adds `gw access-requests …`, which works on the database. A running gateway delivers the emails within a minute. */
export function addAccessRequestCommands(gw: Command, run: CommandRun): void {
  const withAccessRequests = (work: (requests: AccessRequests) => Promise<void>) =>
    run.gateway((gateway) => work(accessRequestsOf(gateway)));
  const commands = gw.command('access-requests').description('manage production access requests');

  commands
    .command('list')
    .description(
      'list open requests, oldest first, then decided ones: id, state, application, name, account, products, message',
    )
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      withAccessRequests(async (requests) => {
        const all: AccessRequestRow[] = [];
        let after: string | undefined;
        do {
          const { rows, next } = await requests.open(after);
          all.push(...rows);
          after = next;
        } while (after !== undefined);
        printRows(
          run,
          json ? COLUMNS : COLUMNS.slice(0, -1),
          [...all, ...(await requests.decided())].map((row) => cellsOf(row, json)),
          json,
        );
      }),
    );

  changing(commands.command('approve <request>'), 'own')
    .description(
      'create the production application, or give it the products of the request, and email the developer; with FORECOURT_ENV=production',
    )
    .option('--reason <text>', 'comment for the developer', '')
    .option('--copied <digest>', 'only if what is copied to production is still as in `list --json`')
    .action((id: string, { reason, copied }: { reason: string; copied?: string }) =>
      withAccessRequests(async (requests) => {
        await requests.approve(id, reason.trim(), ACTOR, copied);
        run.print(`${id}: approved`);
      }),
    );

  changing(commands.command('reject <request>'), 'own')
    .description('reject the request and email the developer the reason; with FORECOURT_ENV=production')
    .requiredOption('--reason <text>', 'reason for the developer')
    .action((id: string, { reason }: { reason: string }) =>
      withAccessRequests(async (requests) => {
        await requests.refuse(id, reason.trim(), ACTOR);
        run.print(`${id}: rejected`);
      }),
    );
}

function cellsOf(row: AccessRequestRow, json: boolean | undefined): readonly string[] {
  const { id, state, applicationId, applicationName, accountId, products, message, copied } = row;
  const columns = [id, STATES[state], applicationId, applicationName, accountId, products.join(',')];
  // JSON keeps a multi-line message on one line.
  return json ? [...columns, message, copied] : [...columns, JSON.stringify(message)];
}

function accessRequestsOf({ folder, config, keys, database, store }: OpenedGateway): AccessRequests {
  const logger = createLogger('silent');
  const outbox = new Outbox(database, config, keys, logger);
  const notify = emailDecision(outbox, (path) => siteUrl(config, config.http.port, path));
  const secrets = new ClientSecrets(config, keys);
  const products = new ProductsService(folder, database, versionsOf(folder, database, config), config);
  // Without the store, tokens of a running gateway get the change when the application requests its next one.
  const policies = store
    ? new PolicyUpdates(new ApplicationsService(database, secrets, products), store)
    : { publish: async () => undefined };
  return new AccessRequests(database, config, secrets, notify, policies);
}
