import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findBinary } from './binaries.js';
import { QUICK, SECRET, SIMULATORS_READY, type Simulators, simulatorsOf, simulatorsProgram } from './booking.js';
import { type Child, freePort, type Program } from './child.js';
import { Client } from './client.js';
import { configFolder } from './config-folder.js';
import { freshDatabase, hasSharedPostgres, queryOnce, type TestDatabase } from './database.js';
import { type MailServer, mailServerOfWorker } from './mail-server.js';
import { REDIS_READY, type RedisServer, redisProgram } from './redis.js';
import { factsOf, type Gateway, type GatewayOptions, gatewayProgram, READY } from './start-gateway.js';

/** A gateway that keeps running for the specs after this one; so do its simulators. */
export interface SharedGateway {
  readonly gateway: Gateway;
  readonly client: Client;
  readonly simulators: Simulators;
  /** Its PostgreSQL and Redis; throws if they are not installed (describeWith). */
  readonly postgres: Pick<TestDatabase, 'query' | 'url'>;
  readonly redis: Pick<RedisServer, 'url'>;
  /** Receives the gateway's emails, including those of other specs. */
  readonly mail: Pick<MailServer, 'mails' | 'next' | 'refuse' | 'url'>;
  /** To start another gateway on the same PostgreSQL, Redis and simulators, with the same settings. */
  readonly options: GatewayOptions & { readonly env: Readonly<Record<string, string>> };
  /** Variables with which `gw` reaches it. */
  readonly commandEnv: Readonly<Record<string, string>>;
}

/** What a worker has started, as kept for its next spec. */
interface Started {
  readonly dataFolder: string;
  /** What they have printed. */
  readonly simulators: string;
  readonly env: { readonly DATABASE_URL?: string; readonly REDIS_URL?: string };
  readonly mailPort: number;
}

/**
 * The gateway of this jest worker for specs that need no settings of their own: roomy limits, quick reservations (QUICK),
 * the admin API, the simulators in a process of their own. Specs of a worker run one after the other; each must leave it as it found
 * it, and not expect it to be fresh.
 */
export function sharedGateway(): () => SharedGateway {
  let shared: SharedGateway | undefined;
  beforeAll(async () => {
    const { dataFolder, simulators, env, mailPort } = await started();
    const mail = await mailServerOfWorker(mailPort);
    const child = runningChild(join(dataFolder, 'gateway.log'));
    const refuse = () => Promise.reject(new Error('the shared gateway serves other specs: start one of your own'));
    const gateway = { ...factsOf(dataFolder), dataFolder, child, stop: refuse };
    const need = (url: string | undefined): string => url ?? refuseWithout();
    shared = {
      gateway,
      client: await Client.of(gateway),
      simulators: simulatorsOf(simulators, refuse),
      postgres: {
        query: (sql, values = []) => queryOnce(need(env.DATABASE_URL), sql, values),
        get url() {
          return need(env.DATABASE_URL);
        },
      },
      redis: {
        get url() {
          return need(env.REDIS_URL);
        },
      },
      mail,
      options: { env: environmentOf(simulators, env, mail.url), config: QUICK },
      commandEnv: { ...env, DATA_DIR: dataFolder, FORECOURT_SECRET: SECRET },
    };
  });
  afterAll(() => shared?.client.close());
  return () => {
    if (!shared) throw new Error('the gateway runs only inside tests');
    return shared;
  };
}

function refuseWithout(): never {
  throw new Error('this spec needs PostgreSQL and Redis: describeWith("redis-server", "initdb")');
}

async function started(): Promise<Started> {
  const folder = process.env.TEST_SHARED_FOLDER;
  if (folder === undefined) throw new Error('jest starts shared servers for end-to-end tests only');
  const file = join(folder, `worker-${process.env.JEST_WORKER_ID}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Started;
  const dataFolder = mkdtempSync(join(folder, 'data-'));
  const simulatorsLog = join(dataFolder, 'simulators.log');
  await startDetached(simulatorsProgram(join(dataFolder, 'ledgers')), simulatorsLog, SIMULATORS_READY, folder);
  const simulators = readFileSync(simulatorsLog, 'utf8');
  const env = {
    ...(hasSharedPostgres ? { DATABASE_URL: (await freshDatabase()).url } : {}),
    ...(findBinary('redis-server') === undefined ? {} : { REDIS_URL: await detachedRedis(dataFolder, folder) }),
  };
  const mailPort = await freePort();
  const { url } = await mailServerOfWorker(mailPort);
  const program = gatewayProgram({
    ...environmentOf(simulators, env, url),
    ADMIN_PORT: '0',
    DATA_DIR: dataFolder,
    CONFIG_DIR: configFolder(QUICK),
  });
  await startDetached(program, join(dataFolder, 'gateway.log'), READY, folder);
  const result = { dataFolder, simulators, env, mailPort };
  writeFileSync(file, JSON.stringify(result));
  return result;
}

function environmentOf(simulators: string, env: Started['env'], mailUrl: string): Readonly<Record<string, string>> {
  return {
    ...simulatorsOf(simulators, async () => undefined).env,
    ...env,
    FORECOURT_SECRET: SECRET,
    SMTP_URL: mailUrl,
    // A spec that uses up the limits of an address takes one of its own.
    TRUSTED_PROXIES: '127.0.0.1',
  };
}

async function detachedRedis(dataFolder: string, folder: string): Promise<string> {
  const port = await freePort();
  await startDetached(redisProgram(port, dataFolder), join(dataFolder, 'redis.log'), REDIS_READY, folder);
  return `redis://127.0.0.1:${port}`;
}

/** Starts a program that outlives the spec; shared-servers-stop.mjs kills it by the file that it leaves in `folder`. */
async function startDetached({ command, words, options }: Program, log: string, ready: string, folder: string) {
  const file = openSync(log, 'a');
  const child = spawn(command, words, { ...options, stdio: ['ignore', file, file], detached: true });
  child.unref();
  writeFileSync(join(mkdtempSync(join(folder, 'program-')), 'pid'), String(child.pid));
  await printed(log, 0, ready);
}

/** The part of a Child that a spec may use of a program that it did not start. */
function runningChild(log: string): Child {
  const begin = statSync(log).size;
  const refuse = (): never => {
    throw new Error('the shared gateway serves other specs: start one of your own');
  };
  return {
    output: () => readFileSync(log).subarray(begin).toString(),
    printed: (text, timeoutMs) => printed(log, begin, text, timeoutMs),
    stop: refuse,
    get process() {
      return refuse();
    },
    get pid() {
      return refuse();
    },
    get exited() {
      return refuse();
    },
  };
}

async function printed(log: string, begin: number, text: string, timeoutMs = 90_000): Promise<void> {
  const until = Date.now() + timeoutMs;
  while (!readFileSync(log).subarray(begin).includes(text)) {
    if (Date.now() > until) throw new Error(`"${text}" was not printed:\n${readFileSync(log, 'utf8')}`);
    await wait(20);
  }
}
