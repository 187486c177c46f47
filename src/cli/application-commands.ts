import type { Command } from 'commander';
import { resealFactors } from '../accounts/factor-resealing.js';
import { ApplicationAdmin, type TokensEnded } from '../auth/application-admin.js';
import type { Credentials } from '../auth/application-records.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { renewHmacs, rewrapSecrets } from '../auth/secret-rewrapping.js';
import { acceptedKeys } from '../config/keys.js';
import { createLogger } from '../config/logger.js';
import { keySummaries } from '../config/sealed-text.js';
import { signAudit } from '../database/audit-signing.js';
import { UNSEEN } from '../http/fields.js';
import { Outbox } from '../mail/outbox.js';
import { ProductsService } from '../products/products.service.js';
import { ReservationKeys } from '../reservations/reservation-keys.js';
import { WebhookSecrets } from '../webhooks/webhook-secrets.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { addOriginCommand } from './origin-command.js';
import { recordedRotation } from './recorded-rotation.js';
import { printRows } from './table.js';
import { addApplicationTier } from './tier-commands.js';
import { versionsOf } from './versions-of.js';

const ACTOR = 'ops';
const HOUR_MS = 3_600_000;
const APPLICATION_COLUMNS = [
  'application',
  'account',
  'name',
  'client_id',
  'environment',
  'tier',
  'state',
  'live_secrets',
];

/** The dependencies of a command. */
interface Handlers extends OpenedGateway {
  readonly admin: ApplicationAdmin;
  readonly secrets: ClientSecrets;
  readonly products: ProductsService;
}

type WithHandlers = (work: (handlers: Handlers) => Promise<void>) => Promise<void>;

/**
 * Adds `gw apps …`, `gw secrets …` and `gw keys …`, which manage applications and their credentials in the database.
 */
export function addApplicationCommands(gw: Command, run: CommandRun): void {
  const withHandlers: WithHandlers = (work) => run.gateway((gateway) => work(handlersOf(gateway)));
  const apps = gw.command('apps').description('manage applications');
  addApps(apps, run, withHandlers);
  addOriginCommand(apps, run);
  addApplicationTier(apps, run);
  addSecrets(gw.command('secrets').description('manage client secrets'), run, withHandlers);
  const keys = gw.command('keys').description('manage the keys that encrypt stored data');
  changing(keys.command('rotate'))
    .description(
      're-encrypt client secrets, second factors, personal data and queued emails with the first of CLIENT_SECRET_KEYS and PERSONAL_DATA_KEYS, which every gateway must have; afterwards, the other keys can be removed',
    )
    .action(() => withHandlers((handlers) => rotateKeys(handlers, run)));
}

function addApps(apps: Command, run: CommandRun, withHandlers: WithHandlers): void {
  changing(apps.command('create <name>'))
    .description('create an application in the environment of FORECOURT_ENV; prints its credentials as JSON')
    .option('--account <id>', 'account that owns it; default: a new account')
    .option('--tier <name>', 'a tier of config/tiers.yaml', 'standard')
    .option('--products <ids>', 'comma-separated products to subscribe to; default: all')
    .action((name: string, options: { account?: string; tier: string; products?: string }) =>
      withHandlers(async ({ admin, products }) => {
        if (name.trim() === '' || name.length > 100 || UNSEEN.test(name))
          throw new Error('the name must be 1 to 100 visible characters');
        products.limitsOf(options.tier);
        const all = products.seeds.map(({ id }) => id);
        const chosen = [...new Set(options.products?.split(',').map((id) => id.trim()) ?? all)];
        const unknown = chosen.find((id) => !all.includes(id));
        if (unknown !== undefined)
          throw new Error(`there is no product "${unknown}"; config/products.yaml has ${all.join(', ')}`);
        await products.seed();
        print(
          run,
          await admin.create({ name, accountId: options.account, tier: options.tier, products: chosen }, ACTOR),
        );
      }),
    );

  apps
    .command('list')
    .description(
      'list applications, oldest first: id, account, name, client_id, environment, tier, state, live secrets',
    )
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      withHandlers(async ({ admin }) => {
        const rows = (await admin.list()).map((row) => {
          const { applicationId, accountId, name, clientId, environment, tier, state, liveSecrets } = row;
          return [applicationId, accountId, name, clientId, environment, tier, state, liveSecrets];
        });
        printRows(run, APPLICATION_COLUMNS, rows, json);
      }),
    );

  apps
    .command('show <application>')
    .description(
      'print an application with its products and the metadata of its secrets as JSON; for secret values, use gw secrets show',
    )
    .option('--json', 'as without it')
    .action((id: string) =>
      withHandlers(async ({ admin }) => run.print(JSON.stringify(await admin.read(id), null, 2))),
    );

  for (const [name, state, what] of [
    ['suspend', 'suspended', 'reject its credentials with 401 and revoke its tokens'],
    ['resume', 'active', 'allow a suspended application to get tokens again'],
  ] as const) {
    changing(apps.command(`${name} <application>`))
      .description(what)
      .action((id: string) =>
        withHandlers(async ({ admin }) => {
          const ended = await admin.setState(id, state, ACTOR);
          run.print(`${id}: ${state}`);
          if (state === 'suspended') sayEnded(run, ended);
        }),
      );
  }
}

