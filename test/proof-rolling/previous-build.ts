import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { madeOnce } from '../support/made-once.js';
import { PROJECT } from '../support/project.js';

/**
 * The folder of the previous release, built once from the commit in releases/previous.json by its own build script, with
 * the packages of this project. Throws if this clone doesn't contain the commit.
 */
export async function previousBuild(): Promise<string> {
  const { commit } = JSON.parse(readFileSync(join(PROJECT, 'releases', 'previous.json'), 'utf8')) as { commit: string };
  return await madeOnce(`forecourt-release-${commit}`, (folder) => {
    const files = execFileSync('git', ['archive', commit], { cwd: PROJECT, maxBuffer: 1e9 });
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-x', '-C', folder], { input: files });
    symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    execFileSync('npm', ['run', '-s', 'build'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  });
}
