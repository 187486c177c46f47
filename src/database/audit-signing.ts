import { sql } from 'drizzle-orm';
import type { AcceptedKeys } from '../config/keys.js';
import { type Problem, type Seal, signCheckpoint, verifyAudit } from './audit-chain.js';
import type { Database } from './database.js';

/** What was found and signed. */
interface Signing {
  /** The last seal that is right; undefined for an empty log. */
  readonly head: Seal | undefined;
  readonly isSigned: boolean;
  /** Why nothing was signed: the log was altered. */
  readonly problem: Problem | undefined;
}

/**
 * Verifies the last checkpoint, the seal `noted` and what was added since, and signs its end with the first of the keys, if something was
 * added. Rejects with the driver's error.
 */
export async function signAudit(
  database: Pick<Database, 'rows'>,
  environment: string,
  keys: AcceptedKeys,
  noted?: Seal,
): Promise<Signing> {
  const { events, head, problem } = await verifyAudit(database, environment, keys, { newest: 0, noted });
  const isSigned = problem === undefined && head !== undefined && events > 0;
  if (isSigned)
    await database.rows(sql`insert into audit_checkpoints (environment, sequence, hash, signature)
      values (${environment}, ${head.sequence}, ${head.hash}, ${signCheckpoint(keys[0], head)}) on conflict do nothing`);
  return { head, isSigned, problem };
}
