import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SupplierConfig } from './supplier-config.schema.js';

const VARIABLE = /^\$\{([A-Z][A-Z0-9_]*)\}$/;
const FILE = /^\$\{file:(\/[^{}\n]+)\}$/;

/** Far more than a password, token or private key needs. */
const MOST_BYTES = 16_384;

/** Where the secrets of a supplier come from, and where faults in its file are. */
export interface CredentialSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a secret that can't be read is a fault. Otherwise it is left out. */
  readonly isRequired: boolean;
  /** `suppliers/<id>.yaml:<line>` of a key. */
  placeIn(path: readonly PropertyKey[]): string;
}

/**
 * The credentials of a supplier, with `${NAME}` replaced by the environment variable and `${file:/path}` by the content
 * of the file. Adds faults to `faults`; none quotes a secret.
 */
export function readCredentials(
  { credentials, isSimulated }: Pick<SupplierConfig, 'credentials' | 'isSimulated'>,
  { env, isRequired, placeIn }: CredentialSource,
  faults: string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, text] of Object.entries(credentials)) {
    const fault = (why: string): void => {
      faults.push(`${placeIn(['credentials', key])} credentials.${key}: ${why}`);
    };
    const variable = VARIABLE.exec(text)?.[1];
    const file = FILE.exec(text)?.[1];
    if (variable !== undefined) {
      const value = env[variable];
      if (value !== undefined) found[key] = value;
      else if (isRequired) fault(`the environment variable ${variable} is not set`);
    } else if (file !== undefined) {
      const { secret, why } = secretIn(file);
      if (secret !== undefined) found[key] = secret;
      else if (isRequired) fault(`the file ${file} ${why}`);
    } else if (isSimulated) found[key] = text;
    else
      fault(
        'must be an environment variable, written ${NAME}, or a file, written ${file:/run/secrets/name} with an absolute path',
      );
  }
  return found;
}

/**
 * The secret files that the supplier files of a folder refer to, sorted, including those that don't exist. Leaves out
 * supplier files that can't be read, which loadConfig reports. Empty if the folder can't be read.
 */
export function secretFilesIn(folder: string): readonly string[] {
  const files = new Set<string>();
  for (const name of namesIn(folder)) {
    if (!name.endsWith('.yaml') || name.startsWith('.')) continue;
    for (const [, file = ''] of textOf(join(folder, name)).matchAll(/\$\{file:(\/[^{}\n]+)\}/g)) files.add(file);
  }
  return [...files].sort();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty if the file can't be read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The content of a secret file without its trailing line break, or why it can't be used. */
function secretIn(file: string): { readonly secret?: string; readonly why?: string } {
  try {
    const found = statSync(file);
    // Reading a pipe or a device could block the gateway.
    if (!found.isFile()) return { why: 'is not a regular file' };
    if (found.size > MOST_BYTES) return { why: `is larger than ${MOST_BYTES} bytes` };
    const secret = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)).replace(/\r?\n$/, '');
    return secret === '' ? { why: 'is empty' } : { secret };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { why: 'does not exist' };
    return { why: code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8 text' : `cannot be read: ${code}` };
  }
}
