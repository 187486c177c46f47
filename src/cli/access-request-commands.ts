import type { Command } from 'commander';
import { AccessRequests } from '../auth/access-requests.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { configFolder } from '../boot.js';
import { loadKeys } from '../config/keys.js';
import { loadConfig } from '../config/load-config.js';
import { createLogger } from '../config/logger.js';
import { Outbox } from '../mail/outbox.js';
import { siteUrl } from '../mail/site-address.js';
import { emailDecision } from '../portal/applications/access-request-mail.js';
import { openGatewayDatabase } from './gateway-database.js';

const ACTOR = 'ops';

/** Adds `gw launches …`: requests of developers for production, on the database itself. A running gateway delivers the mails within a minute. */
export function addAccessRequestCommands(gw: Command): void {
  const launches = gw
    .command('launches')
    .description('requests for production (with PGlite, while the gateway is stopped; with PostgreSQL at any time)');

  launches
    .command('list')
    .description(
      'list open requests, oldest first, then decided ones: id, state, application, name, account, products, message',
    )
    .action(() =>
      withAccessRequests(async (requests) => {
        for (const row of await requests.list()) {
          const { id, state, applicationId, applicationName, accountId, products, message } = row;
          // JSON: what developers write stays on its line.
          console.log(
            [id, state, applicationId, applicationName, accountId, products.join(','), JSON.stringify(message)].join(
              '\t',
            ),
          );
        }
      }),
    );

  launches
    .command('approve <request>')
    .description('make the production application, and write to the developer')
    .option('--reason <text>', 'what the developer is told', '')
    .action((id: string, { reason }: { reason: string }) =>
      withAccessRequests(async (requests) => {
        await requests.approve(id, reason.trim(), ACTOR);
        console.log(`${id}: approved`);
      }),
    );

  launches
    .command('refuse <request>')
    .description('write to the developer why not')
    .requiredOption('--reason <text>', 'what the developer is told')
    .action((id: string, { reason }: { reason: string }) =>
      withAccessRequests(async (requests) => {
        await requests.refuse(id, reason.trim(), ACTOR);
        console.log(`${id}: refused`);
      }),
    );
}

async function withAccessRequests(work: (requests: AccessRequests) => Promise<void>): Promise<void> {
  const { config } = loadConfig(configFolder(process.env), process.env);
  const database = await openGatewayDatabase(config);
  const keys = loadKeys(config);
  try {
    const outbox = new Outbox(database, config, keys, createLogger('silent'));
    const tell = emailDecision(outbox, (path) => siteUrl(config, config.http.port, path));
    await work(new AccessRequests(database, new ClientSecrets(config, keys), tell));
  } finally {
    await database.close();
  }
}
