import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startChild } from '../support/child.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import type { TestDatabase } from '../support/database.js';
import { migratedFolder } from '../support/migrated-folder.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { PROJECT } from '../support/project.js';
import { startRedis } from '../support/redis.js';
import type { BookEntry, Reported } from './evidence.js';
import { gatewayOf, inherited, type RestartableGateway } from './gateways.js';
import { SETTLE_MS, SUPPLIERS, WRITE_TIMEOUT_MS } from './plan.js';
import { Wire } from './wire.js';

/** As the suppliers are configured: an answer takes 50 to 90 ms, which leaves time for faults. */
const LATENCY_SCALE = '1';

/**
 * Two gateways on one PostgreSQL and one Redis (or one on PGlite), and the suppliers in a separate process, so that
 * their books outlast every gateway. The wire between them plays what neither side knows about.
 */
export interface ProofWorld {
  /** Absent = one gateway on PGlite, or a database that the caller has started. */
  readonly postgres?: PostgresServer;
  /** One gateway on PGlite. */
  readonly isPglite: boolean;
  readonly gateways: readonly RestartableGateway[];
  readonly wire: Wire;
  /** For files of the run; it is deleted at the end. */
  readonly folder: string;
  /** Reads the gateways' database. With PGlite, the gateway is killed for it and then restarted. */
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** What operators see: the reservations that `gw reservation unclear` lists, with their second bookings. */
  listed(): Promise<Record<string, string[]>>;
  /** What `gw reservation audit` reports for everything since an instant (epoch milliseconds), by reference. */
  audited(since: number): Promise<Record<string, Reported>>;
  /** The suppliers' own books by supplier id. */
  books(): Promise<Readonly<Record<string, readonly BookEntry[]>>>;
  /** Credentials of the application `demo`. */
  credentials(): { readonly client_id: string; readonly client_secret: string };
  dispose(): Promise<void>;
}

