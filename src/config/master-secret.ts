import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from './config.schema.js';

type Source = Pick<Config, 'environment' | 'secret' | 'secretFile' | 'dataFolder'>;

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

/**
 * What is wrong and how to fix it if the named file doesn't exist in production. It isn't generated there: with a typo in its name,
 * a gateway would make ids and credentials that no other one knows. Undefined = there is a secret, or one may be generated.
 */
export function lackedSecret(source: Source): { readonly found: string; readonly todo: string } | undefined {
  const { environment, secretFile } = source;
  if (environment !== 'production' || secretFile === undefined || knownSecret(source) !== undefined) return undefined;
  const found = `FORECOURT_SECRET_FILE names ${secretFile}, which doesn't exist, and production generates no secret there`;
  const todo = `correct FORECOURT_SECRET_FILE; for a new installation, make the file: (umask 077; openssl rand -base64 32 > ${secretFile})`;
  return { found, todo };
}

/** The master secret. Generates 32 random bytes (file mode 0600) if there is none. Throws an Error if it may not: see lackedSecret. */
export function masterSecret(source: Source): string {
  const lacked = lackedSecret(source);
  if (lacked) throw new Error(`${lacked.found}. To fix: ${lacked.todo}`);
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
