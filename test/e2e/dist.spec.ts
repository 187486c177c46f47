import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { build, stop } from 'esbuild';
import { configFolder } from '../support/config-folder.js';
import { freshDatabase, hasSharedPostgres } from '../support/database.js';
import { PROJECT } from '../support/project.js';
import { newDataFolder, spawnGateway } from '../support/start-gateway.js';

/** The imports of a folder's modules that are not among these modules, as written. */
async function importsOf(folder: string): Promise<readonly string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !name.includes('assets'))
    .map((name) => join(folder, name));
  const options = {
    // One entry for all: with an entry per file, each file's bundle would have all that it imports.
    stdin: { contents: files.map((file) => `import ${JSON.stringify(file)};`).join('\n'), resolveDir: folder },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    loader: { '.json': 'empty' },
  } as const;
  const { metafile } = await build({ ...options, outdir: folder, write: false, metafile: true });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return [...new Set(imports.filter((one) => one.external).map((one) => one.path))];
}

/** `@scope/name/file` → `@scope/name`. */
const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
/** Packages that Nest, Fastify and pg use if they are installed. Here they are not. */
const OPTIONAL = new Set([
  '@fastify/middie',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'class-transformer',
  'class-validator',
  'pg-native',
]);
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
    expect(imports.get(folder)).toContain('@electric-sql/pglite');
    const missing = imports.get(folder)?.filter((name) => !name.startsWith('node:') && !known.has(packageOf(name)));
    expect(missing?.filter((name) => !OPTIONAL.has(packageOf(name)))).toEqual([]);
  });

  test('no package outside dist/ imports one that is part of it, which would load it twice', () => {
    const outside = new Set((imports.get('dist') ?? []).map(packageOf).filter((name) => known.has(name)));
    const inside = Object.keys(dependencies).filter((name) => !outside.has(name));
    expect(inside).toEqual(expect.arrayContaining(['@nestjs/core', 'fastify', 'rxjs', 'zod']));
    const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dependencies?: object; peerDependencies?: object }>;
    };
    const importsOfPackage = (name: string): readonly string[] => {
      const { dependencies, peerDependencies } = packages[`node_modules/${name}`] ?? {};
      return Object.keys({ ...dependencies, ...peerDependencies });
    };
    // A set also visits what is added during the loop.
    for (const name of outside) for (const imported of importsOfPackage(name)) outside.add(imported);
    expect(inside.filter((name) => outside.has(name))).toEqual([]);
  });

  test('the database in dist/, which a first start copies, has all migrations and no rows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forecourt-empty-'));
    cpSync(join(PROJECT, 'dist', 'database', 'empty'), folder, { recursive: true });
    // As in src/database/database.ts: V8 would optimize all of it, in seconds of processor time.
    const flags = ['wasm-tier-up', 'wasm-dynamic-tiering'];
    for (const flag of flags) setFlagsFromString(`--no-${flag}`);
    const database = await PGlite.create(folder);
    for (const flag of flags) setFlagsFromString(`--${flag}`);
    const count = async (table: string) =>
      (await database.query<{ count: number }>(`select count(*)::int as count from ${table}`)).rows[0]?.count;
    const migrations = readdirSync(join(PROJECT, 'src', 'database', 'migrations')).filter((n) => n.endsWith('.sql'));
    expect(await count('drizzle.__drizzle_migrations')).toBe(migrations.length);
    for (const table of ['accounts', 'applications', 'reservations', 'audit_events'])
      expect(await count(table)).toBe(0);
    await database.close();
    rmSync(folder, { recursive: true });
  });

  test('a stack trace names the lines of the source, and Nest names the classes as written there', async () => {
    const dataFolder = await newDataFolder(false);
    const config = configFolder({});
    writeFileSync(join(config, 'products.yaml'), 'products: none\n');
    // It starts sooner than the embedded one.
    const database = hasSharedPostgres ? await freshDatabase() : undefined;
    const child = spawnGateway({
      LOG_LEVEL: 'debug',
      DATA_DIR: dataFolder,
      CONFIG_DIR: config,
      ...(database && { DATABASE_URL: database.url }),
    });
    expect(await child.exited).toBe(1);
    await database?.dispose();
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
