import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SimulatedBooking } from '../../src/simulators/bookings.js';
import { type Child, freePort, startChild } from '../support/child.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { PROJECT } from '../support/project.js';
import { startRedis } from '../support/redis.js';
import { SETTLE_MS, SUPPLIERS, WRITE_TIMEOUT_MS } from './plan.js';

/** As the suppliers are configured: an answer takes 50 to 90 ms, which leaves time for faults. */
const LATENCY_SCALE = '1';
const READY = 'Forecourt is ready at';

/**
 * Two gateways on one PostgreSQL and one Redis, and the suppliers in a separate process, so that their books outlast
 * every gateway.
 */
export interface ProofWorld {
  readonly postgres: PostgresServer;
  readonly gateways: readonly [RestartableGateway, RestartableGateway];
  /** The suppliers' own books by supplier id. */
  books(): Promise<Readonly<Record<string, readonly SimulatedBooking[]>>>;
  /** Credentials of the application `demo`. */
  credentials(): { readonly client_id: string; readonly client_secret: string };
  dispose(): Promise<void>;
}

/** A gateway that is killed and restarted on the same port and data folder. */
export interface RestartableGateway {
  /** The name of its connections in PostgreSQL. */
  readonly name: string;
  readonly port: number;
  start(): Promise<void>;
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>;
  /** Everything that all its processes printed. */
  output(): string;
}

/** Starts everything. Rejects if PostgreSQL or Redis is not installed. */
export async function startWorld(): Promise<ProofWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-proof-'));
  const config = configFolder({ tiers: ROOMY, settings: SETTINGS, suppliers: SUPPLIER_CHANGES });
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  const suppliers = await startSuppliers(config, join(folder, 'books'));
  const env = {
    ...suppliers.env,
    CONFIG_DIR: config,
    REDIS_URL: redis.url,
    FORECOURT_SECRET: 'a-secret-of-the-booking-proof-0123456789',
  };
  const gateways = [await gatewayOf(0, folder, env, postgres), await gatewayOf(1, folder, env, postgres)] as const;
  await Promise.all(gateways.map((gateway) => gateway.start()));
  return {
    postgres,
    gateways,
    books: suppliers.books,
    credentials: () => credentialsIn(join(folder, gateways[0].name)),
    dispose: async () => {
      await Promise.all(gateways.map((gateway) => gateway.kill()));
      await Promise.all([suppliers.stop(), redis.dispose(), postgres.dispose()]);
      for (const path of [folder, config]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Times short enough for thousands of faults in minutes; production has the same rules with longer ones. */
const SETTINGS = {
  reservations: {
    settleSeconds: SETTLE_MS / 1_000,
    reviewAfterSeconds: 90,
    checkEveryMs: 200,
    firstCheckMs: 300,
    budgetMs: 8_000,
  },
};
const TIMEOUTS = {
  timeoutMs: {
    priceCheck: 3_000,
    book: WRITE_TIMEOUT_MS,
    retrieve: 2_000,
    modify: WRITE_TIMEOUT_MS,
    cancel: WRITE_TIMEOUT_MS,
  },
};
/** cobalt is off and has no dialect of its own. */
const SUPPLIER_CHANGES = { ...Object.fromEntries(SUPPLIERS.map((id) => [id, TIMEOUTS])), cobalt: null, ember: null };

interface Suppliers {
  /** Variables that give gateways their addresses. */
  readonly env: Readonly<Record<string, string>>;
  books: ProofWorld['books'];
  stop(): Promise<unknown>;
}

async function startSuppliers(config: string, ledgerFolder: string): Promise<Suppliers> {
  const env = {
    ...inherited(),
    CONFIG_DIR: config,
    SIMULATOR_LEDGER_DIR: ledgerFolder,
    SIMULATORS_LATENCY_SCALE: LATENCY_SCALE,
  };
  const child = startChild(process.execPath, [join(PROJECT, 'dist', 'simulators.js')], { cwd: PROJECT, env });
  await child.printed('Simulators are ready.');
  const urls = [...child.output().matchAll(/(SUPPLIER_(\w+)_URL)=(\S+)/g)].map(
    ([, variable = '', id = '', url = '']) => ({
      variable,
      id: id.toLowerCase(),
      url,
    }),
  );
  return {
    env: Object.fromEntries([['SIMULATORS_EMBEDDED', 'false'], ...urls.map(({ variable, url }) => [variable, url])]),
    books: async () => Object.fromEntries(await Promise.all(urls.map(async ({ id, url }) => [id, await bookOf(url)]))),
    stop: () => child.stop(),
  };
}

async function bookOf(url: string): Promise<readonly SimulatedBooking[]> {
  const answer = await fetch(`${url}/__sim/bookings`);
  return ((await answer.json()) as { bookings: SimulatedBooking[] }).bookings;
}

async function gatewayOf(
  index: number,
  folder: string,
  env: Readonly<Record<string, string>>,
  postgres: PostgresServer,
): Promise<RestartableGateway> {
  const name = `gateway-${index}`;
  const port = await freePort();
  const own = {
    PORT: String(port),
    DATA_DIR: join(folder, name),
    LOG_LEVEL: 'error',
    DATABASE_URL: `${postgres.url}?application_name=${name}`,
    SMTP_URL: 'smtp://127.0.0.1:9',
  };
  let child: Child | undefined;
  let before = '';
  return {
    name,
    port,
    start: async () => {
      child = startChild(process.execPath, [join(PROJECT, 'dist', 'main.js')], {
        cwd: PROJECT,
        env: { ...inherited(), ...env, ...own },
      });
      await child.printed(READY);
      if (!child.output().includes(`127.0.0.1:${port}`)) throw new Error(`port ${port} was taken by somebody else`);
    },
    kill: async () => {
      await child?.stop('SIGKILL');
      before += child?.output() ?? '';
      child = undefined;
    },
    output: () => before + (child?.output() ?? ''),
  };
}

function credentialsIn(dataFolder: string): ReturnType<ProofWorld['credentials']> {
  const facts = JSON.parse(readFileSync(join(dataFolder, 'first-steps.json'), 'utf8')) as {
    applications: { name: string; client_id: string; client_secret: string }[];
  };
  const demo = facts.applications.find(({ name }) => name === 'demo');
  if (!demo) throw new Error('there is no demo application');
  return demo;
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR'].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
