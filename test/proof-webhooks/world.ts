import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { Webhook } from 'standardwebhooks';
import { type Database, openDatabase } from '../../src/database/database.js';
import { accept, type Behavior, type Receiver, refuse, startReceiver } from '../../src/webhooks/fixtures/receiver.js';
import { GatewayClient } from '../proof/client.js';
import { gatewayOf, type RestartableGateway } from '../proof/gateways.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { startPostgres } from '../support/postgres.js';
import type { Arrival } from './judge.js';

const SECRET = 'a-secret-of-the-proof-of-webhooks-0123456789';
const ENDPOINTS = '/cars/webhooks/v1/endpoints';
/** The application with the endpoint `quick` alone, and the one with all the others. Each has an account of its own. */
const APPLICATIONS = { quick: 'demo', mixed: 'demo-throttled' } as const;

export type ApplicationName = keyof typeof APPLICATIONS;
/** Longer than the gateway waits for a response. */
const SILENT_MS = 12_000;

/** The endpoints of the proof, by what they do until they are repaired. */
const BEHAVIORS = {
  quick: accept,
  neighbor: accept,
  dead: (_event, response) => void response.destroy(),
  slow: (event, response) => void setTimeout(() => accept(event, response), SILENT_MS),
  garbage: (_event, response) => void response.socket?.end(`HTTP/1.1 2OO SPAM\r\n${'x'.repeat(9_000)}\r\n\r\n`),
  refusing: refuse(503),
} as const satisfies Record<string, Behavior>;

export type EndpointName = keyof typeof BEHAVIORS;

/** An endpoint with its receiver. */
export interface ProofEndpoint {
  readonly name: EndpointName;
  readonly id: string;
  readonly application: ApplicationName;
  readonly receiver: Receiver;
  /** What arrived while it accepted events, in order; with the number of requests whose signature is wrong. */
  arrivals(): { readonly arrivals: readonly Arrival[]; readonly forged: number };
}

/** Two gateways on a PostgreSQL server of their own, and endpoints of two accounts. */
export interface WebhookWorld {
  readonly database: Database;
  readonly gateways: readonly RestartableGateway[];
  /** Ids of applications. */
  readonly applications: Readonly<Record<ApplicationName, string>>;
  readonly endpoints: readonly ProofEndpoint[];
  /** From now on, all endpoints accept events, and their owners set them active. */
  repair(): Promise<void>;
  /** Events that no endpoint has accepted yet. */
  waiting(): Promise<number>;
  dispose(): Promise<void>;
}

/** An application that calls the gateways. */
interface Owner {
  readonly id: string;
  call(
    method: 'POST' | 'PATCH',
    path: string,
    body: object,
  ): Promise<{ endpoint: { endpoint_id: string; secret: string } }>;
}

/** Starts it. Needs the build. */
export async function startWorld(): Promise<WebhookWorld> {
  const postgres = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-webhooks-'));
  const config = configFolder({ tiers: { ...ROOMY, demo_throttled: ROOMY.demo } });
  const env = { DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET, METRICS_PORT: '0', CONFIG_DIR: config };
  const gateways = await Promise.all(['one', 'two'].map((name) => gatewayOf(name, folder, { env, preload: [] })));
  for (const gateway of gateways) await gateway.start();
  const database = await openDatabase(postgres.url, folder, { migrations: 'wait' });
  const [gateway] = gateways;
  if (!gateway) throw new Error('there must be a gateway');
  const owners = { quick: await ownerOf(gateway, database, 'quick'), mixed: await ownerOf(gateway, database, 'mixed') };
  const repairedAt = { value: Number.POSITIVE_INFINITY };
  const endpoints: ProofEndpoint[] = [];
  for (const [name, behavior] of Object.entries(BEHAVIORS) as [EndpointName, Behavior][])
    endpoints.push(await addEndpoint(owners, name, behavior, () => repairedAt.value));
  return {
    database,
    gateways,
    applications: { quick: owners.quick.id, mixed: owners.mixed.id },
    endpoints,
    repair: async () => {
      repairedAt.value = Date.now();
      for (const { receiver } of endpoints) receiver.become(accept);
      // Tokens were in the memory of a process that was killed since.
      const again = {
        quick: await ownerOf(gateway, database, 'quick'),
        mixed: await ownerOf(gateway, database, 'mixed'),
      };
      for (const { id, application } of endpoints)
        await again[application].call('PATCH', `${ENDPOINTS}/${id}`, { state: 'active' });
    },
    waiting: async () => {
      const [row] = await database.rows<{ count: number }>(
        sql`select count(*)::int as count from webhook_deliveries where state <> 'delivered'`,
      );
      return row?.count ?? 0;
    },
    dispose: async () => {
      for (const gateway of gateways) await gateway.kill();
      for (const { receiver } of endpoints) await receiver.stop();
      await database.close();
      await postgres.dispose();
      for (const path of [folder, config]) rmSync(path, { recursive: true, force: true });
    },
  };
}

async function ownerOf(
  { port, dataFolder }: RestartableGateway,
  database: Database,
  name: ApplicationName,
): Promise<Owner> {
  const client = new GatewayClient([port]);
  const steps = JSON.parse(readFileSync(join(dataFolder, 'first-steps.json'), 'utf8')) as {
    applications: { name: string; client_id: string; client_secret: string }[];
  };
  const { client_id = '', client_secret = '' } =
    steps.applications.find((one) => one.name === APPLICATIONS[name]) ?? {};
  const reply = await client.send(0, { method: 'GET', path: '/oauth/token/v1', headers: { client_id, client_secret } });
  client.token = (JSON.parse(reply?.text ?? '{}') as { access_token: string }).access_token;
  const [row] = await database.rows<{ id: string }>(sql`select id from applications where client_id = ${client_id}`);
  return {
    id: row?.id ?? '',
    call: async (method, path, body) => {
      const answer = await client.send(0, { method, path, body });
      if (answer?.status !== 200 && answer?.status !== 201) throw new Error(`${method} ${path}: ${answer?.text}`);
      return JSON.parse(answer.text) as Awaited<ReturnType<Owner['call']>>;
    },
  };
}

async function addEndpoint(
  owners: Readonly<Record<ApplicationName, Owner>>,
  name: EndpointName,
  behavior: Behavior,
  repairedAt: () => number,
): Promise<ProofEndpoint> {
  const receiver = await startReceiver(behavior);
  const application = name === 'quick' ? 'quick' : 'mixed';
  const { endpoint } = await owners[application].call('POST', ENDPOINTS, { url: receiver.url });
  const webhook = new Webhook(endpoint.secret);
  const isAccepting = (at: number) => behavior === accept || at >= repairedAt();
  return {
    name,
    id: endpoint.endpoint_id,
    application,
    receiver,
    arrivals: () => {
      let forged = 0;
      const arrivals = receiver.received.flatMap(({ id, body, at, text, headers }) => {
        if (!isAccepting(at)) return [];
        // Signed again, because an old event can't be verified.
        const signed = webhook.sign(id, new Date(Number(headers['webhook-timestamp']) * 1_000), text);
        if (signed !== headers['webhook-signature']) forged += 1;
        return [{ id, reservation: String(body.data.reservation_id), type: body.type, at }];
      });
      return { arrivals, forged };
    },
  };
}
