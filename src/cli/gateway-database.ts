import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.schema.js';
import { type Database, openDatabase } from '../database/database.js';

/** Throws where there is no database of a gateway: a command in the wrong folder must not make one, with keys of its own. Before keys are loaded. */
export function refuseNewDatabase({ databaseUrl, dataFolder }: Config): void {
  if (databaseUrl !== undefined || existsSync(join(dataFolder, 'database'))) return;
  throw new Error(
    `there is no database in ${dataFolder}: start the gateway once, or set DATA_DIR to its data folder, or DATABASE_URL`,
  );
}

/** The database that gateways of this configuration use. Throws where they have made none yet. */
export async function openGatewayDatabase(config: Config): Promise<Database> {
  refuseNewDatabase(config);
  return openDatabase(config.databaseUrl, config.dataFolder);
}
