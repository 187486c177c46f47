// Runs the proof from source: Node strips the types, and the hook resolves "./judge.js" to "./judge.ts".
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      /^\.{1,2}\//.test(specifier) && context.parentURL?.endsWith('.ts')
        ? specifier.replace(/\.js$/, '.ts')
        : specifier,
      context,
    ),
});
// test/support stops its child processes after a spec file; here that is the end of the process.
globalThis.afterAll = (clean) => process.once('exit', clean);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

await import('./main.ts');