export interface WorldOptions {
  /** A server that is started here, or PGlite, or a database of the caller. */
  readonly database?: 'postgres' | 'pglite' | TestDatabase;
  /** Settings that remove a defense, over those of the proof. */
  readonly reservations?: Readonly<Record<string, unknown>>;
  /** Modules that are loaded into every gateway before its own code. */
  readonly preload?: readonly string[];
  /** More of the gateways' environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts everything. Rejects if PostgreSQL or Redis is not installed. */
export async function startWorld(options: WorldOptions = {}): Promise<ProofWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-proof-'));
  const configs = POLICIES.map((policy) =>
    configFolder({
      tiers: ROOMY,
      settings: { reservations: { ...SETTINGS, ...policy, ...options.reservations } },
      suppliers: SUPPLIER_CHANGES,
    }),
  );
  const isPglite = options.database === 'pglite';
  const given = typeof options.database === 'object' ? options.database : undefined;
  const [redis, postgres] = await Promise.all([startRedis(), isPglite || given ? undefined : startPostgres()]);
  const server = given ?? postgres;
  const wire = new Wire();
  const suppliers = await startSuppliers(configs[0] ?? '', join(folder, 'books'), wire);
  const env = {
    ...suppliers.env,
    REDIS_URL: redis.url,
    FORECOURT_SECRET: 'a-secret-of-the-booking-proof-0123456789',
    JOURNAL_DIR: join(folder, 'journal'),
  };
  const gateways = await Promise.all(
    configs.slice(0, isPglite ? 1 : 2).map((config, index) => {
      const name = `gateway-${index}`;
      const database: Record<string, string> = server ? { DATABASE_URL: named(server.url, name) } : {};
      return gatewayOf(name, folder, {
        env: { ...env, ...options.env, CONFIG_DIR: config, ...database },
        preload: options.preload ?? [],
      });
    }),
  );
  const [first] = gateways;
  if (!first) throw new Error('there is no gateway');
  if (isPglite) renameSync(await migratedFolder(), first.dataFolder);
  await Promise.all(gateways.map((gateway) => gateway.start()));
  /** PGlite belongs to one process. */
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    if (server) return work();
    await first.kill();
    try {
      return await work();
    } finally {
      await first.start();
    }
  };
  return {
    ...(postgres ? { postgres } : {}),
    isPglite,
    gateways,
    wire,
    folder,
    query: (sql, values = []) =>
      alone(() => (server ? server.query(sql, [...values]) : queryPglite(first.dataFolder, sql, values))),
    listed: () => alone(async () => listedIn(await first.command('reservation', 'unclear'))),
    audited: (since) => alone(async () => auditedIn(await first.command(...auditOf(since)))),
    books: suppliers.books,
    credentials: () => credentialsIn(first.dataFolder),
    dispose: async () => {
      await Promise.all(gateways.map((gateway) => gateway.kill()));
      wire.close();
      await Promise.all([suppliers.stop(), redis.dispose(), postgres?.dispose()]);
      for (const path of [folder, ...configs]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** The URL of a database, for a gateway whose connections have this name. */
function named(url: string, name: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}application_name=${name}`;
}

/** Times short enough for thousands of faults in minutes; production has the same rules with longer ones. */
const SETTINGS = {
  settleSeconds: SETTLE_MS / 1_000,
  reviewAfterSeconds: 90,
  lateCheckSeconds: [4, 8, 13],
  secondCheckSeconds: 3,
  checkEveryMs: 200,
  firstCheckMs: 300,
  budgetMs: 8_000,
};
/** What each gateway does with late and second bookings, whichever of them finds one. */
const POLICIES = [
  { lateBookings: 'review', secondBookings: 'review' },
  { lateBookings: 'cancel', secondBookings: 'cancel' },
] as const;
const TIMEOUTS = {
  timeoutMs: {
    priceCheck: 3_000,
    book: WRITE_TIMEOUT_MS,
    retrieve: 2_000,
    modify: WRITE_TIMEOUT_MS,
    cancel: WRITE_TIMEOUT_MS,
  },
};
/** cobalt has no dialect of its own, and its own faults would hide what is played here. */
const SUPPLIER_CHANGES = {
  ...Object.fromEntries(SUPPLIERS.map((id) => [id, { ...TIMEOUTS, state: 'live' }])),
  cobalt: null,
};

interface Suppliers {
  /** Variables that give gateways their addresses. */
  readonly env: Readonly<Record<string, string>>;
  books: ProofWorld['books'];
  stop(): Promise<unknown>;
}

async function startSuppliers(config: string, ledgerFolder: string, wire: Wire): Promise<Suppliers> {
  const env = {
    ...inherited(),
    CONFIG_DIR: config,
    SIMULATOR_LEDGER_DIR: ledgerFolder,
    SIMULATORS_LATENCY_SCALE: LATENCY_SCALE,
    SIMULATORS_CARS_PER_LOCATION: '10',
  };
  const child = startChild(process.execPath, [join(PROJECT, 'dist', 'simulators.js')], { cwd: PROJECT, env });
  await child.printed('Simulators are ready.');
  const urls = [...child.output().matchAll(/(SUPPLIER_(\w+)_URL)=(\S+)/g)].map(
    ([, variable = '', id = '', url = '']) => ({ variable, id: id.toLowerCase(), url }),
  );
  const wired = await Promise.all(urls.map(async ({ variable, url }) => [variable, await wire.connect(url)] as const));
  return {
    env: { SIMULATORS_EMBEDDED: 'false', ...Object.fromEntries(wired) },
    books: async () => Object.fromEntries(await Promise.all(urls.map(async ({ id, url }) => [id, await bookOf(url)]))),
    stop: () => child.stop(),
  };
}

async function bookOf(url: string): Promise<readonly BookEntry[]> {
  const answer = await fetch(`${url}/__sim/bookings`);
  return ((await answer.json()) as { bookings: BookEntry[] }).bookings;
}

const PGLITE_QUERY = new URL('./pglite-query.mjs', import.meta.url);

async function queryPglite(
  dataFolder: string,
  sql: string,
  values: readonly unknown[],
): Promise<Record<string, unknown>[]> {
  const words = [fileURLToPath(PGLITE_QUERY), join(dataFolder, 'database'), sql, JSON.stringify(values)];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: PROJECT, maxBuffer: 1e8 });
  return JSON.parse(stdout) as Record<string, unknown>[];
}

/** Rows of `gw reservation unclear`: id, supplier, state, age, reason, and each second booking with its number. */
function listedIn(printed: string): Record<string, string[]> {
  const lines = printed.split('\n').filter((line) => line.startsWith('res_'));
  return Object.fromEntries(
    lines
      .map((line) => line.split('\t'))
      .map(([id = '', , , , , ...second]) => [id, second.map((cell) => cell.replace('second booking ', ''))]),
  );
}

function auditOf(since: number): string[] {
  return ['reservation', 'audit', '--since', new Date(since).toISOString(), '--json', '--rate', '100'];
}

function auditedIn(printed: string): Record<string, Reported> {
  const rows = JSON.parse(printed) as { reference: string; verdict: string; number: string | null }[];
  return Object.fromEntries(
    rows
      .filter(({ verdict }) => verdict !== 'agrees')
      .map(({ reference, verdict, number }) => [reference, { verdict, ...(number === null ? {} : { number }) }]),
  );
}

function credentialsIn(dataFolder: string): ReturnType<ProofWorld['credentials']> {
  const facts = JSON.parse(readFileSync(join(dataFolder, 'first-steps.json'), 'utf8')) as {
    applications: { name: string; client_id: string; client_secret: string }[];
  };
  const demo = facts.applications.find(({ name }) => name === 'demo');
  if (!demo) throw new Error('there is no demo application');
  return demo;
}
