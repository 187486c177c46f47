import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PROJECT } from '../support/project.js';

const ROOTS = ['src', 'test', 'docs', 'scripts', 'config', 'bench', 'load', 'deploy', '.ci'];
const TEXT = /\.(?:tsx?|mjs|cjs|js|md|ya?ml|conf|cfg|sql)$|^run$/;
const NOT_OURS = new Set(['node_modules', 'dist', 'data', 'fixtures', 'migrations', 'assets', 'schema']);

/** A text file of the repository; `path` is relative to its root, with `/`. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** All text that people write here: source, tests, docs, configuration and the files of the root; no fixtures, nothing generated. */
export function sources(): readonly Source[] {
  const top = readdirSync(PROJECT, { withFileTypes: true })
    .filter((entry) => entry.isFile() && (TEXT.test(entry.name) || entry.name === 'Dockerfile'))
    .map((entry) => entry.name);
  return [...top, ...ROOTS.flatMap((root) => filesBelow(join(PROJECT, root)))].map((path) => ({
    path,
    text: readFileSync(join(PROJECT, path), 'utf8'),
  }));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : filesBelow(path);
    return TEXT.test(entry.name) ? [relative(PROJECT, path)] : [];
  });
}
