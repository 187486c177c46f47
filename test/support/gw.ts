import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { plainEnvironment } from './child.js';
import { PROJECT } from './project.js';

/** The built command line. */
export const GW = join(PROJECT, 'dist', 'cli', 'gw.js');

/** The result of a command. */
export interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `gw` to completion in the project's folder; it gets `env` and nothing of the developer's environment that
 * configures it.
 */
export function gw(words: readonly string[], env: Readonly<Record<string, string>> = {}): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GW, ...words], {
    cwd: PROJECT,
    encoding: 'utf8',
    env: { ...plainEnvironment(), ...env },
  });
  return { status, stdout, stderr };
}
