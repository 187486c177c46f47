// Makes dist/, which is what runs, out of build/, which is what tsc wrote: one file per program, and chunks that they share
// (docs/decisions/0022-one-bundle.md). Bundling the output of tsc rather than the source keeps the metadata of the decorators.
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PROGRAMS = ['main.js', 'simulators.js', 'cli/gw.js'];
const ASSETS = ['database/migrations', 'portal/assets'];
/** Packages that go into the bundle. Only those that no package outside it imports: there would be two copies. */
const INLINED = /^drizzle-orm(\/|$)/;

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
  metafile: true,
  logLevel: 'warning',
  plugins: [{ name: 'forecourt', setup }],
});
for (const [file, { inputs }] of Object.entries(metafile.outputs)) checkLocations(file, Object.keys(inputs));
for (const folder of ASSETS) cpSync(join(modules, folder), join(out, folder), { recursive: true });

function setup(bundle) {
  bundle.onResolve({ filter: /^[^./]/ }, ({ path }) => (INLINED.test(path) ? undefined : { path, external: true }));
  bundle.onLoad({ filter: /\.js$/ }, ({ path }) =>
    path.startsWith(modules + sep) ? { contents: asInItsPlace(readFileSync(path, 'utf8'), path) } : undefined,
  );
}

/** The module with the URL and the class names that it has outside the bundle. The lines stay where they are, as the source map has them. */
function asInItsPlace(text, path) {
  const place = `new URL(${JSON.stringify(`./${relative(modules, path)}`)}, import.meta.url).href`;
  return (
    text
      .replaceAll('import.meta.url', place)
      // A decorated class; esbuild would call the inner one Name2. `keepNames` would also wrap each function that is made while a request runs.
      .replace(
        /^let (\w+) = .*\bclass \1\b.*\{$/gm,
        `$& static { Object.defineProperty(this, 'name', { value: '$1' }); }`,
      )
  );
}

/** Throws where a module that asks for its URL does not end up at the top of dist/, from where its URL is calculated. */
function checkLocations(file, inputs) {
  if (dirname(file) === relative(project, out)) return;
  const lost = inputs.filter((input) => readFileSync(join(project, input), 'utf8').includes('import.meta.url'));
  if (lost.length > 0) throw new Error(`${lost.join(', ')} uses import.meta.url and must not be part of ${file}`);
}
