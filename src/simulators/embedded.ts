import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AcceptedKeys } from '../config/keys.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { createAbgSimulator } from './abg/simulator.js';
import { BookingLedger, type RentedBooking } from './bookings.js';
import { createFlatSimulator } from './flat/simulator.js';
import { createHoldSimulator } from './hold/simulator.js';
import { createInventory } from './inventory.js';
import { LedgerFile } from './ledger-file.js';
import { accessOf } from './ota/access.js';
import { otaOptionsSchema } from './ota/options.js';
import { createOtaSimulator } from './ota/simulator.js';
import { createRecordedSimulator } from './recorded/simulator.js';
import { type SimulatorServer, startSimulatorServer } from './simulator-server.js';
import type { DialectSimulator, Inventory } from './world.js';

/** Running simulators by supplier id. */
export interface RunningSimulators {
  readonly servers: ReadonlyMap<string, SimulatorServer>;
  /**
   * Starts simulators of new suppliers, restarts those whose configuration changed (keeping their bookings), and stops
   * those of removed suppliers. Rejects if one cannot start, and then keeps the old ones running, except on fixed
   * ports, which they have released by then.
   */
  play(suppliers: readonly SupplierConfig[]): Promise<void>;
  /** The bookings whose renter is known, by supplier. */
  rented(): ReadonlyMap<string, readonly RentedBooking[]>;
  /** Forgets the renters of a supplier's bookings with these numbers. Rejects if its ledger can't be written. */
  forgetRenters(supplier: string, numbers: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** How to start simulators: `latencyScale` multiplies every configured latency (0 = none). */
export interface SimulatorStart {
  readonly latencyScale: number;
  /** Models that a brand rents at one location, and one on request; absent = all of its fleet. */
  readonly carsPerLocation?: number | undefined;
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Folder for the suppliers' bookings (`<id>.jsonl`), which then survive a restart, and the keys: the first encrypts them, all decrypt. */
  readonly ledgers?: { readonly folder: string; readonly keys: AcceptedKeys } | undefined;
  /** Also start simulators of suppliers with a url (for a separate process that serves those urls). */
  readonly includeWithUrl: boolean;
}

/**
 * Starts the simulator of every supplier that has one, including suppliers that are off, which an operator may enable.
 * Skips incomplete suppliers that are off.
 */
export async function startSimulators(
  suppliers: readonly SupplierConfig[],
  start: SimulatorStart,
): Promise<RunningSimulators> {
  const servers = new Map<string, SimulatorServer>();
  const played = new Map<string, SupplierConfig>();
  const ledgers = new Map<string, BookingLedger>();
  const retiring = new Set<SimulatorServer>();
  const retire = (server: SimulatorServer): void => {
    retiring.add(server);
    const close = (): void => void server.close().then(() => retiring.delete(server));
    setTimeout(close, RETIRE_MS).unref();
  };
  const begin = async (supplier: SupplierConfig, simulator: Simulator): Promise<SimulatorServer | undefined> => {
    const ledger = ledgers.get(supplier.id) ?? ledgerOf(supplier, start);
    ledgers.set(supplier.id, ledger);
    const dialect = playable(supplier, simulator, ledger, start.carsPerLocation);
    if (!dialect) return undefined;
    // The new simulator needs a fixed port immediately.
    if (simulator.port !== 0) await [...servers.values()].find(({ port }) => port === simulator.port)?.close();
    const { medianMs, sigma, maxMs } = simulator.latency;
    return startSimulatorServer({
      dialect,
      port: simulator.port,
      seed: simulator.seed,
      latency: {
        medianMs: medianMs * start.latencyScale,
        sigma,
        ...(maxMs === undefined ? {} : { maxMs: maxMs * start.latencyScale }),
      },
      ...(start.host === undefined ? {} : { host: start.host }),
      ...(simulator.chaos ? { chaos: simulator.chaos } : {}),
    });
  };
  const play = async (wanted: readonly SupplierConfig[]): Promise<void> => {
    const simulated = wanted.flatMap((supplier) => {
      const { simulator, url } = supplier;
      return simulator && (url === undefined || start.includeWithUrl) ? [{ supplier, simulator }] : [];
    });
    const begun: { readonly supplier: SupplierConfig; readonly server: SimulatorServer }[] = [];
    try {
      for (const { supplier, simulator } of simulated) {
        if (isSame(played.get(supplier.id), supplier)) continue;
        const server = await begin(supplier, simulator);
        if (server) begun.push({ supplier, server });
      }
    } catch (error) {
      await Promise.all(begun.map(({ server }) => server.close()));
      throw error;
    }
    const gone = [...played.keys()].filter((id) => !simulated.some(({ supplier }) => supplier.id === id));
    for (const id of [...gone, ...begun.map(({ supplier }) => supplier.id)]) {
      const server = servers.get(id);
      if (played.get(id)?.simulator?.port === 0 && server) retire(server);
      else await server?.close();
      servers.delete(id);
      played.delete(id);
    }
    for (const { supplier, server } of begun) {
      servers.set(supplier.id, server);
      played.set(supplier.id, supplier);
    }
  };
  await play(suppliers);
  const prune = (): void => {
    // What fails is tried again the next day.
    for (const ledger of ledgers.values()) ledger.forget().catch(() => undefined);
  };
  const pruning = setInterval(prune, PRUNE_MS).unref();
  return {
    servers,
    play,
    rented: () => new Map([...ledgers].map(([id, ledger]) => [id, ledger.rented()])),
    forgetRenters: async (supplier, numbers) => ledgers.get(supplier)?.forget(numbers),
    close: async () => {
      clearInterval(pruning);
      await Promise.all([...servers.values(), ...retiring].map((server) => server.close()));
    },
  };
}

/** How long calls that began before a change may still run. */
const RETIRE_MS = 30_000;
/** How often bookings that are no longer kept are dropped. */
const PRUNE_MS = 86_400_000;

type Simulator = NonNullable<SupplierConfig['simulator']>;

/** Whether two configurations produce the same simulator. */
function isSame(one: SupplierConfig | undefined, other: SupplierConfig): boolean {
  const heard = ({ simulator, options, credentials, brands, name }: SupplierConfig) => [
    simulator,
    options,
    credentials,
    brands,
    name,
  ];
  return one !== undefined && isDeepStrictEqual(heard(one), heard(other));
}

function ledgerOf({ id }: SupplierConfig, { ledgers }: SimulatorStart): BookingLedger {
  return new BookingLedger(Date.now, ledgers && new LedgerFile(join(ledgers.folder, `${id}.jsonl`), ledgers.keys));
}

/**
 * Undefined for a supplier that is off and has invalid options: it is not called, and its adapter reports the error
 * when it is enabled.
 */
function playable(
  supplier: SupplierConfig,
  simulator: Simulator,
  ledger: BookingLedger,
  carsPerLocation: number | undefined,
): DialectSimulator | undefined {
  try {
    return dialectOf(supplier, simulator, ledger, carsPerLocation);
  } catch (error) {
    if (supplier.state === 'off') return undefined;
    throw new Error(`suppliers/${supplier.id}.yaml: its simulator cannot run with these options`, { cause: error });
  }
}

function dialectOf(
  supplier: SupplierConfig,
  simulator: Simulator,
  ledger: BookingLedger,
  carsPerLocation: number | undefined,
): DialectSimulator {
  const inventoriesBy = (keyOf: (brand: string) => string): Record<string, Inventory> =>
    Object.fromEntries(
      supplier.brands.map((brand, index) => [
        keyOf(brand),
        createInventory({ brand, seed: simulator.seed + index, carsPerLocation }),
      ]),
    );
  if (simulator.dialect === 'abg') {
    const { clientId = '', clientSecret = '' } = supplier.credentials;
    return createAbgSimulator({
      inventories: inventoriesBy((brand) => brand),
      clientId,
      clientSecret,
      now: Date.now,
      ledger,
    });
  }
  if (simulator.dialect === 'hold' || simulator.dialect === 'flat') {
    const [brand = supplier.name] = supplier.brands;
    const inventory = createInventory({ brand, seed: simulator.seed, carsPerLocation });
    const create = simulator.dialect === 'hold' ? createHoldSimulator : createFlatSimulator;
    return create({ brand, inventory, apiKey: supplier.credentials.apiKey ?? '', now: Date.now, ledger });
  }
  if (simulator.dialect === 'recorded') {
    const { options, credentials, brands } = supplier;
    return createRecordedSimulator({
      options,
      credentials,
      brands,
      folder: simulator.answers ?? '',
      now: Date.now,
      ledger,
    });
  }
  // Adapter and simulator read the same options from the supplier's file, each with its own code.
  const options = otaOptionsSchema.parse(supplier.options);
  return createOtaSimulator({
    inventories: inventoriesBy((brand) => options.vendorCodes[brand] ?? brand),
    dialect: {
      envelope: options.envelope,
      locationTemplate: options.locationCode.template,
      totalFrom: options.totalFrom,
      paths: options.paths,
      namespace: options.namespace,
      prefix: options.prefix,
      dateSeconds: options.dateSeconds,
      dateSuffix: options.dateSuffix,
      money: options.money,
      vendorCodeContext: options.vendorCodeContext,
      gzip: options.gzip,
      errorCodes: options.errorCodes,
      encoding: options.encoding,
      version: options.version,
      versions: options.versions,
      takes: options.takes,
      changes: options.changes,
      access: accessOf(options, supplier.credentials),
    },
    now: Date.now,
    ledger,
  });
}
