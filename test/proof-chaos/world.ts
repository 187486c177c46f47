import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BookEntry } from '../proof/evidence.js';
import { gatewayOf } from '../proof-suppliers/world.js';
import { SECRET, SIMULATORS_READY, type Simulators, simulatorsOf, simulatorsProgram } from '../support/booking.js';
import { type Child, plainEnvironment, startChild } from '../support/child.js';
import { Client } from '../support/client.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import type { TestDatabase } from '../support/database.js';
import { PROJECT } from '../support/project.js';
import { startRedis } from '../support/redis.js';
import { FAULTY, type Part } from './cells.js';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';
import type { KeptRow } from './judge.js';

/** One gateway whose Redis, PostgreSQL and first supplier are behind a proxy each. The second supplier is always well. */
export interface ChaosWorld {
  readonly proxies: Readonly<Record<Part, FaultProxy>>;
  readonly client: Client;
  readonly simulators: Simulators;
  /** All bookings in the books of both suppliers. */
  books(): Promise<readonly BookEntry[]>;
  /** All reservations, read without the proxy. */
  reservations(): Promise<readonly KeptRow[]>;
  /** What the gateway logged. */
  log(): string;
  /** Stops the gateway with SIGTERM: the exit code, or the signal that ended it after 20 s. */
  stop(): Promise<number | string>;
  dispose(): Promise<void>;
}

const WELL = 'bravo';

/** Short enough to wait for, and far from what the slow faults take. Those of PostgreSQL are fixed: 2 and 5 s. */
const TIMEOUTS = { searchLocations: 1_500, searchVehicles: 1_500, priceCheck: 2_000, book: 2_000, retrieve: 1_000 };
const STORE_MS = 1_000;

/** Unknown outcomes are resolved within seconds, none goes to an operator because of the time that the faults take. */
const RESERVATIONS = { settleSeconds: 1, reviewAfterSeconds: 120, checkEveryMs: 100, firstCheckMs: 100 };

/**
 * Starts it, with an empty Redis. `database` is empty or migrated, and is disposed of with the world. Rejects if
 * redis-server is missing or the gateway doesn't start.
 */
export async function startWorld(database: TestDatabase): Promise<ChaosWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-chaos-'));
  const supplier = { timeoutMs: TIMEOUTS, state: 'live' };
  const config = configFolder({
    tiers: ROOMY,
    settings: { store: { commandTimeoutMs: STORE_MS }, reservations: RESERVATIONS },
    suppliers: { [FAULTY]: supplier, [WELL]: supplier, abg: null, cobalt: null, dune: null, ember: null },
  });
  const [redis, simulators] = await Promise.all([startRedis(), startSuppliers(config, join(folder, 'books'))]);
  const [toRedis, toPostgres, toSupplier] = await Promise.all(
    [redis.url, database.url, simulators.urls[FAULTY]].map((url) => startFaultProxy(Number(new URL(url).port))),
  );
  if (!toRedis || !toPostgres || !toSupplier) throw new Error('there are three proxies');
  const child = startChild(process.execPath, [join(PROJECT, 'dist', 'main.js')], {
    cwd: PROJECT,
    env: {
      ...{ ...plainEnvironment(), ...simulators.env, CONFIG_DIR: config, DATA_DIR: join(folder, 'data') },
      ...{ PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'warn', DRAIN_MS: '0', SMTP_URL: 'smtp://127.0.0.1:9' },
      FORECOURT_SECRET: SECRET,
      REDIS_URL: through(redis.url, toRedis),
      DATABASE_URL: through(database.url, toPostgres),
      [`SUPPLIER_${FAULTY.toUpperCase()}_URL`]: through(simulators.urls[FAULTY], toSupplier),
    },
  });
  await child.printed('Forecourt is ready at', 60_000);
  const client = await Client.of(gatewayOf(child, join(folder, 'data')));
  return {
    proxies: { Redis: toRedis, PostgreSQL: toPostgres, supplier: toSupplier },
    client,
    simulators,
    books: async () => (await Promise.all(([FAULTY, WELL] as const).map((id) => bookOf(simulators, id)))).flat(),
    reservations: async () =>
      (await database.query(
        'select id, state, confirmation_number as number from reservations',
      )) as unknown as KeptRow[],
    log: () => child.output(),
    stop: () => {
      client.close();
      return child.stop();
    },
    dispose: async () => {
      client.close();
      await child.stop('SIGKILL');
      await Promise.all([toRedis.close(), toPostgres.close(), toSupplier.close()]);
      await Promise.all([simulators.stop(), redis.dispose(), database.dispose()]);
      for (const path of [folder, config]) rmSync(path, { recursive: true, force: true });
    },
  };
}

async function startSuppliers(config: string, ledgers: string): Promise<Simulators> {
  const { command, words, options } = simulatorsProgram(ledgers);
  const child: Child = startChild(command, words, { ...options, env: { ...options.env, CONFIG_DIR: config } });
  await child.printed(SIMULATORS_READY);
  return simulatorsOf(child.output(), async () => {
    await child.stop();
  });
}

async function bookOf({ urls }: Simulators, id: typeof FAULTY | typeof WELL): Promise<readonly BookEntry[]> {
  const answer = await fetch(`${urls[id]}/__sim/bookings`);
  return ((await answer.json()) as { bookings: BookEntry[] }).bookings;
}

/** The same URL with the port of the proxy. */
function through(url: string, { port }: FaultProxy): string {
  return url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`);
}
