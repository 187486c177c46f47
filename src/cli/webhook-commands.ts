import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { ApplicationsService } from '../auth/applications.service.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { LAST_INSTANT } from '../http/fields.js';
import { ProductsService } from '../products/products.service.js';
import { DeliveryLog, type DeliveryRow } from '../webhooks/delivery-log.js';
import {
  type Endpoint,
  EndpointStore,
  MOST_ENDPOINTS,
  TEST_SECONDS,
  type WithSecret,
} from '../webhooks/endpoint-store.js';
import { urlProblem } from '../webhooks/endpoint-url.js';
import { EVENT_TYPE_NAMES } from '../webhooks/event-types.js';
import { WebhookSecrets } from '../webhooks/webhook-secrets.js';
import { allowsLoopback } from '../webhooks/webhook-sender.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { printRows } from './table.js';
import { versionsOf } from './versions-of.js';

const ACTOR = 'ops';
const MOST_LISTED = 100;
const FOLLOW_MS = 1_000;
const MOST_HOURS = 168;

/** What the commands work with. */
interface Handlers extends OpenedGateway {
  readonly endpoints: EndpointStore;
  readonly log: DeliveryLog;
}

/** Adds `gw webhooks …`, with which operators see and manage the endpoints of applications. */
export function addWebhookCommands(gw: Command, run: CommandRun): void {
  const webhooks = gw.command('webhooks').description('manage the endpoints of applications and their events');
  const withHandlers = (work: (handlers: Handlers) => Promise<void>) =>
    run.gateway((gateway) => work(handlersOf(gateway)));
  const withEndpoint = (id: string, work: (endpoint: Endpoint, handlers: Handlers) => Promise<void>) =>
    withHandlers(async (handlers) => work(await endpointOf(handlers, id), handlers));

  webhooks
    .command('list <application>')
    .description('list the endpoints of an application, oldest first: id, state, URL, types, failing since')
    .option('--json', 'print them as JSON')
    .action((application: string, { json }: { json?: boolean }) =>
      withHandlers(async ({ endpoints }) => {
        const rows = (await endpoints.list(application)).map(({ id, state, url, events, failingSince }) => [
          ...[id, state, url, events?.join(',') ?? 'all', failingSince?.toISOString() ?? '-'],
        ]);
        printRows(run, ['id', 'state', 'url', 'events', 'failing_since'], rows, json);
      }),
    );

  changing(webhooks.command('add <application> <url>'))
    .description('add an endpoint; prints it with its signing secret, which is shown only once, as JSON')
    .option('--events <types>', `comma-separated: ${EVENT_TYPE_NAMES.join(', ')}; default: all`)
    .action((application: string, url: string, { events }: { events?: string }) =>
      withHandlers(async (handlers) => {
        const problem = urlProblem(url, allowsLoopback(handlers.config));
        if (problem !== undefined) throw new Error(`the URL ${problem}`);
        const accountId = await accountOf(handlers, application);
        const settings = { url, events: typesFrom(events), description: '', state: 'active' as const };
        const made = await handlers.endpoints.create({ applicationId: application, accountId }, settings, ACTOR);
        if (made === 'too_many') throw new Error(`an application can have at most ${MOST_ENDPOINTS} endpoints`);
        if (made === 'url_taken') throw new Error('another endpoint of the application has this URL');
        printSecret(run, made);
      }),
    );

  changing(webhooks.command('rotate <endpoint>'))
    .description('replace the signing secret; prints the new one, which is shown only once, as JSON')
    .option('--overlap <hours>', 'how long the secret before signs as well', '24')
    .action((id: string, { overlap }: { overlap: string }) =>
      withEndpoint(id, async ({ applicationId }, { endpoints }) => {
        if (!/^\d{1,3}$/.test(overlap) || Number(overlap) > MOST_HOURS)
          throw new Error(`--overlap must be a whole number of hours from 0 to ${MOST_HOURS}`);
        const rotated = await endpoints.rotate(applicationId, id, Number(overlap), ACTOR);
        if (rotated) printSecret(run, rotated);
      }),
    );

  for (const [name, state, what] of [
    ['enable', 'active', 'send events to an endpoint, including those that wait'],
    ['disable', 'disabled', 'send no events to an endpoint and keep none for it'],
  ] as const) {
    changing(webhooks.command(`${name} <endpoint>`))
      .description(what)
      .action((id: string) =>
        withEndpoint(id, async ({ applicationId }, { endpoints }) => {
          await endpoints.change(applicationId, id, { state }, ACTOR);
          run.print(`${id}: ${state}`);
        }),
      );
  }

  changing(webhooks.command('delete <endpoint>'))
    .description('delete an endpoint with its events')
    .option('--yes', 'do not ask')
    .action((id: string, { yes }: { yes?: boolean }) =>
      withEndpoint(id, async ({ applicationId, url }, { endpoints }) => {
        if (!yes && !(await run.confirm(`Delete ${url} with its events?`))) return;
        await endpoints.remove(applicationId, id, ACTOR);
        run.print(`${id}: deleted`);
      }),
    );

  webhooks
    .command('test <endpoint>')
    .description('send a test event to an active endpoint')
    .option('--json', 'print its id and state as JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      withEndpoint(id, async (endpoint, { endpoints }) => {
        checkActive(endpoint);
        const eventId = await endpoints.test(endpoint);
        if (eventId === undefined)
          throw new Error(
            `${endpoint.id} had a test event less than ${TEST_SECONDS} seconds ago. Wait, then try again.`,
          );
        run.print(json ? JSON.stringify({ event_id: eventId, state: 'queued' }) : `${eventId}: queued`);
      }),
    );

  webhooks
    .command('deliveries <endpoint>')
    .description(
      `list the newest ${MOST_LISTED} events of an endpoint: time, event, type, subject, state, attempts, last status or error`,
    )
    .option('--follow <seconds>', 'oldest first, and what happens during that time (1-3600)')
    .option('--json', 'print them as JSON; not with --follow')
    .action((id: string, { follow, json }: { follow?: string; json?: boolean }) =>
      withEndpoint(id, async (_endpoint, { log }) => {
        if (follow !== undefined && !(/^\d{1,4}$/.test(follow) && Number(follow) >= 1 && Number(follow) <= 3_600))
          throw new Error('--follow must be a whole number of seconds from 1 to 3600');
        if (follow !== undefined) await tail(run, log, id, Number(follow));
        else {
          const rows = (await log.list(id, { limit: MOST_LISTED })).map(cellsOf);
          printRows(run, ['time', 'event', 'type', 'subject', 'state', 'attempts', 'last'], rows, json);
        }
      }),
    );

  webhooks
    .command('replay <endpoint>')
    .description('send one event again, or those since a time (at most 1000), with their ids')
    .option('--event <id>', 'evt_…')
    .option('--since <time>', 'UTC time (ISO 8601)')
    .option('--json', 'print how many are queued as JSON')
    .action((id: string, { event, since, json }: { event?: string; since?: string; json?: boolean }) =>
      withEndpoint(id, async (endpoint, { log }) => {
        if ((event === undefined) === (since === undefined)) throw new Error('give either --event or --since');
        checkActive(endpoint);
        if (event !== undefined && !(await log.replay(id, event))) throw new Error(`${id} has no event ${event}`);
        const at = Date.parse(since ?? '');
        if (since !== undefined && !(at >= 0 && at <= LAST_INSTANT))
          throw new Error('--since must be a time from 1970 to 9999, such as 2027-05-01T10:00:00Z');
        const queued = since === undefined ? 1 : await log.replaySince(id, at);
        run.print(json ? JSON.stringify({ queued }) : `${queued} events queued`);
      }),
    );
}

