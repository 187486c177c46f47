import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { QUICK, SECRET, SIMULATORS_READY, type Simulators, simulatorsOf, simulatorsProgram } from './booking.js';
import type { Child, Program } from './child.js';
import { Client } from './client.js';
import { configFolder } from './config-folder.js';
import { freshDatabase, hasSharedPostgres } from './database.js';
import { factsOf, type Gateway, gatewayProgram, READY } from './start-gateway.js';

/** A gateway that keeps running for the specs after this one; so do its simulators. */
export interface SharedGateway {
  readonly gateway: Gateway;
  readonly client: Client;
  readonly simulators: Simulators;
}

/** What a worker has started, as kept for its next spec. */
interface Started {
  readonly dataFolder: string;
  readonly simulators: string;
}

/**
 * The gateway of this jest worker for specs that need no settings of their own: roomy limits, quick reservations (QUICK),
 * the simulators in a process of their own. Specs of a worker run one after the other; each must leave it as it found
 * it, and not expect it to be fresh.
 */
export function sharedGateway(): () => SharedGateway {
  let shared: SharedGateway | undefined;
  beforeAll(async () => {
    const { dataFolder, simulators } = await started();
    const child = runningChild(join(dataFolder, 'gateway.log'));
    const refuse = () => Promise.reject(new Error('the shared gateway serves other specs: start one of your own'));
    const gateway = { ...factsOf(dataFolder), dataFolder, child, stop: refuse };
    shared = { gateway, client: await Client.of(gateway), simulators: simulatorsOf(simulators, refuse) };
  });
  afterAll(() => shared?.client.close());
  return () => {
    if (!shared) throw new Error('the gateway runs only inside tests');
    return shared;
  };
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
  const program = gatewayProgram({
    ...simulatorsOf(simulators, async () => undefined).env,
    ...(hasSharedPostgres ? { DATABASE_URL: (await freshDatabase()).url } : {}),
    FORECOURT_SECRET: SECRET,
    DATA_DIR: dataFolder,
    CONFIG_DIR: configFolder(QUICK),
  });
  await startDetached(program, join(dataFolder, 'gateway.log'), READY, folder);
  const result = { dataFolder, simulators };
  writeFileSync(file, JSON.stringify(result));
  return result;
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

async function printed(log: string, begin: number, text: string, timeoutMs = 30_000): Promise<void> {
  const until = Date.now() + timeoutMs;
  while (!readFileSync(log).subarray(begin).includes(text)) {
    if (Date.now() > until) throw new Error(`"${text}" was not printed:\n${readFileSync(log, 'utf8')}`);
    await wait(20);
  }
}
