import type { Keys } from '../config/keys.js';
import { keySummaries, type SealingConfig } from '../config/sealed-text.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';

/** What is re-encrypted, and with which keys. */
interface Rotation {
  readonly database: Database;
  readonly config: SealingConfig;
  readonly keys: Keys;
}

/**
 * Re-encrypts stored data. That is many transactions, because one would lock every reservation until its end: so the audit log has a
 * row with the keys before the first of them, without which nothing changes, and one with what `work` returns after the last.
 */
export async function recordedRotation<T extends object>(
  { database, config, keys }: Rotation,
  work: () => Promise<T>,
): Promise<T> {
  const writer = { tables: database.tables, environment: config.environment };
  const entry = { actor: 'ops', subject: 'keys' };
  await recordAudit(writer, { ...entry, action: 'keys_rotation_begun', after: keySummaries(config, keys) });
  const after = await work();
  await recordAudit(writer, { ...entry, action: 'keys_rotated', after });
  return after;
}
