// globalSetup of jest for all projects: the folder in which shared-gateway.ts notes what it has started, and one PostgreSQL
// server for all specs, with the migrated database that database.ts copies. Without PostgreSQL there is none, and the
// embedded database is used instead. All temporary files are in memory where there is room.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { findBinary } from './binaries.ts';
import { madeOnce } from './made-once.ts';
import { migrationsDigest } from './migrations-digest.ts';

/** A text that is stored in every folder of the shared servers, so that the search of shared-servers-stop.mjs can find one. */
export const STORED = 'a text that the search at the end must find';

/** Bytes of memory that must be free for the files of a run: it uses 0.5 GB, with long specs more. */
const ROOM_BYTES = 4 * 2 ** 30;
const MEMORY = '/dev/shm';

export default async function setup() {
  const initdb = findBinary('initdb');
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  // All workers have the same (booking.ts).
  process.env.TEST_SECRET = randomBytes(32).toString('base64url');
  // What is kept for later runs is on the disk (made-once.ts).
  process.env.TEST_KEPT_FOLDER = tmpdir();
  const template = initdb === undefined ? undefined : await migratedCluster(initdb, user);
  useMemory();
  process.env.TEST_SHARED_FOLDER = mkdtempSync(join(tmpdir(), 'forecourt-shared-'));
  writeFileSync(join(process.env.TEST_SHARED_FOLDER, 'stored'), STORED);
  if (template === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-postgres-'));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  execFileSync('cp', ['-Rp', join(template, 'data'), folder], { ...user, stdio: 'pipe' });
  const server = await startServer(dirname(initdb), folder, user);
  process.env.TEST_POSTGRES_URL = server.url;
  // What postgres.ts copies.
  process.env.TEST_MIGRATED_CLUSTER = join(template, 'data');
  globalThis.stopSharedPostgres = async () => {
    await server.stop('SIGQUIT');
    return folder;
  };
}

/**
 * Makes a folder in memory the one for temporary files, including those of the workers; shared-servers-stop.mjs removes it. On a disk,
 * files that live for seconds cost more than what is tested: creating and dropping a database takes 0.40 s of processor
 * time there, and 0.08 s in memory. Those of runs that were killed are removed here.
 */
function useMemory() {
  if (!hasRoom()) return;
  // Another container may use the same memory, where the numbers of processes are others.
  const prefix = `forecourt-tests-${statSync('/proc/self/ns/pid').ino}-`;
  for (const name of readdirSync(MEMORY)) {
    const [pid] = name.startsWith(prefix) ? name.slice(prefix.length).split('-') : [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    const folder = join(MEMORY, name);
    if (statSync(folder).uid === process.getuid()) rmSync(folder, { recursive: true, force: true });
  }
  process.env.TMPDIR = mkdtempSync(join(MEMORY, `${prefix}${process.pid}-`));
  // PostgreSQL and nginx change to another user.
  chmodSync(process.env.TMPDIR, 0o711);
  globalThis.memoryFolder = process.env.TMPDIR;
}

/** Whether programs may be started from a file system in memory that has room. */
function hasRoom() {
  try {
    const mount = readFileSync('/proc/self/mounts', 'utf8').match(/^\S+ \/dev\/shm tmpfs (\S+)/m);
    if (mount === null || mount[1].split(',').includes('noexec')) return false;
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES && process.availableMemory() >= 2 * ROOM_BYTES;
  } catch {
    return false;
  }
}

/** A cluster with the database `migrated`. It is created once per set of migrations, which takes seconds. */
function migratedCluster(initdb, user) {
  const version = execFileSync(initdb, ['--version'], { encoding: 'utf8' }).replace(/\W+/g, '-');
  return madeOnce(`forecourt-shared-cluster-${version}${user.uid ?? ''}-${migrationsDigest()}`, async (folder) => {
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const options = { ...user, cwd: folder, stdio: 'pipe' };
    execFileSync(initdb, ['-D', 'data', '-U', 'forecourt', '-A', 'trust', '-E', 'UTF8', '--no-sync'], options);
    const server = await startServer(dirname(initdb), folder, user);
    const client = new pg.Client({ connectionString: `${server.url}/postgres` });
    await client.connect();
    await client.query('create database migrated');
    await client.query(`comment on database migrated is '${STORED}'`);
    await client.end();
    const words = ['--experimental-transform-types', join(import.meta.dirname, 'migrate-database.mjs')];
    execFileSync(process.execPath, [...words, `${server.url}/migrated`], { stdio: 'pipe' });
    await server.stop('SIGINT');
  });
}

/** Starts the server of `<folder>/data`. `stop` resolves after its exit; SIGINT stops it cleanly, SIGQUIT faster. */
async function startServer(programs, folder, user) {
  const port = await freePort();
  // The databases of single specs live for seconds: there is nothing to clean up.
  const settings = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_connections=400'];
  const words = ['-D', join(folder, 'data'), '-p', `${port}`, '-h', '127.0.0.1', '-k', ''];
  for (const setting of settings) words.push('-c', setting);
  const server = spawn(join(programs, 'postgres'), words, { ...user, cwd: folder, stdio: 'pipe' });
  const kill = () => server.kill('SIGQUIT');
  process.once('exit', kill);
  const exited = once(server, 'exit');
  await Promise.race([readyOf(server), exited.then(() => Promise.reject(new Error('PostgreSQL did not start')))]);
  const stop = async (signal) => {
    server.kill(signal);
    await exited;
    process.off('exit', kill);
  };
  return { url: `postgresql://forecourt@127.0.0.1:${port}`, stop };
}

/** Resolves when the server accepts connections. */
function readyOf(server) {
  return new Promise((resolve) => {
    server.stderr.on('data', (text) => {
      if (String(text).includes('ready to accept connections')) resolve();
    });
  });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function idOf(flag) {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
