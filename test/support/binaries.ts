import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const DEBIAN_POSTGRESQL = '/usr/lib/postgresql';

/** The browser: headless if available, else the full one. Redis: what TEST_REDIS names, such as valkey-server, else Redis or Valkey. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  chromium: ['chromium-headless-shell', 'chromium'],
  'redis-server': process.env.TEST_REDIS === undefined ? ['redis-server', 'valkey-server'] : [process.env.TEST_REDIS],
  'redis-cli': ['redis-cli', 'valkey-cli'],
};

/**
 * Where a program is: on PATH, in the system's folders, or among Debian's PostgreSQL versions (newest first); undefined
 * = not installed.
 */
export function findBinary(name: string): string | undefined {
  const versions = existsSync(DEBIAN_POSTGRESQL)
    ? readdirSync(DEBIAN_POSTGRESQL).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    ...versions.map((version) => join(DEBIAN_POSTGRESQL, version, 'bin')),
  ];
  const names = OTHER_NAMES[name] ?? [name];
  return names.flatMap((one) => folders.map((folder) => join(folder, one))).find(isExecutable);
}

/**
 * `describe` if every named program is installed, else `describe.skip`; scripts/test-services.mjs says how to install
 * what is missing.
 */
export function describeWith(...names: readonly string[]): typeof describe | typeof describe.skip {
  return names.every((name) => findBinary(name) !== undefined) ? describe : describe.skip;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}
