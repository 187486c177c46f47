import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { openDatabase } from '../../src/database/database.js';
import { gatewayOf } from '../proof-suppliers/world.js';
import { SECRET, SIMULATORS_READY, simulatorsProgram } from '../support/booking.js';
import { type Child, plainEnvironment, startChild } from '../support/child.js';
import { Client } from '../support/client.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { queryOnce } from '../support/database.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { startPostgres } from '../support/postgres.js';
import { PROJECT } from '../support/project.js';
import { startRedis } from '../support/redis.js';

import { type Certificates, makeCertificates } from './certificates.js';
import { DRILLED, type Drill, type Drilled } from './faults.js';
import { type Interposer, startInterposer } from './interposer.js';

/** What all drills share: simulators with the latencies of their files, and a PostgreSQL server. */
export interface Stage {
  /** The URL of each simulator. */
  readonly urls: Readonly<Record<Drilled, string>>;
  readonly certificates: Certificates;
  /** Creates a migrated database and returns its URL. */
  newDatabase(name: string): Promise<string>;
  dispose(): Promise<void>;
}

/** Starts it. Needs the build, Redis, PostgreSQL and openssl. */
export async function startStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-drill-'));
  const { command, words, options } = simulatorsProgram(join(folder, 'books'));
  const env = { ...options.env, SIMULATORS_LATENCY_SCALE: '1' };
  const simulators = startChild(command, words, { ...options, env });
  const postgres = await startPostgres();
  await queryOnce(postgres.url, 'create database migrated', []);
  const at = (name: string): string => postgres.url.replace(/postgres$/, name);
  await (await openDatabase(at('migrated'), folder)).close();
  await simulators.printed(SIMULATORS_READY, 60_000);
  const urlOf = (id: string): string =>
    new RegExp(`SUPPLIER_${id.toUpperCase()}_URL=(\\S+)`).exec(simulators.output())?.[1] ?? '';
  return {
    urls: Object.fromEntries(DRILLED.map((id) => [id, urlOf(id)])) as Record<Drilled, string>,
    certificates: makeCertificates(join(folder, 'certificates')),
    newDatabase: async (name) => {
      await queryOnce(postgres.url, `create database ${name} template migrated`, []);
      return at(name);
    },
    dispose: async () => {
      await simulators.stop();
      await postgres.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One gateway with suppliers that can fail. */
export interface World {
  readonly baseUrl: string;
  readonly client: Client;
  readonly operator: PortalPerson;
  readonly suppliers: Readonly<Record<Drilled, Interposer>>;
  readonly child: Child;
  /** Changes a supplier's file. */
  change(supplier: Drilled, changes: Readonly<Record<string, unknown>>): void;
  query(sql: string): Promise<Record<string, unknown>[]>;
  dispose(): Promise<void>;
}

/** Starts it for a drill, with a database of its own. */
export async function startWorld(stage: Stage, { name, faults = {} }: Drill): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-drill-'));
  const isSecure = (id: Drilled): boolean => faults[id]?.some(({ act }) => act.kind === 'expired') ?? false;
  const suppliers = Object.fromEntries(
    await Promise.all(
      DRILLED.map(async (id) => [
        id,
        await startInterposer(stage.urls[id], isSecure(id) ? stage.certificates : undefined),
      ]),
    ),
  ) as Record<Drilled, Interposer>;
  const config = configFolder({
    tiers: { ...ROOMY, demo_throttled: ROOMY.demo },
    suppliers: { cobalt: null, dune: null, ember: null },
  });
  const redis = await startRedis();
  const database = await stage.newDatabase(`drill_${name.replaceAll('-', '_')}`);
  const child = startChild(process.execPath, [join(PROJECT, 'dist', 'main.js')], {
    cwd: PROJECT,
    env: {
      ...plainEnvironment(),
      ...Object.fromEntries(DRILLED.map((id) => [`SUPPLIER_${id.toUpperCase()}_URL`, suppliers[id].url])),
      ...{ SIMULATORS_EMBEDDED: 'false', CONFIG_DIR: config, DATA_DIR: folder, PORT: '0', METRICS_PORT: '0' },
      ...{ REDIS_URL: redis.url, DATABASE_URL: database, FORECOURT_SECRET: SECRET, SMTP_URL: 'smtp://127.0.0.1:9' },
      ...{ LOG_LEVEL: 'error', NODE_EXTRA_CA_CERTS: stage.certificates.authorityFile },
    },
  });
  await child.printed('Forecourt is ready at', 60_000);
  const gateway = gatewayOf(child, folder);
  const query = (sql: string) => queryOnce(database, sql, []);
  await query("update applications set name = 'Trip Planner' where name = 'demo'");
  await query("update applications set name = 'Office Map' where name = 'demo-throttled'");
  const postgres = { query: (sql: string, values?: readonly unknown[]) => queryOnce(database, sql, values ?? []) };
  const client = await Client.of(gateway);
  return {
    ...{ baseUrl: gateway.baseUrl, client, suppliers, child, query },
    operator: await portalPerson({ postgres, redis }, { role: 'ops' }),
    change: (supplier, changes) => {
      const file = join(config, 'suppliers', `${supplier}.yaml`);
      writeFileSync(file, stringify({ ...(parse(readFileSync(file, 'utf8')) as object), ...changes }));
    },
    dispose: async () => {
      client.close();
      await child.stop();
      for (const one of Object.values(suppliers)) await one.close();
      await redis.dispose();
      for (const path of [folder, config]) rmSync(path, { recursive: true, force: true });
    },
  };
}
