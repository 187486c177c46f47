import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/database/database.js';
import { GatewayClient } from '../proof/client.js';
import { OfferPool } from '../proof/offers.js';
import { freePort, plainEnvironment, startChild } from '../support/child.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { freshDatabase, hasSharedPostgres } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { PROJECT } from '../support/project.js';

/** One gateway on a PostgreSQL database of its own, whose own retention leaves everything to the proof. */
export interface RetentionWorld {
  readonly database: Database;
  /** Books a car. Returns how long it took, in milliseconds. Rejects if the answer isn't 201. */
  book(number: number): Promise<number>;
  dispose(): Promise<void>;
}

/** For `rounds` rounds of runRetention. Rejects if PostgreSQL isn't installed. Needs the build. */
export async function startWorld(rounds: number): Promise<RetentionWorld> {
  // Jest's server if it runs: its databases are migrated already.
  const postgres = hasSharedPostgres ? await freshDatabase() : await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-retention-'));
  const config = configFolder({
    tiers: ROOMY,
    settings: { records: { days: 7 + rounds, usageDays: 400 + 31 * rounds } },
  });
  const port = await freePort();
  const gateway = startChild(process.execPath, [join(PROJECT, 'dist', 'main.js')], {
    cwd: PROJECT,
    env: {
      ...plainEnvironment(),
      PORT: String(port),
      METRICS_PORT: '0',
      DATA_DIR: join(folder, 'data'),
      CONFIG_DIR: config,
      DATABASE_URL: postgres.url,
      SMTP_URL: 'smtp://127.0.0.1:9',
      LOG_LEVEL: 'error',
      SIMULATORS_LATENCY_SCALE: '0.1',
      SIMULATORS_CARS_PER_LOCATION: '10',
    },
  });
  await gateway.printed('Forecourt is ready at', 60_000);
  const client = new GatewayClient([port]);
  const demo = demoOf(join(folder, 'data', 'first-steps.json'));
  client.token = await tokenOf(client, demo);
  const offers = new OfferPool(client);
  const database = await openDatabase(postgres.url, folder, { migrations: 'wait' });
  return {
    database,
    book: async (number) => {
      const offer = await offers.take('alpine', number);
      const startedAt = performance.now();
      const reply = await client.send(0, {
        method: 'POST',
        path: '/cars/reservation/v1/',
        headers: { 'idempotency-key': `retention-${number}` },
        body: {
          offer_id: offer,
          driver: {
            first_name: 'Ada',
            last_name: `Sample${number}`,
            email: 'ada@example.com',
            phone: '+1 617 555 0100',
          },
        },
      });
      if (reply?.status !== 201) throw new Error(`a booking was answered ${reply?.status}: ${reply?.text}`);
      return performance.now() - startedAt;
    },
    dispose: async () => {
      client.close();
      await gateway.stop();
      await database.close();
      await postgres.dispose();
      for (const path of [folder, config]) rmSync(path, { recursive: true, force: true });
    },
  };
}

function demoOf(file: string): { readonly client_id: string; readonly client_secret: string } {
  const steps = JSON.parse(readFileSync(file, 'utf8')) as {
    applications: { name: string; client_id: string; client_secret: string }[];
  };
  const demo = steps.applications.find(({ name }) => name === 'demo');
  if (!demo) throw new Error('there is no demo application');
  return demo;
}

async function tokenOf(
  client: GatewayClient,
  { client_id, client_secret }: ReturnType<typeof demoOf>,
): Promise<string> {
  const reply = await client.send(0, { method: 'GET', path: '/oauth/token/v1', headers: { client_id, client_secret } });
  return (JSON.parse(reply?.text ?? '') as { access_token: string }).access_token;
}
