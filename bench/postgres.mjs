/** A PostgreSQL cluster for the benchmark, with or without fsync. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { findBinary } from '../test/support/binaries.ts';
import { freePort, LOAD_CORE, start, stop, until } from './processes.mjs';

const initdb = findBinary('initdb');

/** The reason why PostgreSQL is unavailable, or undefined. */
export function whyNoPostgres() {
  return initdb === undefined
    ? 'the PostgreSQL server is not installed (Debian: apt-get install postgresql)'
    : undefined;
}

/**
 * Creates and starts a cluster; as root it runs as the user postgres, because PostgreSQL refuses root. All settings but
 * fsync are the defaults.
 */
export async function startPostgres(fsync) {
  const user = process.getuid() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-bench-postgres-'));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync(initdb, ['-D', data, '-U', 'forecourt', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...user,
    cwd: folder,
    stdio: 'pipe',
  });
  const port = await freePort();
  const url = `postgresql://forecourt@127.0.0.1:${port}/postgres`;
  const args = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1', '-c', `fsync=${fsync}`];
  // SIGINT: doesn't wait for clients to disconnect.
  const child = start(`postgres-fsync-${fsync}`, LOAD_CORE, join(dirname(initdb), 'postgres'), args, {
    spawn: { ...user, cwd: folder },
    stopSignal: 'SIGINT',
  });
  await until('PostgreSQL', () =>
    query(url, 'select 1').then(
      () => true,
      () => undefined,
    ),
  );
  return {
    url,
    pid: child.pid,
    query: (sql) => query(url, sql),
    dispose: async () => {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function query(connectionString, sql) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function idOf(flag) {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
