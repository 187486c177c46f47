import { configFolder } from './boot.js';
import type { Config } from './config/config.schema.js';
import { acceptedKeys, loadKeys } from './config/keys.js';
import { ConfigError, type LoadedConfig, loadConfig } from './config/load-config.js';
import { inSource, nameSourceLines } from './config/source-lines.js';
import { chaosOf } from './simulators/chaos-text.js';
import { type RunningSimulators, type SimulatorStart, startSimulators } from './simulators/embedded.js';
import type { Chaos } from './simulators/latency.js';
import { saturationOf } from './simulators/saturation.js';

/** The simulators as a process of their own: `node dist/simulators.js`. Gateways reach them with SIMULATORS_EMBEDDED=false and SUPPLIER_<ID>_URL. */

const SATURATION_EVERY_MS = 10_000;

type Simulated = LoadedConfig['suppliers'][number] & {
  simulator: NonNullable<LoadedConfig['suppliers'][number]['simulator']>;
};

/** Something the person who starts it can put right. */
class StartError extends Error {}

nameSourceLines();
// The ledgers hold bookings.
process.umask(0o077);

try {
  await start();
} catch (error) {
  const known = error instanceof ConfigError || error instanceof StartError;
  console.error(known ? `The simulators cannot start: ${error.message}` : inSource(error));
  process.exit(1);
}

async function start(): Promise<void> {
  const folder = configFolder(process.env);
  // A simulator checks the credentials of its supplier; the secrets of other suppliers aren't needed here.
  const withSimulator = loadConfig(folder, process.env, []).suppliers.filter(
    ({ simulator }) => simulator !== undefined,
  );
  const ids = withSimulator.map(({ id }) => id);
  const { config, suppliers } = loadConfig(folder, process.env, ids);
  if (config.environment === 'production') throw new StartError('production has no simulators. Unset FORECOURT_ENV.');
  const simulated = withChaos(withPorts(suppliers, portBase(process.env.SIMULATOR_PORT_BASE)));
  if (simulated.every((supplier) => supplier.state === 'off')) {
    throw new StartError(
      `no supplier of the environment ${config.environment} in ${folder}/suppliers has a simulator and is on.`,
    );
  }
  const simulators = await startAll(simulated, config, ledgersIn(process.env.SIMULATOR_LEDGER_DIR, config));
  for (const [id, server] of simulators.servers) {
    console.log(
      `${id.padEnd(12)} SUPPLIER_${id.toUpperCase()}_URL=${server.url.replace('//0.0.0.0:', '//localhost:').replace('//[::]:', '//localhost:')}`,
    );
  }
  console.log('Simulators are ready.');
  const report = setInterval(() => console.log(saturationLine(simulators)), SATURATION_EVERY_MS);
  const stop = (): void => {
    clearInterval(report);
    console.log(saturationLine(simulators));
    void simulators.close();
  };
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      stop();
    });
  }
}

/** Places of all suppliers that have a simulator, `off` ones included: switching one never moves the port of another. */
function withPorts(suppliers: LoadedConfig['suppliers'], base: number | undefined): Simulated[] {
  const simulated = suppliers.filter((supplier): supplier is Simulated => supplier.simulator !== undefined);
  if (base === undefined) return simulated;
  return simulated.map((supplier, index) => ({
    ...supplier,
    simulator: { ...supplier.simulator, port: base + index },
  }));
}

/** Random supplier failures for load tests: SIMULATOR_CHAOS replaces the chaos of their files. */
function withChaos(simulated: readonly Simulated[]): Simulated[] {
  const chaos = readChaos(process.env.SIMULATOR_CHAOS ?? '');
  const unknown = [...chaos.keys()].find((id) => !simulated.some((supplier) => supplier.id === id));
  if (unknown !== undefined) throw new StartError(`SIMULATOR_CHAOS: no supplier "${unknown}" has a simulator.`);
  return simulated.map((supplier) => {
    const own = chaos.get(supplier.id);
    const none = { errorRate: 0, timeoutRate: 0, garbageRate: 0, resetRate: 0 };
    return own ? { ...supplier, simulator: { ...supplier.simulator, chaos: { ...none, ...own } } } : supplier;
  });
}

function readChaos(text: string): ReadonlyMap<string, Chaos> {
  try {
    return chaosOf(text);
  } catch (error) {
    throw new StartError(`SIMULATOR_CHAOS: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function portBase(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const base = Number(text);
  if (!Number.isInteger(base) || base < 1 || base > 65_000)
    throw new StartError(`SIMULATOR_PORT_BASE: "${text}" is not a port from 1 to 65000.`);
  return base;
}

/** The key is derived from FORECOURT_SECRET, or from a secret that is generated in the folder. */
function ledgersIn(folder: string | undefined, config: Config): SimulatorStart['ledgers'] {
  if (folder === undefined || folder === '') return undefined;
  return { folder, keys: acceptedKeys(loadKeys({ ...config, dataFolder: folder }), 'simulator_ledgers') };
}

async function startAll(
  simulated: readonly Simulated[],
  { http, simulators }: Config,
  ledgers: SimulatorStart['ledgers'],
): Promise<RunningSimulators> {
  const { latencyScale, carsPerLocation } = simulators;
  const start = { latencyScale, carsPerLocation, host: http.host, includeWithUrl: true, ledgers };
  try {
    return await startSimulators(simulated, start);
  } catch (error) {
    const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw error;
    const supplier = simulated.find(({ simulator }) => simulator.port === port);
    throw new StartError(
      `port ${port} of ${address} for the supplier ${supplier?.id ?? '?'} cannot be had (${code}). ` +
        `Choose another with SIMULATOR_PORT_BASE, or with simulator.port in config/suppliers/${supplier?.id ?? '<id>'}.yaml.`,
      { cause: error },
    );
  }
}

function saturationLine({ servers }: RunningSimulators): string {
  return `saturation: ${[...servers].map(([id, server]) => saturationOf(id, server.stats())).join(' | ')}`;
}
