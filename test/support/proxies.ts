import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findBinary } from './binaries.js';
import { type Child, freePort, startChild } from './child.js';
import { PROJECT } from './project.js';

/** A running proxy on a port of 127.0.0.1. */
export interface RunningProxy {
  readonly port: number;
  /** Everything that it has logged so far. */
  log(): string;
  stop(): Promise<void>;
}

/** Where the two gateways behind it listen. */
type Gateways = readonly [{ readonly port: number }, { readonly port: number }];

/**
 * Fills in a shipped file; every text to replace must appear in it, so that a change of the file cannot go unnoticed.
 */
function filledIn(file: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${file} has no "${from}"`);
      return text.replaceAll(from, to);
    },
    readFileSync(join(PROJECT, 'config', 'proxies', file), 'utf8'),
  );
}

/**
 * nginx with the shipped file, once it reaches a gateway; `more` goes before the upstream block, `changes` work as with
 * HAProxy.
 */
export async function startNginx(
  [one, two]: Gateways,
  more: (folder: string) => string = () => '',
  changes: Readonly<Record<string, string>> = {},
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-nginx-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const text = filledIn('nginx/nginx.conf', {
    '/tmp/': `${folder}/`,
    'worker_connections 65536': 'worker_connections 400',
    'limit_conn networks 1000': 'limit_conn networks 150',
    'gateway1:3000': `127.0.0.1:${one.port}`,
    'gateway2:3000': `127.0.0.1:${two.port}`,
    'listen 8080': `listen 127.0.0.1:${port}`,
    'access_log /dev/stdout': `access_log ${folder}/access.log`,
    '/dev/stderr': `${folder}/error.log`,
    '  upstream gateways {': `${more(folder)}  upstream gateways {`,
    ...changes,
  });
  writeFileSync(join(folder, 'nginx.conf'), text);
  const child = startChild(findBinary('nginx') ?? '', ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
    env: { TZ: 'UTC' },
  });
  return running(child, port, folder, 'SIGQUIT');
}

/** HAProxy with the shipped file, once it reaches a gateway; `changes` map texts of the file to their replacements. */
export async function startHaproxy(
  [one, two]: Gateways,
  changes: Readonly<Record<string, string>> = {},
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-haproxy-'));
  const port = await freePort();
  const text = filledIn('haproxy/haproxy.cfg', {
    'gateway1:3000': `127.0.0.1:${one.port}`,
    'gateway2:3000': `127.0.0.1:${two.port}`,
    'bind :8080': `bind 127.0.0.1:${port}`,
    'maxconn 8000': 'maxconn 400',
    'conn_cur gt 1000': 'conn_cur gt 200',
    ...changes,
  });
  writeFileSync(join(folder, 'haproxy.cfg'), text);
  return running(startChild(findBinary('haproxy') ?? '', ['-f', join(folder, 'haproxy.cfg')]), port, folder, 'SIGTERM');
}

/** Waits until the proxy returns a gateway's answer. */
async function running(child: Child, port: number, folder: string, signal: NodeJS.Signals): Promise<RunningProxy> {
  const over = child.exited.then((code) => {
    throw new Error(`the proxy ended (${code}): ${child.output()}`);
  });
  const up = async (): Promise<void> => {
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; ) {
      const status = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) return;
      await wait(20);
    }
    throw new Error(`the proxy does not reach the gateways: ${child.output()}`);
  };
  await Promise.race([up(), over]);
  over.catch(() => undefined);
  return {
    port,
    // HAProxy logs to its output, nginx to files.
    log: () => [child.output(), ...globSync(`${folder}/*.log`).map((file) => readFileSync(file, 'utf8'))].join('\n'),
    stop: async () => {
      await child.stop(signal);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
