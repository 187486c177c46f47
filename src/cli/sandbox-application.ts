import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';

/** Throws an Error if the sandbox has no application of this id, or a deleted one. */
export async function mustBeInSandbox(database: Pick<Database, 'rows'>, application: string): Promise<void> {
  const [row] = await database.rows(
    sql`select 1 from applications where id = ${application} and environment = 'sandbox' and state <> 'deleted'`,
  );
  if (!row) throw new Error(`there is no application ${application} in the sandbox`);
}
