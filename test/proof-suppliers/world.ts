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

/** A gateway that asks every configured supplier, each played by a simulator in a process of its own. */
export interface SuppliersWorld {
  /** In answer order, as they run: all live, with the timeouts of this world. */
  readonly suppliers: readonly SupplierConfig[];
  readonly gateway: Gateway;
  /** Lets these suppliers hang, whatever they are asked, and no others. */
  hang(ids: readonly string[]): void;
  /** A client with connections of its own; the caller closes it. */
  client(): Promise<Client>;
  probe(): Promise<Held>;
  dispose(): Promise<void>;
}

export interface SuppliersWorldOptions {
  /** Of searches, price checks and reads, milliseconds. */
  readonly readMs: number;
  /** Of bookings, changes and cancellations, milliseconds. */
  readonly writeMs: number;
  /** Sockets to each supplier at most. */
  readonly connections: number;
  /** Of the gateway; one that another world has used is migrated already. */
  readonly dataFolder: string;
}

/** A search by a driver whom few cars are let to: to wait for a supplier is what is looked at, not to read its cars. */
export const FEW_CARS = { pickup_location: 'CDG', age: '19', max_results: '1' } as const;

const CALM = { errorRate: 0, timeoutRate: 0, garbageRate: 0, resetRate: 0 };
/** Each answer takes as long as any other: what differs is then the gateway's doing. */
const EVEN = { medianMs: 40, sigma: 0, maxMs: 40 };

/** A breaker would end the hanging after a moment: what the others bear must not depend on it. */
const NO_BREAKER = { breaker: { minCalls: 1_000_000 } };

/** Starts simulators and gateway. Rejects with what they printed when one of them ends first. */
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
  const simulators = await start('simulators.js', 'Simulators are ready.', {});
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

function gatewayOf(child: Child, dataFolder: string): Gateway {
  const facts = JSON.parse(readFileSync(join(dataFolder, 'first-steps.json'), 'utf8')) as {
    base_url: string;
    applications: DemoCredentials[];
  };
  return {
    baseUrl: facts.base_url,
    port: Number(new URL(facts.base_url).port),
    dataFolder,
    child,
    credentials: (name = 'demo') => {
      const found = facts.applications.find((application) => application.name === name);
      if (!found) throw new Error(`there is no demo application ${name}`);
      return found;
    },
    stop: () => child.stop(),
  };
}
