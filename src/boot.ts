import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Boot } from './app.module.js';
import { loadKeys } from './config/keys.js';
import { loadConfig } from './config/load-config.js';
import { createLogger } from './config/logger.js';
import { refuseUnsafeStart } from './config/start-checks.js';
import { type RunningSimulators, startSimulators } from './simulators/embedded.js';

/** The configuration folder: CONFIG_DIR, or `config/` beside `dist/` and `src/`. */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env.CONFIG_DIR ?? fileURLToPath(new URL('../config', import.meta.url)));
}

/**
 * Reads the configuration and starts the embedded simulators: all that must be there before Nest. Throws ConfigError,
 * also if the configuration is unsafe (start-checks.ts).
 */
export async function boot(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Boot & { simulators: RunningSimulators }> {
  const folder = configFolder(env);
  const loaded = loadConfig(folder, env);
  const { config, suppliers } = loaded;
  refuseUnsafeStart(config);
  const keys = loadKeys(config);
  const simulators = await startSimulators(config.simulators.embedded ? suppliers : [], {
    latencyScale: config.simulators.latencyScale,
    includeWithUrl: false,
    ledgers: { folder: join(config.dataFolder, 'simulators'), key: keys('simulator_ledgers') },
  });
  return {
    loaded,
    keys,
    configFolder: folder,
    logger: createLogger(config.log.level),
    simulatedSuppliers: {
      urlOf: (id) => simulators.servers.get(id)?.url,
      apply: (wanted) => simulators.play(config.simulators.embedded ? wanted : []),
    },
    simulators,
  };
}
