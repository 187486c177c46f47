import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from './config.schema.js';

type Source = Pick<Config, 'secret' | 'secretFile' | 'dataFolder'>;

/** The file that holds the master secret if the setting `secret` isn't set. */
export function secretFileOf({ secretFile, dataFolder }: Source): string {
  return secretFile ?? join(dataFolder, 'secret');
}

/** The master secret if it is set or generated already; creates nothing. */
export function knownSecret(source: Source): string | undefined {
  if (source.secret !== undefined) return source.secret;
  const file = secretFileOf(source);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** The master secret. Generates 32 random bytes (file mode 0600) if there is none. */
export function masterSecret(source: Source): string {
  return knownSecret(source) ?? generatedSecret(secretFileOf(source));
}

/** Several gateways may start concurrently with one file: a link appears complete or not at all, and the first one wins. */
function generatedSecret(file: string): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8');
}
