import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A name for what a migrated database depends on: the migrations, the Node.js version and the day, whose partitions it has. */
export function migrationsDigest(): string {
  const folder = join(import.meta.dirname, '../../src/database/migrations');
  const hash = createHash('sha256').update(process.version).update(new Date().toISOString().slice(0, 10));
  for (const name of readdirSync(folder)
    .filter((entry) => entry.endsWith('.sql'))
    .sort())
    hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}
