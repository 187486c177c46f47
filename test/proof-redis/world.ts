import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken, tokenDigest } from '../../src/auth/credentials.js';
import { keysOf } from '../../src/store/redis/keys.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { applicationOf } from '../proof-limits/proof.js';
import { freePort, plainEnvironment, startChild } from '../support/child.js';
import { configFolder } from '../support/config-folder.js';
import { startPostgres } from '../support/postgres.js';
import { PROJECT } from '../support/project.js';
import { slotOf } from '../support/redis-cluster.js';
import type { AccountCall, Observed } from './judge.js';
import { nowMs } from './observer.js';

const TOKEN_LIFETIME_MS = 3_600_000;
const LONGEST_ANSWER_MS = 10_000;
/** The last account: its limit is lower than the load. */
export const LIMITED = { perMinute: 300, burst: 5 };
const WIDE = { perMinute: 600_000, burst: 10_000 };
const WORDS = /MOVED|\bASK\b|CLUSTERDOWN|TRYAGAIN|READONLY|LOADING|redirection/;

/** A gateway on the given Redis, and accounts with a token each. */
export interface RedisWorld {
  /** The gateway's. */
  readonly port: number;
  /** The slot of each account. */
  readonly slots: readonly number[];
  call(account: number): Promise<AccountCall>;
  dispose(): Promise<void>;
}

/** Starts the gateway, on one core if `core` is a number. The last account is limited by LIMITED. */
export async function startWorld(redisUrl: string, accounts: number, core?: number): Promise<RedisWorld> {
  const config = configFolder({ settings: {} });
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-redis-proof-'));
  const postgres = await startPostgres();
  const port = await freePort();
  const command = [process.execPath, join(PROJECT, 'dist', 'main.js')] as const;
  const [program, ...words] = core === undefined ? command : (['taskset', '-c', String(core), ...command] as const);
  const child = startChild(program, words, {
    cwd: PROJECT,
    env: {
      ...{ ...plainEnvironment(), CONFIG_DIR: config, REDIS_URL: redisUrl, DATA_DIR: folder, PORT: String(port) },
      ...{ DATABASE_URL: postgres.url, SMTP_URL: 'smtp://127.0.0.1:9' },
      ...{ METRICS_PORT: '0', LOG_LEVEL: 'error', FORECOURT_SECRET: 'a-secret-of-the-redis-proof-0123456789' },
    },
  });
  await child.printed('Forecourt is ready at', 60_000);
  const store = new RedisStore(redisUrl, {
    environment: 'sandbox',
    commandTimeoutMs: 5_000,
    leaseMs: 1,
    onError: () => undefined,
  });
  await store.connect();
  const policies = Array.from({ length: accounts }, (_, at) =>
    applicationOf(`redis ${at}`, { application: at === accounts - 1 ? LIMITED : WIDE }),
  );
  const tokens = policies.map((policy) => mintToken(policy, 'sandbox'));
  for (const [at, { accountId, applicationId, ...policy }] of policies.entries()) {
    const owner = { accountId, applicationId };
    const digest = tokenDigest(tokens[at] ?? '');
    await store.saveToken({ ...owner, digest, lifetimeMs: TOKEN_LIFETIME_MS }, { ...owner, ...policy }, 10);
  }
  await store.close();
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const ask = (path: string, headers: Record<string, string>): Promise<Observed & { isStrange: boolean }> =>
    new Promise((resolve) => {
      const sentMs = nowMs();
      const end = (status: number, isStrange = false): void =>
        resolve({ sentMs, answeredMs: nowMs(), status, isStrange });
      const sent = request({ host: '127.0.0.1', port, path, agent, headers, timeout: LONGEST_ANSWER_MS });
      sent.once('response', (response) => {
        const status = response.statusCode ?? 0;
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('end', () =>
          end(status, WORDS.test(text) || (status === 503 && response.headers['retry-after'] === undefined)),
        );
        response.once('error', () => end(0));
      });
      sent.once('timeout', () => sent.destroy());
      sent.once('error', () => end(0));
      sent.end();
    });
  return {
    port,
    slots: policies.map((policy) => slotOf(keysOf('sandbox', policy).policy)),
    call: async (account) => ({
      ...(await ask('/cars/locations/v1/', { authorization: `Bearer ${tokens[account]}` })),
      account,
    }),
    dispose: async () => {
      agent.destroy();
      await child.stop('SIGKILL');
      await postgres.dispose();
      for (const path of [folder, config]) rmSync(path, { recursive: true, force: true });
    },
  };
}
