import { join } from 'node:path';
import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { otaOptionsSchema } from '../adapters/ota-xml/options.js';
import { createAbgSimulator } from './abg/abg-simulator.js';
import { BookingLedger } from './bookings.js';
import { createFlatSimulator } from './flat/flat-simulator.js';
import { createHoldSimulator } from './hold/hold-simulator.js';
import { createInventory } from './inventory.js';
import { createOtaSimulator } from './ota/ota-simulator.js';
import { type SimulatorServer, startSimulatorServer } from './simulator-server.js';
import type { DialectSimulator, Inventory } from './world.js';

/** Running simulators by supplier id. */
export interface RunningSimulators {
  readonly servers: ReadonlyMap<string, SimulatorServer>;
  close(): Promise<void>;
}

/** How to start them: `latencyScale` multiplies every configured latency (0 = none). */
export interface SimulatorStart {
  readonly latencyScale: number;
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Folder for the suppliers' books (`<id>.jsonl`), which then survive the process; absent = they live in memory. */
  readonly ledgerFolder?: string | undefined;
  /** Also start suppliers that have a url (a process of its own that serves those urls). */
  readonly includeWithUrl: boolean;
}

/** Starts the simulator of every supplier that has one and is not off. */
export async function startSimulators(suppliers: readonly SupplierConfig[], start: SimulatorStart): Promise<RunningSimulators> {
  const servers = new Map<string, SimulatorServer>();
  for (const supplier of suppliers) {
    const { simulator } = supplier;
    if (!simulator || supplier.state === 'off' || (supplier.url !== undefined && !start.includeWithUrl)) continue;
    const { medianMs, sigma, maxMs } = simulator.latency;
    servers.set(
      supplier.id,
      await startSimulatorServer({
        dialect: dialectOf(supplier, simulator, ledgerOf(supplier, start)),
        port: simulator.port,
        seed: simulator.seed,
        latency: { medianMs: medianMs * start.latencyScale, sigma, ...(maxMs === undefined ? {} : { maxMs: maxMs * start.latencyScale }) },
        ...(start.host === undefined ? {} : { host: start.host }),
        ...(simulator.chaos ? { chaos: simulator.chaos } : {}),
      }),
    );
  }
  return {
    servers,
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

function ledgerOf({ id }: SupplierConfig, { ledgerFolder }: SimulatorStart): BookingLedger {
  return new BookingLedger(Date.now, ledgerFolder === undefined ? undefined : join(ledgerFolder, `${id}.jsonl`));
}

function dialectOf(supplier: SupplierConfig, simulator: NonNullable<SupplierConfig['simulator']>, ledger: BookingLedger): DialectSimulator {
  if (simulator.dialect === 'abg') {
    const { clientId = '', clientSecret = '' } = supplier.credentials;
    return createAbgSimulator({
      inventories: inventoriesBy(supplier, simulator.seed, (brand) => brand),
      clientId,
      clientSecret,
      now: Date.now,
      ledger,
    });
  }
  if (simulator.dialect === 'hold' || simulator.dialect === 'flat') {
    const [brand = supplier.name] = supplier.brands;
    const inventory = createInventory({ brand, seed: simulator.seed });
    const create = simulator.dialect === 'hold' ? createHoldSimulator : createFlatSimulator;
    return create({ brand, inventory, apiKey: supplier.credentials.apiKey ?? '', now: Date.now, ledger });
  }
  // The simulator reads the adapter's own switches, so that both sides of a dialect are configured once.
  const options = otaOptionsSchema.parse(supplier.options);
  return createOtaSimulator({
    inventories: inventoriesBy(supplier, simulator.seed, (brand) => options.vendorCodes[brand] ?? brand),
    dialect: {
      envelope: options.envelope,
      locationTemplate: options.locationCode.template,
      totalFrom: options.totalFrom,
      path: options.paths.vehicles,
    },
    now: Date.now,
    ledger,
  });
}

function inventoriesBy(supplier: SupplierConfig, seed: number, keyOf: (brand: string) => string): Record<string, Inventory> {
  return Object.fromEntries(supplier.brands.map((brand, index) => [keyOf(brand), createInventory({ brand, seed: seed + index })]));
}
