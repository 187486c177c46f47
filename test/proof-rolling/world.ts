import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayClient } from '../proof/client.js';
import { type Child, freePort, plainEnvironment, startChild } from '../support/child.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { startPostgres } from '../support/postgres.js';
import { PROJECT } from '../support/project.js';
import { startRedis } from '../support/redis.js';

const READY = 'Forecourt is ready at';
const START_MS = 90_000;

/** Two gateways on one PostgreSQL and one Redis, each of either version with the configuration of that version, and the suppliers of this one. */
export interface RollingWorld {
  readonly client: GatewayClient;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Stops a gateway as a deployment does, and starts the build of a folder in its place. */
  replace(gateway: number, build: string): Promise<void>;
  /** The reference of every booking at a supplier that wasn't cancelled. */
  bookedReferences(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

/** Starts both gateways with the build in the folder `previous`. Rejects if PostgreSQL or Redis is not installed. */
export async function startWorld(previous: string): Promise<RollingWorld> {
  const [postgres, redis, folder] = [
    await startPostgres(),
    await startRedis(),
    mkdtempSync(join(tmpdir(), 'forecourt-rolling-')),
  ];
  // A build rejects settings that only the other one knows.
  const configs = new Map([previous, PROJECT].map((build) => [build, configFolder({ tiers: ROOMY }, build)]));
  const suppliers = startChild(process.execPath, [join(PROJECT, 'dist', 'simulators.js')], {
    cwd: PROJECT,
    env: { ...plainEnvironment(), SIMULATORS_LATENCY_SCALE: '0.1', SIMULATOR_LEDGER_DIR: join(folder, 'books') },
  });
  await suppliers.printed('Simulators are ready.', START_MS);
  const urls = Object.fromEntries(
    [...suppliers.output().matchAll(/(SUPPLIER_\w+_URL)=(\S+)/g)].map(([, name = '', url = '']) => [name, url]),
  );
  const ports = [await freePort(), await freePort()];
  const running: (Child | undefined)[] = [];
  const start = async (gateway: number, build: string): Promise<void> => {
    const child = startChild(process.execPath, [join(build, 'dist', 'main.js')], {
      cwd: build,
      env: {
        ...plainEnvironment(),
        ...urls,
        SIMULATORS_EMBEDDED: 'false',
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        CONFIG_DIR: configs.get(build),
        DATA_DIR: join(folder, `gateway-${gateway}`),
        JOURNAL_DIR: join(folder, 'journal'),
        FORECOURT_SECRET: 'a-secret-of-the-rolling-proof-0123456789',
        SMTP_URL: 'smtp://127.0.0.1:9',
        PORT: String(ports[gateway]),
        METRICS_PORT: '0',
        LOG_LEVEL: 'error',
      },
    });
    running[gateway] = child;
    await child.printed(READY, START_MS);
  };
  await start(0, previous);
  await start(1, previous);
  const client = new GatewayClient(ports);
  const { applications } = JSON.parse(readFileSync(join(folder, 'gateway-0', 'first-steps.json'), 'utf8')) as {
    applications: { name: string; client_id: string; client_secret: string }[];
  };
  const { client_id = '', client_secret = '' } = applications.find(({ name }) => name === 'demo') ?? {};
  const reply = await client.send(0, { method: 'GET', path: '/oauth/token/v1', headers: { client_id, client_secret } });
  client.token = (JSON.parse(reply?.text ?? '') as { access_token: string }).access_token;
  return {
    client,
    query: (sql) => postgres.query(sql),
    replace: async (gateway, build) => {
      await running[gateway]?.stop('SIGTERM');
      await start(gateway, build);
    },
    bookedReferences: async () => {
      const url = urls.SUPPLIER_ALPINE_URL;
      const { bookings } = (await (await fetch(`${url}/__sim/bookings`)).json()) as {
        bookings: { reference: string; status: string }[];
      };
      return bookings.filter(({ status }) => status === 'confirmed').map(({ reference }) => reference);
    },
    dispose: async () => {
      client.close();
      await Promise.all([...running, suppliers].map((child) => child?.stop('SIGKILL')));
      await Promise.all([redis.dispose(), postgres.dispose()]);
      for (const path of [folder, ...configs.values()]) rmSync(path, { recursive: true, force: true });
    },
  };
}
