// Builds dist/, which is what runs, from build/, the output of tsc: one file per program, and the chunks that they
// share (docs/decisions/0022-one-bundle.md). Bundling the output of tsc instead of the source keeps the metadata of the
// decorators.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { build } from 'esbuild';

const PROGRAMS = ['main.js', 'simulators.js', 'cli/gw.js', 'suppliers/answers/worker.js', 'tracing/export-worker.js'];
const ASSETS = ['database/migrations', 'portal/assets'];
/**
 * Packages that stay in node_modules: those that find files or threads of their own by their URL, the dictionary of
 * passwords (1.4 MB, read only when a password is set), and the optional ones that Nest, Fastify and pg look for by name.
 */
const OUTSIDE = [
  '@electric-sql/pglite',
  '@zxcvbn-ts/*',
  'piscina',
  'pino',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@fastify/middie',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'class-transformer',
  'class-validator',
  'pg-native',
];

const project = fileURLToPath(new URL('..', import.meta.url));
const modules = join(project, 'build');
const out = join(project, 'dist');

rmSync(out, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: project,
  entryPoints: PROGRAMS.map((program) => join(modules, program)),
  outbase: modules,
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: true,
  sourcesContent: false,
  minifyWhitespace: true,
  legalComments: 'external',
  metafile: true,
  logLevel: 'warning',
  external: OUTSIDE,
  // CommonJS packages in the bundle require modules of Node.js.
  banner: {
    js: "import { createRequire as $requireOf } from 'node:module'; const require = $requireOf(import.meta.url);",
  },
  plugins: [{ name: 'forecourt', setup }],
});
for (const [file, { inputs }] of Object.entries(metafile.outputs)) {
  checkLocations(file, Object.keys(inputs));
  checkCharacters(file);
}
for (const folder of ASSETS) cpSync(join(modules, folder), join(out, folder), { recursive: true });
const places = brotliDecompressSync(readFileSync(join(project, 'src/places/places.br')));
for (const folder of [modules, out]) {
  mkdirSync(join(folder, 'places'), { recursive: true });
  writeFileSync(join(folder, 'places/places.bin'), places);
}

function setup(bundle) {
  bundle.onLoad({ filter: /\.js$/ }, ({ path }) =>
    path.startsWith(modules + sep) ? { contents: asInItsPlace(readFileSync(path, 'utf8'), path) } : undefined,
  );
}

/**
 * The module with the URL and class names that it has outside the bundle. Lines keep their numbers for the source map.
 */
function asInItsPlace(text, path) {
  const place = `new URL(${JSON.stringify(`./${relative(modules, path)}`)}, import.meta.url).href`;
  return (
    text
      .replaceAll('import.meta.url', place)
      // A decorated class; esbuild would call the inner one Name2. `keepNames` would also wrap each function created
      // during a request.
      .replace(
        /^let (\w+) = .*\bclass \1\b.*\{$/gm,
        `$& static { Object.defineProperty(this, 'name', { value: '$1' }); }`,
      )
  );
}

/** Throws if a module that uses its URL isn't at the top of dist/, from where its URL is calculated. */
function checkLocations(file, inputs) {
  if (dirname(file) === relative(project, out)) return;
  const lost = inputs.filter((input) => readFileSync(join(project, input), 'utf8').includes('import.meta.url'));
  if (lost.length > 0) throw new Error(`${lost.join(', ')} uses import.meta.url and must not be part of ${file}`);
}

/**
 * Throws if a file has a character outside ASCII: Node.js would keep it in memory with two bytes per character. esbuild
 * escapes those in texts but not those in regular expressions, where the source must.
 */
function checkCharacters(file) {
  const found = /.{0,40}[^\0-\x7f].{0,20}/.exec(file.endsWith('.js') ? readFileSync(join(project, file), 'utf8') : '');
  if (found) throw new Error(`${file} has a character outside ASCII: ${found[0]}`);
}
