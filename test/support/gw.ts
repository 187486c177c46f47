import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { plainEnvironment } from './child.js';
import { PROJECT } from './project.js';

/** The built command line. */
export const GW = join(PROJECT, 'dist', 'cli', 'gw.js');

/** How a command ended. */
export interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `gw` to its end in the project's folder; of the testers' environment it sees nothing that configures it, only `env`. */
export function gw(words: readonly string[], env: Readonly<Record<string, string>> = {}): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GW, ...words], {
    cwd: PROJECT,
    encoding: 'utf8',
    env: { ...plainEnvironment(), ...env },
  });
  return { status, stdout, stderr };
}
