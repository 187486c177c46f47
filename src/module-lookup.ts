import module from 'node:module';

/**
 * Node (24.21) parses the package.json of a package anew for each of its ES modules that is looked up. For drizzle-orm that is 180 kB 110 times: half a second at
 * each start, half of what a command takes. Its modules name each other by file, so nothing has to be looked up. To be deleted when Node keeps what it has parsed.
 */
module.registerHooks?.({
  resolve: (specifier, context, next) =>
    specifier.startsWith('.') && context.parentURL?.includes('/node_modules/drizzle-orm/')
      ? { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
      : next(specifier, context),
});
