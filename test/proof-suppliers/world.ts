import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import type { SupplierConfig } from '../../src/config/supplier-config.schema.js';
import { type Child, plainEnvironment, startChild } from '../support/child.js';
import { Client } from '../support/client.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { PROJECT } from '../support/project.js';
import type { DemoCredentials, Gateway } from '../support/start-gateway.js';
import { type Door, startDoor } from './door.js';
import { type Held, PROBED, proberOf } from './prober.js';

/** A gateway that calls every configured supplier, each played by a simulator in its own process. */
export interface SuppliersWorld {
  /** In answer order, as they run: all live, with the timeouts of this world. */
  readonly suppliers: readonly SupplierConfig[];
  readonly gateway: Gateway;
  /** Makes these suppliers hang on every call, and no others. */
  hang(ids: readonly string[]): void;
  /** A client with its own connections; the caller closes it. */
  client(): Promise<Client>;
  probe(): Promise<Held>;
  dispose(): Promise<void>;
}

export interface SuppliersWorldOptions {
  /** The timeout of searches, price checks and reads, in milliseconds. */
  readonly readMs: number;
  /** The timeout of bookings, changes and cancellations, in milliseconds. */
  readonly writeMs: number;
  /** The most sockets per supplier. */
  readonly connections: number;
  /** The gateway's data folder; one that another world has used is already migrated. */
  readonly dataFolder: string;
}

/**
 * A search for a driver to whom few of the few cars are rented: the test measures waiting for a supplier, not reading its
 * cars.
 */
export const FEW_CARS = { pickup_location: 'CDG', age: '19', max_results: '1' } as const;

const CALM = { errorRate: 0, timeoutRate: 0, garbageRate: 0, resetRate: 0 };
/** Every answer takes equally long, so that differences come from the gateway. */
const EVEN = { medianMs: 40, sigma: 0, maxMs: 40 };

/**
 * A breaker would soon stop the hanging calls: the effect on the others must not depend on it. One application makes all
 * calls.
 */
const NO_BREAKER = { breaker: { minCalls: 1_000_000 }, bulkhead: { accountShare: 1 } };

/** Starts the simulators and the gateway. Rejects with their output if one of them exits early. */
export async function startWorld({
  readMs,
  writeMs,
  connections,
  dataFolder,
}: SuppliersWorldOptions): Promise<SuppliersWorld> {
  const reads = { searchLocations: readMs, searchVehicles: readMs, priceCheck: readMs, retrieve: readMs };
  const timeoutMs = { ...reads, book: writeMs, modify: writeMs, cancel: writeMs };
  const block = {
    state: 'live',
    timeoutMs,
    connections,
    resilience: NO_BREAKER,
    simulator: { latency: EVEN, chaos: CALM },
  };
  const shipped = loadConfig(join(PROJECT, 'config'), {}).suppliers.filter(({ simulator }) => simulator !== undefined);
  const config = configFolder({
    tiers: ROOMY,
    suppliers: Object.fromEntries(shipped.map(({ id }) => [id, block])),
  });
  const start = async (file: string, ready: string, env: Readonly<Record<string, string>>): Promise<Child> => {
    const child = startChild(process.execPath, [join(PROJECT, 'dist', file)], {
      cwd: PROJECT,
      env: { ...plainEnvironment(), CONFIG_DIR: config, ...env },
    });
    await child.printed(ready, 60_000);
    return child;
  };
  const simulators = await start('simulators.js', 'Simulators are ready.', { SIMULATORS_CARS_PER_LOCATION: '5' });
  const doors = new Map<string, Door>();
  for (const { id } of shipped) {
    const [, url = ''] = new RegExp(`SUPPLIER_${id.toUpperCase()}_URL=(\\S+)`).exec(simulators.output()) ?? [];
    doors.set(id, await startDoor(url));
  }
  const urls = Object.fromEntries([...doors].map(([id, { url }]) => [`SUPPLIER_${id.toUpperCase()}_URL`, url]));
  const child = await start('main.js', 'Forecourt is ready at', {
    ...urls,
    SIMULATORS_EMBEDDED: 'false',
    DATA_DIR: dataFolder,
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: PROBED,
  });
  const gateway = gatewayOf(child, dataFolder);
  return {
    suppliers: loadConfig(config, urls).suppliers,
    gateway,
    hang: (ids) => {
      for (const [id, door] of doors) door.shut(ids.includes(id));
    },
    client: () => Client.of(gateway),
    probe: proberOf(child),
    dispose: async () => {
      await child.stop();
      for (const door of doors.values()) await door.close();
      await simulators.stop();
      rmSync(config, { recursive: true, force: true });
    },
  };
}

/** A gateway that has printed that it is ready. */
export function gatewayOf(child: Child, dataFolder: string): Gateway {
  const facts = JSON.parse(readFileSync(join(dataFolder, 'first-steps.json'), 'utf8')) as {
    base_url: string;
    urls: { metrics: string };
    applications: DemoCredentials[];
  };
  return {
    baseUrl: facts.base_url,
    port: Number(new URL(facts.base_url).port),
    dataFolder,
    outboxLink: undefined,
    child,
    metrics: async () => (await fetch(facts.urls.metrics)).text(),
    credentials: (name = 'demo') => {
      const found = facts.applications.find((application) => application.name === name);
      if (!found) throw new Error(`there is no demo application ${name}`);
      return found;
    },
    stop: () => child.stop(),
  };
}
