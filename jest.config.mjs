/**
 * Projects by place and name: `unit` (specs beside the source), `nest` (`*.nest.spec.ts`: unit specs that load Nest
 * first), `e2e` (real processes and sockets, a browser) and `timing` (`*.timing.spec.ts`: they load the machine or hold
 * something to milliseconds, so they run alone). ESM through @swc/jest. `npm test` divides them further
 * (scripts/test.mjs): `*.long.*` don't run, `*.waiting.spec.ts` run beside the others because they mostly wait.
 */
const common = {
  runtime: '<rootDir>/test/support/shared-modules.mjs',
  testEnvironment: '<rootDir>/test/support/shared-globals.mjs',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)(?<!\\.json)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/shared-servers.mjs',
  globalTeardown: '<rootDir>/test/support/shared-servers-stop.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/support/long-timeout.mjs'],
  // Decorators write their metadata through it: it must be there before any decorated file.
  setupFiles: ['reflect-metadata'],
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true, tsx: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            react: { runtime: 'automatic', importSource: 'preact' },
          },
          keepClassNames: true,
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
const nest = '\\.nest\\.spec\\.ts$';
const timing = '\\.timing\\.spec\\.ts$';
export default {
  testSequencer: '<rootDir>/test/support/slowest-first.mjs',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{src,packages}/**/*.spec.ts',
        '<rootDir>/test/{rules,proof,proof-cache,proof-chaos,proof-failover,proof-limits,proof-webhooks}/**/*.spec.ts',
      ],
      testPathIgnorePatterns: [nest, timing],
    },
    {
      ...common,
      displayName: 'nest',
      testRegex: [nest],
      setupFiles: ['<rootDir>/test/support/nest-first.mjs'],
    },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/{e2e,browser}/**/*.spec.ts'],
      testPathIgnorePatterns: [timing, nest],
    },
    { ...common, displayName: 'timing', testRegex: [timing] },
  ],
};
