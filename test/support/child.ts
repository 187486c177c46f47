import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A spawned program with everything it has printed so far. */
export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** All of stdout, then all of stderr. */
  output(): string;
  /** Resolves when the text appears in the output; rejects if the program exits first or after `timeoutMs`. */
  printed(text: string, timeoutMs?: number): Promise<void>;
  /** The exit code, or the signal's name. */
  readonly exited: Promise<number | string>;
  /** Sends the signal and waits for the exit; kills the program after 20 s. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
}

/** A program to start. */
export interface Program {
  readonly command: string;
  readonly words: readonly string[];
  readonly options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
}

/** What a program gets of the developer's environment: nothing that configures it. */
export function plainEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
}

const living = new Set<ChildProcessWithoutNullStreams>();
// A test that fails half-way must not leave servers running, nor keep jest waiting for them.
afterAll(() => {
  for (const child of living) child.kill('SIGKILL');
});

/** Spawns a program; it is killed at the end of the spec file at the latest. */
export function startChild(command: string, args: readonly string[], options: SpawnOptionsWithoutStdio = {}): Child {
  const child = spawn(command, args, { ...options, stdio: 'pipe' });
  living.add(child);
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    tell();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    tell();
  });
  const exited = new Promise<number | string>((resolve) => {
    child.once('error', (error) => {
      stderr += String(error);
      living.delete(child);
      resolve('not started');
      tell();
    });
    child.once('close', (code, signal) => {
      living.delete(child);
      resolve(code ?? signal ?? 'unknown');
      tell();
    });
  });
  let over = false;
  void exited.then(() => {
    over = true;
    tell();
  });
  const output = (): string => stdout + stderr;
  return {
    process: child,
    pid: child.pid ?? -1,
    output,
    exited,
    printed: (text, timeoutMs = 90_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => done(new Error(`${command} did not print "${text}" within ${timeoutMs} ms:\n${output()}`)),
          timeoutMs,
        );
        const done = (error?: Error): void => {
          clearTimeout(timer);
          listeners.delete(check);
          if (error) reject(error);
          else resolve();
        };
        const check = (): void => {
          if (output().includes(text)) done();
          else if (over) done(new Error(`${command} ended without printing "${text}":\n${output()}`));
        };
        listeners.add(check);
        check();
      }),
    stop: async (signal = 'SIGTERM') => {
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      child.kill(signal);
      const code = await exited;
      clearTimeout(timer);
      return code;
    },
  };
}

/** A TCP port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
