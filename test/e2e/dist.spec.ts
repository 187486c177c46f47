import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { build, stop } from 'esbuild';
import { plainEnvironment, startChild } from '../support/child.js';
import { configFolder } from '../support/config-folder.js';
import { PROJECT } from '../support/project.js';

/** The imports of a folder's modules that are not among these modules, as written. */
async function importsOf(folder: string): Promise<readonly string[]> {
  const entryPoints = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !name.includes('assets'))
    .map((name) => join(folder, name));
  const options = {
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    loader: { '.json': 'empty' },
  } as const;
  const { metafile } = await build({ ...options, entryPoints, outdir: folder, write: false, metafile: true });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return [...new Set(imports.filter((one) => one.external).map((one) => one.path))];
}

/** `@scope/name/file` → `@scope/name`. */
const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
const known = new Set([...Object.keys(dependencies), ...builtinModules]);

jest.setTimeout(60_000);
// esbuild runs as a separate process.
afterAll(() => stop());

describe('the build', () => {
  // dist/ runs; build/ is the source of it, including modules that no program uses.
  const imports = new Map<string, readonly string[]>();
  beforeAll(async () => {
    for (const folder of ['dist', 'build']) imports.set(folder, await importsOf(join(PROJECT, folder)));
  });

  test.each(['dist', 'build'])('%s/ imports only what is installed without development dependencies', (folder) => {
    expect(imports.get(folder)).toContain('@nestjs/core');
    const missing = imports.get(folder)?.filter((name) => !name.startsWith('node:') && !known.has(packageOf(name)));
    expect(missing).toEqual([]);
  });

  test('no installed package imports one that is part of dist/, which would load it twice', () => {
    const inDist = (imports.get('dist') ?? []).map(packageOf);
    const inBuild = (imports.get('build') ?? []).map(packageOf);
    const bundled = [...new Set(inBuild)].filter((name) => !name.startsWith('node:') && !inDist.includes(name));
    expect(bundled.sort()).toEqual(['drizzle-orm', 'libphonenumber-js', 'zod']);
    const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; dependencies?: object; peerDependencies?: object }>;
    };
    const importers = Object.entries(packages).filter(
      ([path, { dev, dependencies, peerDependencies }]) =>
        path !== '' && !dev && bundled.some((name) => name in { ...dependencies, ...peerDependencies }),
    );
    expect(importers.map(([path]) => path)).toEqual([]);
  });

  test('a stack trace names the lines of the source, and Nest names the classes as written there', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'forecourt-dist-'));
    const config = configFolder({});
    writeFileSync(join(config, 'products.yaml'), 'products: none\n');
    const env = {
      ...plainEnvironment(),
      PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'debug',
      DATA_DIR: dataFolder,
      CONFIG_DIR: config,
    };
    const child = startChild(process.execPath, ['--enable-source-maps', join(PROJECT, 'dist', 'main.js')], {
      cwd: PROJECT,
      env,
    });
    expect(await child.exited).toBe(1);
    // `new VersionRegistry` calls readProductFile, which throws.
    const frame = /at new VersionRegistry \((.*version-registry\.ts):(\d+):(\d+)\)/.exec(child.output());
    const [, file = '', line, column] = frame ?? [];
    expect(file).toBe(join(PROJECT, 'src', 'products', 'version-registry.ts'));
    const code = readFileSync(file, 'utf8')
      .split('\n')
      [Number(line) - 1]?.slice(Number(column) - 1);
    expect(code).toMatch(/^readProductFile\(/);
    expect(child.output()).toContain('"StoreModule dependencies initialized"');
    for (const folder of [dataFolder, config]) rmSync(folder, { recursive: true, force: true });
  });
});
