import type { Config } from '../config/config.schema.js';
import { createLogger } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { OperatorReads } from '../database/operator-reads.js';
import { VersionRegistry } from '../products/version-registry.js';

/** The versions of a command, which knows none until `refresh`. */
export function versionsOf(folder: string, database: Database, config: Pick<Config, 'environment'>): VersionRegistry {
  return new VersionRegistry(folder, new OperatorReads(database, 0, createLogger('silent')), config);
}
