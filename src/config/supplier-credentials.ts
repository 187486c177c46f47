import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretIn } from './secret-file.js';
import type { SupplierConfig } from './supplier-config.schema.js';

const VARIABLE = /^\$\{([A-Z][A-Z0-9_]*)\}$/;
const FILE = /^\$\{file:(\/[^{}\n]+)\}$/;

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

/** The secret files of a supplier that may be called. */
export function secretFilesOfSupplier({ credentials, state }: Pick<SupplierConfig, 'credentials' | 'state'>): string[] {
  return state === 'off' ? [] : Object.values(credentials).flatMap((text) => FILE.exec(text)?.[1] ?? []);
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
