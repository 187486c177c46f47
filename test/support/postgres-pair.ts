import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Child, freePort, startChild } from './child.js';
import { queryOnce, type TestDatabase } from './database.js';
import { type Cluster, emptyCluster } from './postgres.js';

/**
 * Two PostgreSQL servers: a primary, which answers a commit when its standby has it on disk as well, and that standby. `url`
 * names both, and `query` asks the primary.
 */
export interface PostgresPair extends TestDatabase {
  /** Host and port of each server, in the order of `url`. */
  readonly names: readonly [string, string];
  /** Sends SIGKILL to all processes of the primary, and resolves when they have exited. */
  kill(): Promise<void>;
  /** Makes the standby the primary, which then has no standby. */
  promote(): Promise<void>;
  /** The standby gets nothing more until it is promoted. With synchronous replication, commits then wait for it without end. */
  detach(): Promise<void>;
  /** Makes the killed server the standby of the other one, from a copy, and commits wait for it again. */
  rebuild(): Promise<void>;
}

interface Node extends Cluster {
  readonly port: number;
  child?: Child;
}

const run = promisify(execFile);
const SETTLED_MS = 30_000;
const POLL_MS = 50;

/**
 * Starts both, with fsync and, unless `isSynchronous` is false, synchronous replication. Rejects if the programs are
 * missing.
 */
export async function startPostgresPair({ isSynchronous = true } = {}): Promise<PostgresPair> {
  const nodes: [Node, Node] = [await nodeOf(), await nodeOf()];
  let [primary, standby] = nodes;
  const ask = (sql: string, values: readonly unknown[] = []) => queryOnce(urlOf(primary), sql, values);
  const attach = async (): Promise<void> => {
    await copy(primary, standby);
    await start(standby);
    await eventually(() => ask("select 1 from pg_stat_replication where state = 'streaming'"));
    if (!isSynchronous) return;
    await ask("alter system set synchronous_standby_names = '*'");
    await ask('select pg_reload_conf()');
    // What was stored without a standby must also be on it.
    const [row] = await ask('select pg_current_wal_lsn()::text as lsn');
    await eventually(() =>
      ask("select 1 from pg_stat_replication where sync_state = 'sync' and flush_lsn >= $1::pg_lsn", [row?.lsn]),
    );
  };
  await start(primary);
  await attach();
  const names = nodes.map(({ port }) => `127.0.0.1:${port}`) as [string, string];
  return {
    names,
    url: `postgresql://forecourt@${names.join(',')}/postgres?target_session_attrs=read-write`,
    query: ask,
    kill: () => kill(primary),
    promote: async () => {
      [primary, standby] = [standby, primary];
      await ask('select pg_promote()');
    },
    detach: async () => {
      await queryOnce(urlOf(standby), "alter system set primary_conninfo = ''", []);
      await queryOnce(urlOf(standby), 'select pg_reload_conf()', []);
    },
    rebuild: attach,
    dispose: async () => {
      for (const node of nodes) {
        await kill(node);
        rmSync(node.folder, { recursive: true, force: true });
      }
    },
  };
}

async function nodeOf(): Promise<Node> {
  return { ...(await emptyCluster()), port: await freePort() };
}

function urlOf({ port }: Node): string {
  return `postgresql://forecourt@127.0.0.1:${port}/postgres`;
}

async function start(node: Node): Promise<void> {
  const { programs, data, port, folder, user } = node;
  const args = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1'];
  node.child = startChild(join(programs, 'postgres'), args, { ...user, cwd: folder });
  await node.child.printed('database system is ready to accept');
}

/** Replaces the files of a stopped server by those of a running one, whose standby it will be. */
async function copy(from: Node, to: Node): Promise<void> {
  rmSync(to.data, { recursive: true, force: true });
  const words = ['-D', to.data, '-d', urlOf(from), '-R', '-c', 'fast', '-X', 'stream'];
  await run(join(to.programs, 'pg_basebackup'), words, { ...to.user, cwd: to.folder });
}

/** The postmaster first, so that it starts no crash recovery. */
async function kill({ child }: Node): Promise<void> {
  if (!child || child.process.exitCode !== null || child.process.signalCode !== null) return;
  const own = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  for (const pid of [child.pid, ...own.filter((one) => one !== '').map(Number)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It has exited by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  await child.exited;
}

async function eventually(ask: () => Promise<readonly unknown[]>): Promise<void> {
  for (const end = Date.now() + SETTLED_MS; Date.now() < end; await wait(POLL_MS)) if ((await ask()).length > 0) return;
  throw new Error('the standby does not follow the primary');
}
