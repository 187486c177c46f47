import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findBinary } from './binaries.js';
import { type Child, freePort, startChild } from './child.js';
import { queryOnce, type TestDatabase } from './database.js';
import { madeOnce } from './made-once.js';

/**
 * A PostgreSQL server for one spec that stops and starts it, on a port that stays the same. Other specs use database.ts.
 */
export interface PostgresServer extends TestDatabase {
  start(): Promise<void>;
  /** Immediate shutdown: connections are cut, as when the machine crashes. */
  stop(): Promise<void>;
  /** Halts all of its processes: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
}

/** The user that runs PostgreSQL; without members: the current user. */
interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Creates and starts a cluster; as root it runs as the user postgres, because PostgreSQL refuses root. Its database is empty
 * or, for specs, already migrated, which saves the first gateway seconds. Rejects if the programs are missing.
 */
export async function startPostgres(database: 'empty' | 'migrated' = 'empty'): Promise<PostgresServer> {
  const migrated = database === 'migrated' ? process.env.TEST_MIGRATED_CLUSTER : undefined;
  const { folder, data, programs, user } = await clusterLike(migrated);
  const port = await freePort();
  const url = `postgresql://forecourt@127.0.0.1:${port}/${migrated === undefined ? 'postgres' : 'migrated'}`;
  let child: Child | undefined;
  const start = async (): Promise<void> => {
    const args = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1', '-c', 'fsync=off'];
    child = startChild(join(programs, 'postgres'), args, { ...user, cwd: folder });
    await child.printed('database system is ready to accept connections');
  };
  const stop = async (): Promise<void> => {
    await child?.stop('SIGQUIT');
    child = undefined;
  };
  const signalAll = (signal: NodeJS.Signals): void => {
    const pid = child?.pid ?? 0;
    const backends = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    for (const one of [pid, ...backends]) process.kill(one, signal);
  };
  await start();
  return {
    url,
    start,
    stop,
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    query: (sql, values = []) => queryOnce(url, sql, values),
    dispose: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A stopped cluster, the folder with the programs of its version, and who runs them. */
export interface Cluster {
  /** For the cluster and its socket; not deleted at the end. */
  readonly folder: string;
  readonly data: string;
  readonly programs: string;
  readonly user: User;
}

/** Creates a cluster with the superuser `forecourt`, who needs no password. Rejects if the programs are missing. */
export function emptyCluster(): Promise<Cluster> {
  return clusterLike();
}

/** A copy of the cluster in a folder; without one, an empty cluster. */
async function clusterLike(original?: string): Promise<Cluster> {
  const initdb = findBinary('initdb');
  if (initdb === undefined) throw new Error('the PostgreSQL server is not installed');
  const user = postgresUser();
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync('cp', ['-Rp', original ?? (await template(initdb, user)), data], {
    ...user,
    cwd: folder,
    stdio: 'pipe',
  });
  return { folder, data, programs: dirname(realpathSync(initdb)), user };
}

/** Who runs programs that refuse root. */
export function postgresUser(): User {
  return process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
}

/** An empty cluster: copying it takes a tenth of the time of creating one. */
function template(initdb: string, user: User): Promise<string> {
  const version = execFileSync(initdb, ['--version'], { encoding: 'utf8' }).replace(/\W+/g, '-');
  return madeOnce(`forecourt-cluster-${version}${user.uid ?? ''}`, (folder) => {
    if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    execFileSync(initdb, ['-D', folder, '-U', 'forecourt', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
      ...user,
      cwd: folder,
      stdio: 'pipe',
    });
  });
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
