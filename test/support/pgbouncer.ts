import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from './binaries.js';
import { freePort, startChild } from './child.js';
import { postgresUser } from './postgres.js';

/** PgBouncer in transaction mode in front of a database. */
export interface Pooler {
  /** The URL of the database through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer as docs/running.md configures it. `server` is the URL of the database. */
export async function startPgbouncer(server: string): Promise<Pooler> {
  const binary = findBinary('pgbouncer');
  if (binary === undefined) throw new Error('PgBouncer is not installed');
  const { hostname, port: serverPort, pathname, username } = new URL(server);
  const name = pathname.slice(1);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-pgbouncer-'));
  const user = postgresUser();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const settings = `[databases]
${name} = user=${username} host=${hostname} port=${serverPort} connect_query='set statement_timeout = 4500'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
server_login_retry = 1
query_wait_timeout = 1
`;
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, settings, { mode: 0o644 });
  const child = startChild(binary, [file], { ...user, cwd: folder });
  await child.printed('process up');
  return {
    url: `postgresql://${username}@127.0.0.1:${port}/${name}`,
    stop: async () => {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