/** Prints each event again whenever its state or number of attempts changes. */
async function tail(run: CommandRun, log: DeliveryLog, id: string, seconds: number): Promise<void> {
  const printed = new Map<string, string>();
  for (const end = performance.now() + seconds * 1_000; ; await wait(FOLLOW_MS)) {
    for (const row of (await log.list(id, { limit: MOST_LISTED })).toReversed()) {
      const line = cellsOf(row).join('\t');
      if (printed.get(row.eventId) === line) continue;
      printed.set(row.eventId, line);
      run.print(line);
    }
    if (performance.now() >= end) return;
  }
}

function cellsOf({ at, eventId, type, subject, state, attempts, lastStatus, lastError }: DeliveryRow) {
  return [new Date(at).toISOString(), eventId, type, subject, state, attempts, lastStatus ?? lastError ?? '-'];
}

function typesFrom(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  const types = [...new Set(text.split(',').map((type) => type.trim()))];
  const unknown = types.find((type) => !(EVENT_TYPE_NAMES as readonly string[]).includes(type));
  if (unknown !== undefined) throw new Error(`there is no type "${unknown}"; use ${EVENT_TYPE_NAMES.join(', ')}`);
  return types;
}

function printSecret(run: CommandRun, { endpoint: { id, url }, secret }: WithSecret): void {
  run.print(JSON.stringify({ endpoint_id: id, url, secret }, null, 2));
}

function checkActive({ id, state }: Endpoint): void {
  if (state !== 'active') throw new Error(`${id} is ${state}: enable it first`);
}

async function endpointOf({ endpoints }: Handlers, id: string): Promise<Endpoint> {
  const endpoint = await endpoints.get(id);
  if (!endpoint) throw new Error(`there is no endpoint ${id}`);
  return endpoint;
}

async function accountOf({ folder, config, keys, database }: Handlers, application: string): Promise<string> {
  const versions = versionsOf(folder, database, config);
  const products = new ProductsService(folder, database, versions, config);
  const policy = await new ApplicationsService(database, new ClientSecrets(config, keys), products).policyOf(
    application,
  );
  if (policy?.environment !== config.environment) throw new Error(`there is no application ${application}`);
  return policy.accountId;
}

function handlersOf(gateway: OpenedGateway): Handlers {
  const { config, keys, database } = gateway;
  const endpoints = new EndpointStore(database, config, new WebhookSecrets(config, keys));
  return { ...gateway, endpoints, log: new DeliveryLog(database) };
}
