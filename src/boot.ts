import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Boot } from './app.module.js';
import { acceptedKeys, loadKeys } from './config/keys.js';
import { type LoadedConfig, loadConfig } from './config/load-config.js';
import { createLogger } from './config/logger.js';
import { refuseUnsafeStart, startWarnings } from './config/start-checks.js';
import { type RunningSimulators, startSimulators } from './simulators/embedded.js';

/** The configuration folder: CONFIG_DIR, or `config/` beside `dist/` and `src/`. */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env.CONFIG_DIR ?? fileURLToPath(new URL('../config', import.meta.url)));
}

/** The configuration and its folder. */
export interface Configuration {
  readonly folder: string;
  readonly loaded: LoadedConfig;
}

/** Reads the configuration. Throws ConfigError, even if it is unsafe (start-checks.ts). */
export function readConfiguration(env: Readonly<Record<string, string | undefined>>): Configuration {
  const folder = configFolder(env);
  const loaded = loadConfig(folder, env);
  refuseUnsafeStart(loaded);
  return { folder, loaded };
}

/**
 * Starts the embedded simulators and gathers what must be there before Nest. `worker` is the number of a worker, which its
 * log lines name; undefined = the only process.
 */
export async function boot(
  { folder, loaded }: Configuration,
  worker?: number,
): Promise<Boot & { simulators: RunningSimulators }> {
  const { config, suppliers } = loaded;
  const logger = createLogger(config.log.level);
  // With several workers, one warns for all.
  if (worker === undefined || worker === 1)
    for (const { subject, found, todo } of startWarnings(loaded)) logger.warn({ todo }, `${subject}: ${found}`);
  const keys = loadKeys(config);
  const simulators = await startSimulators(config.simulators.embedded ? suppliers : [], {
    latencyScale: config.simulators.latencyScale,
    carsPerLocation: config.simulators.carsPerLocation,
    includeWithUrl: false,
    ledgers: { folder: join(config.dataFolder, 'simulators'), keys: acceptedKeys(keys, 'simulator_ledgers') },
  });
  return {
    loaded,
    keys,
    configFolder: folder,
    logger: worker === undefined ? logger : logger.child({ worker }),
    simulatedSuppliers: {
      urlOf: (id) => simulators.servers.get(id)?.url,
      apply: (wanted) => simulators.play(config.simulators.embedded ? wanted : []),
      rented: () => simulators.rented(),
      forgetRenters: (id, numbers) => simulators.forgetRenters(id, numbers),
    },
    simulators,
  };
}
