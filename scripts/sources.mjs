import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['src', 'packages', 'test', 'docs', 'scripts', 'config', 'bench', 'load', 'deploy', '.ci'];
const TEXT = /\.(?:tsx?|mjs|cjs|js|css|lua|sh|md|ya?ml|conf|cfg)$|^(?:run|Dockerfile)$/;
const NOT_WRITTEN_HERE = new Set(['node_modules', 'dist', 'data', 'fixtures', 'migrations', 'schema', 'generated']);

export function sources(root) {
  const top = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile() && TEXT.test(entry.name));
  return [...top.map((entry) => entry.name), ...FOLDERS.flatMap((folder) => filesBelow(root, folder))]
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function filesBelow(root, folder) {
  return entriesOf(join(root, folder)).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return NOT_WRITTEN_HERE.has(entry.name) ? [] : filesBelow(root, path);
    return TEXT.test(entry.name) ? [path] : [];
  });
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
