import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import type { SupplierConfig } from '../../src/config/supplier-config.schema.js';
import { type Child, startChild } from '../support/child.js';
import { Client } from '../support/client.js';
import { configFolder, ROOMY } from '../support/config-folder.js';
import { PROJECT } from '../support/project.js';
import type { DemoCredentials, Gateway } from '../support/start-gateway.js';

/** What the gateway's process holds after its garbage was collected. `listenerWarnings`: how often Node warned of listeners that pile up. */
export interface Held {
  readonly heapBytes: number;
  readonly sockets: number;
  readonly timers: number;
  readonly listenerWarnings: number;
}

/** A gateway that asks every configured supplier, each played by a simulator in a process of its own. */
export interface SuppliersWorld {
  /** In answer order, as they run: all live, with the timeouts of this world. */
  readonly suppliers: readonly SupplierConfig[];
  readonly gateway: Gateway;
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
}

const CALM = { errorRate: 0, timeoutRate: 0, garbageRate: 0, resetRate: 0 };
/** Each answer takes as long as any other: what differs is then the gateway's doing. */
const EVEN = { medianMs: 40, sigma: 0, maxMs: 40 };

/** Starts simulators and gateway. Rejects with what they printed when one of them ends first. */
export async function startWorld({ readMs, writeMs }: SuppliersWorldOptions): Promise<SuppliersWorld> {
  const reads = { searchLocations: readMs, searchVehicles: readMs, priceCheck: readMs, retrieve: readMs };
  const timeoutMs = { ...reads, book: writeMs, modify: writeMs, cancel: writeMs };
  const shipped = loadConfig(join(PROJECT, 'config'), {}).suppliers.filter(({ simulator }) => simulator !== undefined);
  const config = configFolder({
    tiers: ROOMY,
    suppliers: Object.fromEntries(shipped.map(({ id }) => [id, { state: 'live', timeoutMs, simulator: { latency: EVEN, chaos: CALM } }])),
  });
  const dataFolder = mkdtempSync(join(tmpdir(), 'forecourt-suppliers-'));
  const inherited = Object.fromEntries(['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name] ?? '']));
  const start = async (file: string, ready: string, env: Readonly<Record<string, string>>): Promise<Child> => {
    const child = startChild(process.execPath, [join(PROJECT, 'dist', file)], {
      cwd: PROJECT,
      env: { ...inherited, CONFIG_DIR: config, ...env },
    });
    await child.printed(ready, 60_000);
    return child;
  };
  const simulators = await start('simulators.js', 'Simulators are ready.', {});
  const urls = Object.fromEntries(
    [...simulators.output().matchAll(/(SUPPLIER_\w+_URL)=(\S+)/g)].map(([, name = '', url = '']) => [name, url]),
  );
  const child = await start('main.js', 'Forecourt is ready at', {
    ...urls,
    SIMULATORS_EMBEDDED: 'false',
    DATA_DIR: dataFolder,
    PORT: '0',
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: `--import=${new URL('./probe.mjs', import.meta.url).href}`,
  });
  const gateway = gatewayOf(child, dataFolder);
  let probes = 0;
  return {
    suppliers: loadConfig(config, urls).suppliers,
    gateway,
    client: () => Client.of(gateway),
    probe: async () => {
      probes += 1;
      child.process.kill('SIGUSR2');
      const said = new RegExp(`PROBE ${probes} (.*) END`);
      await child.printed(`PROBE ${probes} `);
      for (;;) {
        const text = said.exec(child.output())?.[1];
        if (text !== undefined) return JSON.parse(text) as Held;
        await child.printed(' END');
      }
    },
    dispose: async () => {
      await child.stop();
      await simulators.stop();
      for (const folder of [config, dataFolder]) rmSync(folder, { recursive: true, force: true });
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
