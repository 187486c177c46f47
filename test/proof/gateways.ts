import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Child, freePort, startChild } from '../support/child.js';
import { PROJECT } from '../support/project.js';

const READY = 'Forecourt is ready at';
const CLOCK = new URL('../support/skewed-clock.mjs', import.meta.url).href;

/** A gateway that is killed and restarted on the same port and data folder. */
export interface RestartableGateway {
  /** The name of its connections in PostgreSQL. */
  readonly name: string;
  readonly port: number;
  readonly dataFolder: string;
  start(): Promise<void>;
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>;
  /** Sends SIGSTOP, or SIGCONT. */
  pause(): void;
  resume(): void;
  /** Sets its clock, and that of its next processes, this many milliseconds ahead of the right time. */
  setClock(aheadMs: number): void;
  /** What `gw` prints for an operator of this gateway, whether it exits with 0 or 1. */
  command(...words: readonly string[]): Promise<string>;
  /** Everything that all its processes printed. */
  output(): string;
}

const RESTART_MS = 2_000;

/** How a gateway is started: its environment, and modules that are loaded before its own code. */
export interface GatewayStart {
  readonly env: Readonly<Record<string, string>>;
  readonly preload: readonly string[];
}

/** A gateway with its data below `folder`; not started. */
export async function gatewayOf(
  name: string,
  folder: string,
  { env, preload }: GatewayStart,
): Promise<RestartableGateway> {
  const port = await freePort();
  const dataFolder = join(folder, name);
  const clock = join(folder, `${name}.clock`);
  writeFileSync(clock, '0');
  const own = {
    ...inherited(),
    ...env,
    PORT: String(port),
    DATA_DIR: dataFolder,
    LOG_LEVEL: 'error',
    SMTP_URL: 'smtp://127.0.0.1:9',
  };
  const options = [CLOCK, ...preload].map((module) => `--import ${module}`).join(' ');
  let child: Child | undefined;
  let before = '';
  const begin = async (): Promise<Child> => {
    before += child?.output() ?? '';
    const begun = startChild(process.execPath, [join(PROJECT, 'dist', 'main.js')], {
      cwd: PROJECT,
      env: { ...own, CLOCK_SKEW_FILE: clock, NODE_OPTIONS: options },
    });
    child = begun;
    await begun.printed(READY);
    return begun;
  };
  return {
    name,
    port,
    dataFolder,
    start: async () => {
      // A database that just restarted on a busy machine may answer too late; operators start such a gateway again.
      const begun = await begin().catch(() => wait(RESTART_MS).then(begin));
      if (!begun.output().includes(`127.0.0.1:${port}`)) throw new Error(`port ${port} was taken by another process`);
    },
    kill: async () => {
      await child?.stop('SIGKILL');
      before += child?.output() ?? '';
      child = undefined;
    },
    pause: () => void child?.process.kill('SIGSTOP'),
    resume: () => void child?.process.kill('SIGCONT'),
    setClock: (aheadMs) => writeFileSync(clock, String(aheadMs)),
    command: async (...words) => {
      const gw = [join(PROJECT, 'dist', 'cli', 'gw.js'), ...words];
      const options = { cwd: PROJECT, env: own, maxBuffer: 1e8 };
      const { stdout } = await promisify(execFile)(process.execPath, gw, options).catch((error: unknown) => {
        const failed = error as { code?: unknown; stdout: string };
        if (failed.code !== 1 || failed.stdout === '') throw error;
        return failed;
      });
      return stdout;
    },
    output: () => before + (child?.output() ?? ''),
  };
}

/** What a process gets of the developer's environment. */
export function inherited(): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
}
