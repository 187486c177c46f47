// Imported first, lets a script import the TypeScript sources as they are: Node strips the types, the hook finds "./judge.js" in "./judge.ts".
// Needs node --experimental-transform-types.
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
