import type { Command } from 'commander';
import type { AccessRequestRow } from '../auth/access-request-list.js';
import { AccessRequests } from '../auth/access-requests.js';
import { ApplicationsService } from '../auth/applications.service.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { PolicyUpdates } from '../auth/policy-updates.js';
import { configFolder } from '../boot.js';
import { loadKeys } from '../config/keys.js';
import { loadConfig } from '../config/load-config.js';
import { createLogger } from '../config/logger.js';
import { Outbox } from '../mail/outbox.js';
import { siteUrl } from '../mail/site-address.js';
import { emailDecision } from '../portal/applications/access-request-mail.js';
import { ProductsService } from '../products/products.service.js';
import { VersionRegistry } from '../products/version-registry.js';
import { openGatewayDatabase, openSharedStore } from './gateway-database.js';

const ACTOR = 'ops';

const STATES = { requested: 'requested', approved: 'approved', refused: 'rejected' } as const;

/** Adds `gw access-requests …`, which works directly on the database. A running gateway delivers the emails within a minute. */
export function addAccessRequestCommands(gw: Command): void {
  const commands = gw
    .command('access-requests')
    .description(
      'manage production access requests (with PGlite, only while the gateway is stopped; with PostgreSQL, at any time)',
    );

  commands
    .command('list')
    .description(
      'list open requests, oldest first, then decided ones: id, state, application, name, account, products, message',
    )
    .action(() =>
      withAccessRequests(async (requests) => {
        let after: string | undefined;
        do {
          const { rows, next } = await requests.open(after);
          for (const row of rows) print(row);
          after = next;
        } while (after !== undefined);
        for (const row of await requests.decided()) print(row);
      }),
    );

  commands
    .command('approve <request>')
    .description(
      'create the production application, or give it the products of the request, and email the developer; with FORECOURT_ENV=production',
    )
    .option('--reason <text>', 'comment for the developer', '')
    .action((id: string, { reason }: { reason: string }) =>
      withAccessRequests(async (requests) => {
        await requests.approve(id, reason.trim(), ACTOR);
        console.log(`${id}: approved`);
      }),
    );

  commands
    .command('reject <request>')
    .description('reject the request and email the developer the reason; with FORECOURT_ENV=production')
    .requiredOption('--reason <text>', 'reason for the developer')
    .action((id: string, { reason }: { reason: string }) =>
      withAccessRequests(async (requests) => {
        await requests.refuse(id, reason.trim(), ACTOR);
        console.log(`${id}: rejected`);
      }),
    );
}

function print(row: AccessRequestRow): void {
  const { id, state, applicationId, applicationName, accountId, products, message } = row;
  const columns = [id, STATES[state], applicationId, applicationName, accountId, products.join(',')];
  // JSON keeps a multi-line message on one line.
  console.log([...columns, JSON.stringify(message)].join('\t'));
}

async function withAccessRequests(work: (requests: AccessRequests) => Promise<void>): Promise<void> {
  const folder = configFolder(process.env);
  const { config } = loadConfig(folder, process.env, []);
  const database = await openGatewayDatabase(config);
  const store = await openSharedStore(config);
  const keys = loadKeys(config);
  const logger = createLogger('silent');
  try {
    const outbox = new Outbox(database, config, keys, logger);
    const notify = emailDecision(outbox, (path) => siteUrl(config, config.http.port, path));
    const secrets = new ClientSecrets(config, keys);
    const products = new ProductsService(folder, database, new VersionRegistry(folder, database, logger), config);
    // Without a shared store, tokens of a running gateway get the change when the application requests its next one.
    const policies = store
      ? new PolicyUpdates(new ApplicationsService(database, secrets, products), store)
      : { publish: async () => undefined };
    await work(new AccessRequests(database, config.environment, secrets, notify, policies));
  } finally {
    await store?.close();
    await database.close();
  }
}
