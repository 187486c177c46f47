// Import this first to let a script import TypeScript: Node strips the types, the hook resolves
// "./judge.js" to "./judge.ts". Needs node --experimental-transform-types.
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
