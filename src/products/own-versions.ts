import { type SQL, sql } from 'drizzle-orm';
import type { Config } from '../config/config.schema.js';

/** The condition that an environment has a row of product_versions: production hasn't those that only a sandbox added (decision 0093). */
export function isOwn(environment: Config['environment']): SQL {
  return environment === 'production' ? sql`not is_sandbox_only` : sql`true`;
}
