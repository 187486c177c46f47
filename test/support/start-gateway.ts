import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { type Child, type Program, plainEnvironment, startChild } from './child.js';
import { type ConfigChanges, configFolder } from './config-folder.js';
import { freshDatabase, hasSharedPostgres } from './database.js';
import { madeOnce } from './made-once.js';
import { migrationsDigest } from './migrations-digest.js';
import { PROJECT } from './project.js';

export interface DemoCredentials {
  readonly name: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** A running gateway process (`node dist/main.js`) with its own data folder. */
export interface Gateway {
  readonly baseUrl: string;
  readonly port: number;
  readonly dataFolder: string;
  /** The link to the page of emails; undefined = it doesn't exist. */
  readonly outboxLink: string | undefined;
  readonly child: Child;
  /** The text of /metrics, which has its own port. */
  metrics(): Promise<string>;
  /** Credentials of a demo application from first-steps.json. */
  credentials(name?: DemoName): DemoCredentials;
  /** Sends SIGTERM, waits for the exit (exit code), and removes the folders it created. */
  stop(): Promise<number | string>;
}

export type DemoName = 'demo' | 'demo-unsubscribed' | 'demo-throttled' | 'demo-expired';

export interface GatewayOptions {
  /** Variables in addition to or instead of the defaults (PORT=0, METRICS_PORT=0, LOG_LEVEL=info, SIMULATORS_LATENCY_SCALE=0.1, SIMULATORS_CARS_PER_LOCATION=10, DRAIN_MS=0). */
  readonly env?: Readonly<Record<string, string>>;
  /** Changes to `config/`; none = the shipped folder. */
  readonly config?: ConfigChanges;
  /** A data folder to use (and to keep), with the embedded database in it unless `env` names another one. */
  readonly dataFolder?: string;
  /** Uses the embedded database instead of one of its own on the shared PostgreSQL server, which starts sooner. */
  readonly embedded?: boolean;
  /** How long the start may take, in milliseconds; 55,000 by default. */
  readonly startMs?: number;
}

// Starting real servers takes longer than jest's default of five seconds per hook.
jest.setTimeout(60_000);

export const READY = 'Forecourt is ready at';
/** A start takes 2 s of processor time, and many times as long beside other processes; less than a hook may take. */
const START_MS = 55_000;

/** Starts a gateway and waits until it reports that it is ready. Rejects with its output if it exits first. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const own = options.dataFolder === undefined;
  const hasDatabase = options.env?.DATABASE_URL !== undefined;
  const database = own && !hasDatabase && !options.embedded && hasSharedPostgres ? await freshDatabase() : undefined;
  const dataFolder = options.dataFolder ?? (await newDataFolder(!hasDatabase && !database));
  const config = options.config ? configFolder(options.config) : undefined;
  const child = spawnGateway({
    DATA_DIR: dataFolder,
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...(config === undefined ? {} : { CONFIG_DIR: config }),
    ...options.env,
  });
  await child.printed(READY, options.startMs ?? START_MS);
  return {
    ...factsOf(dataFolder),
    dataFolder,
    child,
    stop: async () => {
      const code = await child.stop();
      await database?.dispose();
      if (own) rmSync(dataFolder, { recursive: true, force: true });
      if (config !== undefined) rmSync(config, { recursive: true, force: true });
      return code;
    },
  };
}

/** Where a gateway that is ready answers, and whom it knows. */
export function factsOf(
  dataFolder: string,
): Pick<Gateway, 'baseUrl' | 'port' | 'outboxLink' | 'metrics' | 'credentials'> {
  const facts = JSON.parse(readFileSync(join(dataFolder, 'first-steps.json'), 'utf8')) as {
    base_url: string;
    urls: { metrics: string; outbox?: string };
    applications: DemoCredentials[];
  };
  // PUBLIC_URL changes what is printed; tests connect to the socket.
  const port = Number(new URL(facts.base_url).port);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    outboxLink: facts.urls.outbox,
    metrics: async () => (await fetch(facts.urls.metrics)).text(),
    credentials: (name = 'demo') => {
      const found = facts.applications.find((application) => application.name === name);
      if (!found) throw new Error(`there is no demo application ${name}`);
      return found;
    },
  };
}

/** Spawns a gateway without waiting: for starts that are expected to fail. */
export function spawnGateway(env: Readonly<Record<string, string>>): Child {
  const { command, words, options } = gatewayProgram(env);
  return startChild(command, words, options);
}

/** How to start a gateway with these variables in addition to or instead of the defaults. */
export function gatewayProgram(env: Readonly<Record<string, string>>): Program {
  const defaults = {
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    SIMULATORS_LATENCY_SCALE: '0.1',
    // A search of all models takes twice the processor time, most of it in the simulators.
    SIMULATORS_CARS_PER_LOCATION: '10',
    // Nothing waits for readiness before the gateway stops.
    DRAIN_MS: '0',
  };
  // A gateway that others can reach needs a mail server. Its emails stay in its database, unless a test reads them.
  const isReachable = ['DATABASE_URL', 'PUBLIC_URL', 'TRUSTED_PROXIES'].some((name) => env[name] !== undefined);
  const mail: Readonly<Record<string, string>> = isReachable ? { SMTP_URL: 'smtp://127.0.0.1:9' } : {};
  return {
    command: process.execPath,
    words: [join(PROJECT, 'dist', 'main.js')],
    options: { cwd: PROJECT, env: { ...plainEnvironment(), ...defaults, ...mail, ...env } },
  };
}

/** A fresh data folder: already migrated if `withDatabase`, which saves seconds per start. */
export async function newDataFolder(withDatabase: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-data-'));
  if (withDatabase) cpSync(await template(), folder, { recursive: true });
  return folder;
}

/** A data folder that a previous start has migrated. */
function template(): Promise<string> {
  return madeOnce(`forecourt-template-${migrationsDigest()}`, async (folder) => {
    const child = spawnGateway({ DATA_DIR: folder });
    await child.printed(READY);
    await child.stop();
    for (const name of ['database.lock', 'database.held', 'first-steps.json'])
      rmSync(join(folder, name), { force: true });
  });
}
