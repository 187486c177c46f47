// Writes build/ from src/: the modules and the assets that nest-cli.json names. What `nest build` also does, but with the
// native compiler and without checking types, which `npm run lint` does
// (docs/decisions/0022-one-bundle.md). Exits with the compiler's code.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const { sourceRoot, compilerOptions } = JSON.parse(readFileSync(join(project, 'nest-cli.json'), 'utf8'));
const { status } = spawnSync(process.execPath, ['node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.build.json'], {
  cwd: project,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
for (const { include, outDir } of compilerOptions.assets) {
  const folder = dirname(include.replace(/\/\*$/, ''));
  const target = join(project, outDir, folder);
  rmSync(target, { recursive: true, force: true });
  cpSync(join(project, sourceRoot, folder), target, { recursive: true });
}
