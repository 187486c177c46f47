// globalSetup of jest for the end-to-end tests: the folder in which shared-gateway.ts notes what it has started, and one
// PostgreSQL server for all specs, with the migrated database that database.ts copies. Without PostgreSQL there is none,
// and gateways use the embedded database. Needs the build.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { findBinary } from './binaries.ts';

/** A text that is stored in every folder of the shared servers, so that the search of shared-servers-stop.mjs can find one. */
export const STORED = 'a text that the search at the end must find';

export default async function setup() {
  process.env.TEST_SHARED_FOLDER = mkdtempSync(join(tmpdir(), 'forecourt-shared-'));
  writeFileSync(join(process.env.TEST_SHARED_FOLDER, 'stored'), STORED);
  const initdb = findBinary('initdb');
  if (initdb === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-postgres-'));
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, stdio: 'pipe' };
  const data = join(folder, 'data');
  execFileSync(initdb, ['-D', data, '-U', 'forecourt', '-A', 'trust', '-E', 'UTF8', '--no-sync'], options);
  const port = await freePort();
  // The databases of single specs live for seconds: there is nothing to clean up.
  const settings = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_connections=400'].flatMap((one) => [
    '-c',
    one,
  ]);
  const server = spawn(
    join(dirname(initdb), 'postgres'),
    ['-D', data, '-p', `${port}`, '-k', folder, '-h', '127.0.0.1', ...settings],
    options,
  );
  const stop = () => server.kill('SIGQUIT');
  process.once('exit', stop);
  const exited = once(server, 'exit');
  await Promise.race([readyOf(server), exited.then(() => Promise.reject(new Error('PostgreSQL did not start')))]);
  const url = `postgresql://forecourt@127.0.0.1:${port}`;
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  await client.connect();
  await client.query('create database migrated');
  await client.query(`comment on database migrated is '${STORED}'`);
  await client.end();
  const { openDatabase } = await import('../../build/database/database.js');
  await (await openDatabase(`${url}/migrated`, folder)).close();
  process.env.TEST_POSTGRES_URL = url;
  globalThis.stopSharedPostgres = async () => {
    stop();
    await exited;
    return folder;
  };
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
