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
      const rewrapped = readable(() => secrets.rewrap(sealed, holder));
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

/**
 * Stores the HMAC of every client secret of the environment as FORECOURT_SECRET makes it, so that no other secret is needed to check it.
 * Returns how many were made with another one, and the ids of those that can't be decrypted, which stay as they are.
 */
export async function renewHmacs(
  database: Database,
  environment: Environment,
  secrets: ClientSecrets,
): Promise<{ readonly renewed: number; readonly unreadable: readonly string[] }> {
  const unreadable: string[] = [];
  let renewed = 0;
  for (let last = ''; ; ) {
    const rows = await database.rows<{ id: string; hmac: string; sealed: string | null } & SecretHolder>(sql`
      select s.id, s.hmac, s.sealed, s.application_id as "applicationId", a.environment
      from client_secrets s join applications a on a.id = s.application_id
      where s.id > ${last} and a.environment = ${environment} and s.revoked_at is null order by s.id limit ${BATCH}`);
    for (const { id, hmac, sealed, ...holder } of rows) {
      last = id;
      const own = sealed === null ? undefined : readable(() => secrets.hmacOf(sealed, holder));
      if (own === undefined) unreadable.push(id);
      if (own === undefined || own === hmac) continue;
      await database.rows(sql`update client_secrets set hmac = ${own} where id = ${id} and hmac = ${hmac}`);
      renewed += 1;
    }
    if (rows.length < BATCH) return { renewed, unreadable };
  }
}

/** Undefined if it throws: only ids are reported, because the cipher's error isn't useful. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
