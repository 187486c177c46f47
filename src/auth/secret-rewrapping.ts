import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import type { ClientSecrets, SecretHolder } from './client-secrets.js';
import type { Environment } from './credentials.js';

/** The number of rewrapped secrets, and the ids of those that couldn't be decrypted. */
export interface Rewrapping {
  readonly wrapped: number;
  readonly unreadable: readonly string[];
}

const BATCH = 500;

/**
 * Rewraps every client secret of the environment that was wrapped with an older key. Secrets that can't be decrypted (their key is
 * missing, or they were moved) are skipped.
 */
export async function rewrapSecrets(
  database: Database,
  environment: Environment,
  secrets: ClientSecrets,
): Promise<Rewrapping> {
  const unreadable: string[] = [];
  let wrapped = 0;
  for (let last = ''; ; ) {
    const rows = await database.rows<{ id: string; sealed: string } & SecretHolder>(sql`
      select s.id, s.sealed, s.application_id as "applicationId", a.environment
      from client_secrets s join applications a on a.id = s.application_id
      where s.id > ${last} and a.environment = ${environment} and s.sealed is not null and split_part(s.sealed, '.', 1) <> ${secrets.newestKey}
      order by s.id limit ${BATCH}`);
    for (const { id, sealed, ...holder } of rows) {
      const rewrapped = rewrap(secrets, sealed, holder);
      if (rewrapped === undefined) unreadable.push(id);
      else {
        await database.rows(
          sql`update client_secrets set sealed = ${rewrapped} where id = ${id} and sealed = ${sealed}`,
        );
        wrapped += 1;
      }
      last = id;
    }
    if (rows.length < BATCH) return { wrapped, unreadable };
  }
}

function rewrap(secrets: ClientSecrets, sealed: string, holder: SecretHolder): string | undefined {
  try {
    return secrets.rewrap(sealed, holder);
  } catch {
    // Report only the id: the cipher's error isn't useful.
    return undefined;
  }
}