function addSecrets(secrets: Command, run: CommandRun, withHandlers: WithHandlers): void {
  changing(secrets.command('rotate <application>'))
    .description('create a new secret and print it as JSON; older secrets expire after the overlap')
    .option('--overlap <hours>', 'how long older secrets stay valid', '24')
    .action((id: string, { overlap }: { overlap: string }) =>
      withHandlers(async ({ admin }) => {
        const hours = Number(overlap);
        if (overlap.trim() === '' || !(hours >= 0 && hours <= 8_760))
          throw new Error('--overlap must be a number of hours from 0 to 8760');
        const until = new Date(Date.now() + hours * HOUR_MS);
        print(run, await admin.rotate(id, until, ACTOR));
        run.tell(`The older secrets expire at ${until.toISOString()}.`);
      }),
    );

  changing(secrets.command('revoke <secret>'))
    .description('revoke a secret (sec_…) and the tokens issued with it immediately')
    .action((id: string) =>
      withHandlers(async ({ admin }) => {
        const ended = await admin.revoke(id, ACTOR);
        run.print(`${id}: revoked`);
        sayEnded(run, ended);
      }),
    );

  changing(secrets.command('show <application>'))
    .description(
      'print the active secrets of an application in plain text: id, secret, expiry, last use; recorded in the audit log',
    )
    .action((id: string) =>
      withHandlers(async ({ admin }) => {
        const secrets = await admin.show(id, ACTOR);
        run.tell('Client secrets follow in plain text. This access is recorded in the audit log.');
        const rows = secrets.map(({ id: secretId, clientSecret, expiresAt, lastUsedAt }) => [
          ...[secretId, clientSecret ?? '(cannot be shown)', expiresAt?.toISOString() ?? 'never expires'],
          lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used',
        ]);
        printRows(run, ['secret', 'value', 'expires', 'last_used'], rows, false);
      }),
    );
}

async function rotateKeys({ config, keys, database, secrets }: Handlers, run: CommandRun): Promise<void> {
  const using = Object.entries(keySummaries(config, keys)).map(([variable, summary]) => `${variable} ${summary}`);
  run.tell(`${using.join('; ')}.`);
  run.tell(
    'A gateway without the keys that encrypt answers 503 for what is re-encrypted (docs/authentication.md#rotate-a-key).',
  );
  const done = await recordedRotation({ database, config, keys }, async () => {
    const { wrapped, unreadable } = await rewrapSecrets(database, config.environment, secrets);
    const hmacs = keys.other && (await renewHmacs(database, config.environment, secrets));
    let resealed = 0;
    for await (const count of new ReservationKeys(database, config, keys).reseal()) resealed += count;
    const mails = await new Outbox(database, config, keys, createLogger('silent')).reseal();
    const factors = await resealFactors(database, config, keys);
    const webhooks = await new WebhookSecrets(config, keys).rewrapAll(database, config.environment);
    return {
      client_secrets: wrapped,
      ...(hmacs && { client_secret_hmacs: hmacs.renewed, foreign_client_secrets: hmacs.unreadable }),
      personal_data: resealed,
      mails: mails.resealed,
      second_factors: factors.resealed,
      webhook_secrets: webhooks.wrapped,
      unreadable,
      unreadable_webhooks: webhooks.unreadable,
      unreadable_mails: mails.unreadable,
      unreadable_second_factors: factors.unreadable,
    };
  });
  run.print(
    `${done.client_secrets} client secrets, ${done.webhook_secrets} webhook secrets, ${done.second_factors} second factors, ${done.personal_data} sets of personal data and ${done.mails} queued emails re-encrypted`,
  );
  if (keys.other) run.print(`${done.client_secret_hmacs} client secrets from now on without FORECOURT_OTHER_SECRET`);
  const altered =
    keys.other && (await signAudit(database, config.environment, acceptedKeys(keys, 'audit_checkpoint'))).problem;
  const problems = [
    [altered ? ['gw audit verify'] : [], 'the audit log was altered, so the previous secret must stay; see'],
    [
      done.foreign_client_secrets ?? [],
      'these secrets cannot be decrypted, so they may end with FORECOURT_OTHER_SECRET',
    ],
    [done.unreadable, 'these secrets cannot be decrypted; they still work but cannot be shown'],
    [done.unreadable_second_factors, 'the second factors of these accounts cannot be decrypted'],
    [done.unreadable_webhooks, 'the secrets of these webhook endpoints cannot be decrypted'],
    [done.unreadable_mails, 'these queued emails cannot be decrypted'],
  ] as const;
  const found = problems.flatMap(([ids, what]) => (ids.length > 0 ? [`${what}: ${ids.join(', ')}`] : []));
  if (found.length > 0) throw new Error(found.join('; '));
}

function print(run: CommandRun, { accountId, applicationId, clientId, secretId, clientSecret }: Credentials): void {
  const shown = {
    account_id: accountId,
    application_id: applicationId,
    client_id: clientId,
    secret_id: secretId,
    client_secret: clientSecret,
  };
  run.print(JSON.stringify(shown, null, 2));
}

function sayEnded(run: CommandRun, tokens: TokensEnded): void {
  if (tokens !== undefined) run.tell(`${tokens} active tokens revoked on every gateway.`);
  else
    run.tell(
      'Active tokens are kept in the memory of the gateway because REDIS_URL is not set: restart the gateway to revoke them.',
    );
}

function handlersOf(gateway: OpenedGateway): Handlers {
  const { folder, config, keys, database, store } = gateway;
  const secrets = new ClientSecrets(config, keys);
  const versions = versionsOf(folder, database, config);
  return {
    ...gateway,
    secrets,
    admin: new ApplicationAdmin(database, config.environment, secrets, store),
    products: new ProductsService(folder, database, versions, config),
  };
}
