import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findBinary } from './binaries.js';

/** Writes a database to a file as docs/backup.md#restore does. Rejects with what pg_dump prints. */
export async function dumpDatabase(url: string, file: string): Promise<void> {
  await run('pg_dump', '-Fc', '-f', file, '-d', url);
}

/**
 * Replaces what the database holds by that file, as docs/backup.md#restore does: `pg_restore --clean` can't drop partitions.
 * Rejects with what the programs print.
 */
export async function restoreDatabase(url: string, file: string): Promise<void> {
  await run(
    'psql',
    '-q',
    '-v',
    'ON_ERROR_STOP=1',
    '-d',
    url,
    '-c',
    'drop schema public, drizzle cascade; create schema public',
  );
  await run('pg_restore', '--exit-on-error', '-d', url, file);
}

async function run(program: string, ...words: readonly string[]): Promise<void> {
  await promisify(execFile)(findBinary(program) ?? program, words);
}
